#include "program/commands.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/number.h"
#include "config/units.h"
#include "program/bodies.h"
#include "program/declarations.h"
#include "program/launches.h"
#include "program/rectangles.h"

namespace t3sim::program {
namespace {

std::vector<std::string> keys_of(const std::map<std::string, std::uint32_t>& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

bool of_host(const Action& action) {
  const auto* barrier = std::get_if<Barrier>(&action);
  return std::holds_alternative<SyncEvent>(action) || std::holds_alternative<SyncStream>(action) ||
         std::holds_alternative<SyncSignal>(action) || std::holds_alternative<HostTime>(action) ||
         (barrier && barrier->host);
}

HostTime host_time(const config::Node& node) {
  try {
    return {config::parse_quantity(config::kTime, node.scalar)};
  } catch (const std::invalid_argument& e) {
    throw error_at(node.where, fmt::format("host: {}", e.what()));
  }
}

}  // namespace

GpuCommands CommandReader::read(const ProgramText& text) {
  const Node& streams = needed(text.root, "streams", "program");
  by_stream_ = streams.type == Node::Type::map;
  if (by_stream_) {
    read_streams(streams);
    return std::move(commands_);
  }
  for (const Node& name : streams.items)
    each_stream(Piece::whole(name), c_.scope, name.where,
                [&](const std::string& stream) { declare_stream(stream, name.where); });
  if (streams_.size() == 1) stream_ = 0;
  items(needed(text.root, "commands", "program"));
  return std::move(commands_);
}

void CommandReader::declare_stream(const std::string& name, const config::Location& where) {
  if (!streams_.emplace(name, narrow<std::uint32_t>(commands_.streams.size())).second)
    throw error_at(where, fmt::format("there is a stream \"{}\" already", name));
  commands_.streams.push_back(name);
}

void CommandReader::read_streams(const Node& streams) {
  for (const config::Entry& entry : streams.entries) {
    Node key;  // as a scalar, for messages
    key.type = Node::Type::scalar;
    key.where = entry.where;
    const Piece piece{&key, entry.key, 0};
    each_stream(piece, c_.scope, entry.where, [&](const std::string& name) {
      declare_stream(name, entry.where);
      stream_ = streams_.at(name);
      items(entry.value);
    });
  }
}

void CommandReader::items(const Node& node) {
  if (node.type != Node::Type::list) return item(node);
  for (const Node& one : node.items) item(one);
}

void CommandReader::item(const Node& node) {
  if (node.type == Node::Type::scalar) return command(node.where, node.scalar, Node{}, nullptr);
  loops_.expand(node, [&](const Node& body) {
    const std::optional<std::uint32_t> outer = stream_;
    if (const config::Entry* on = node.find("on")) {
      if (by_stream_) throw error_at(on->where, "on: the command is in a stream already");
      stream_ = stream(Piece::whole(scalar(on->value, "on")));
    }
    if (&body != &node) {
      items(body);
    } else {
      for (const config::Entry& entry : node.entries)
        if (entry.key != "for" && entry.key != "let" && entry.key != "if" && entry.key != "on" &&
            entry.key != "name" && entry.key != "repeat")
          command(entry.where, entry.key, entry.value, optional(node, "name"));
    }
    stream_ = outer;
  });
}

void CommandReader::command(const config::Location& where, const std::string& key, const Node& value,
                            const Node* name) {
  std::string made;
  Action made_action = action(key, value, made);
  if (name) {
    scalar(*name, "name");
    const std::string round = c_.scope.text(outer_names_, c_.scope.size());
    made = round.empty() ? name->scalar : fmt::format("{} ({})", name->scalar, round);
  }
  const bool host = of_host(made_action);
  add(std::move(made_action), std::move(made), where, host);
  if (key != "put") return;
  const SetSignal flag{evaluate_set(c_, *optional(value, "signal")), true};
  add(flag, "signal " + to_text(c_.program, flag.set, c_.gpu), where);
}

void CommandReader::add(Action action, std::string name, const config::Location& where, bool host) {
  if (!host && !stream_)
    throw error_at(where, fmt::format("on which stream? say on: {}", fmt::join(keys_of(streams_), " | ")));
  if (commands_.commands.size() == kMostCommands)
    throw error_at(where, fmt::format("more than {} commands on a GPU", kMostCommands));
  commands_.commands.push_back({std::move(name), place_of(where), host ? 0 : *stream_, std::move(action)});
}

Action CommandReader::action(const std::string& key, const Node& value, std::string& name) {
  const auto text = [&](const auto& reference) { return to_text(c_.program, reference, c_.gpu); };
  if (key == "launch") {
    Launch launch = evaluate_launch(c_, loops_, setting_, value);
    name = launch_name(launch);
    return launch;
  }
  if (key == "copy" || key == "put") {
    const Copy made = copy(value, key);
    name = fmt::format("{} {} to {}", key, text(made.from), text(made.to));
    return made;
  }
  if (key == "collective") {
    const Collective made = collective(value);
    name = collective_name(made);
    return made;
  }
  if (key == "signal") {
    const SetSignal made{evaluate_set(c_, value)};
    name = "signal " + text(made.set);
    return made;
  }
  if (key == "wait") {
    const WaitSignal made = wait(value);
    name = "wait " + text(made.wait);
    return made;
  }
  name = key + (value.scalar.empty() ? "" : " " + value.scalar);
  if (key == "sync") return sync(value, name);
  if (key == "host") return host_time(value);
  if (key == "flush") return Flush{};
  if (key == "barrier") return Barrier{barriers_++, value.scalar == "host"};
  const Piece whole = Piece::whole(scalar(value, key));
  name = fmt::format("{} {}", key, full_name(whole));
  if (key == "record") return record(value);
  return wait_event(value);
}

Copy CommandReader::copy(const Node& node, const std::string& key) const {
  const Copy copy{evaluate_view(c_, Piece::whole(needed(node, "from", key))),
                  evaluate_view(c_, Piece::whole(needed(node, "to", key))), key == "put"};
  const auto refuse = [&](const std::string& message) {
    throw error_at(node.where, fmt::format("{}{}: {}", c_.scope.prefix(), key, message));
  };
  if (copy.from.rows != copy.to.rows || copy.from.columns != copy.to.columns)
    refuse(fmt::format("from is {} x {}, to is {} x {}: they must be alike", copy.from.rows,
                       copy.from.columns, copy.to.rows, copy.to.columns));
  if (share_elements(copy.from, copy.to)) refuse("from and to overlap");
  const Array &from = c_.program.arrays[copy.from.array], &to = c_.program.arrays[copy.to.array];
  if (from.type != to.type || from.column_major != to.column_major)
    refuse("from and to must be of one type, and both row-major or both column-major");
  if (copy.put && (copy.from.gpu != c_.gpu || copy.to.gpu == c_.gpu))
    refuse("a card sends from this GPU's memory to another GPU's");
  if (copy.from.gpu != c_.gpu && copy.to.gpu != c_.gpu)
    refuse(fmt::format("from GPU {} to GPU {}; one end must be here: a copy engine pushes or pulls",
                       copy.from.gpu, copy.to.gpu));
  return copy;
}

Collective CommandReader::collective(const Node& node) const {
  Collective made;
  const Piece kind = Piece::whole(needed(node, "kind", "collective"));
  std::vector<std::string> kinds;
  bool known = false;
  for (const auto& [name, value] : names_of(CollectiveKind{})) {
    kinds.emplace_back(name);
    if (name == kind.text) made.kind = value, known = true;
  }
  if (!known) throw error_at(kind, unknown("kind", kind.text, kinds));
  made.in = evaluate_view(c_, Piece::whole(needed(node, "in", "collective")));
  made.out = evaluate_view(c_, Piece::whole(needed(node, "out", "collective")));
  if (const Node* channels = optional(node, "channels"))
    made.channels = narrow<std::uint32_t>(c_.scope.evaluate(Piece::whole(*channels), "channels", 1, 1024));
  if (const Node* protocol = optional(node, "protocol")) {
    const std::string& name = scalar(*protocol, "protocol").scalar;
    if (name != "Simple" && name != "LL")
      throw error_at(protocol->where, unknown("protocol", name, {"Simple", "LL"}));
    made.low_latency = name == "LL";
  }
  const auto refuse = [&](const std::string& message) {
    throw error_at(node.where, fmt::format("{}collective: {}", c_.scope.prefix(), message));
  };
  const std::uint64_t in_parts = made.kind == CollectiveKind::reduce_scatter ? c_.program.gpu_count : 1;
  const std::uint64_t out_parts = made.kind == CollectiveKind::all_gather ? c_.program.gpu_count : 1;
  if (made.in.columns != made.out.columns || made.in.rows * out_parts != made.out.rows * in_parts)
    refuse(fmt::format("in is {} x {}, out is {} x {}: {} has {} times the rows", made.in.rows,
                       made.in.columns, made.out.rows, made.out.columns, in_parts > 1 ? "in" : "out",
                       in_parts * out_parts));
  if (made.kind == CollectiveKind::all_to_all && made.in.rows % c_.program.gpu_count != 0)
    refuse(fmt::format("{} rows are no multiple of {} GPUs", made.in.rows, c_.program.gpu_count));
  if (made.in.gpu != c_.gpu || made.out.gpu != c_.gpu) refuse("in and out must be in this GPU's memory");
  for (const View& view : {made.in, made.out})
    if (const Array& array = c_.program.arrays[view.array];
        array.column_major || view.columns != array.columns)
      refuse(fmt::format("{} are not whole rows of a row-major array", to_text(c_.program, view, c_.gpu)));
  if (c_.program.arrays[made.in.array].type != c_.program.arrays[made.out.array].type)
    refuse("in and out must be of one type");
  return made;
}

WaitSignal CommandReader::wait(const Node& node) const {
  if (node.type != Node::Type::map) return {evaluate_wait(c_, Piece::whole(node)), false};
  const Node* reset = optional(node, "reset");
  return {evaluate_wait(c_, Piece::whole(needed(node, "word", "wait"))), reset && reset->scalar == "true"};
}

std::string CommandReader::full_name(const Piece& piece) const {
  const NameText text = parse_name(piece);
  if (text.index.empty()) return std::string(text.name.text);
  return fmt::format("{}[{}]", text.name.text, c_.scope.evaluate(text.index));
}

std::uint32_t CommandReader::stream(const Piece& piece) const {
  const std::string name = full_name(piece);
  const auto found = streams_.find(name);
  if (found == streams_.end())
    throw error_at(piece, c_.scope.prefix() + unknown("stream", name, keys_of(streams_)));
  return found->second;
}

std::optional<std::uint32_t> CommandReader::event(const std::string& name) const {
  const auto found = events_.find(name);
  return found == events_.end() ? std::nullopt : std::optional(found->second);
}

// A name of a stream, of an event, or a word.
Action CommandReader::sync(const Node& node, std::string& name) const {
  const Piece piece = Piece::whole(node);
  const std::string_view word = piece.text.substr(0, piece.text.find_first_of("[@>= "));
  for (const Signals& signals : c_.program.signals)
    if (signals.name == word) {
      const SyncSignal made{evaluate_wait(c_, piece)};
      name = "sync " + to_text(c_.program, made.wait, c_.gpu);
      return made;
    }
  const std::string full = full_name(piece);
  name = "sync " + full;
  if (const auto found = streams_.find(full); found != streams_.end()) return SyncStream{found->second};
  if (const auto found = event(full)) return SyncEvent{*found};
  std::vector<std::string> known = keys_of(streams_);
  for (const std::string& one : keys_of(events_)) known.push_back(one);
  for (const std::string& one : names_of(c_.program.signals)) known.push_back(one);
  throw error_at(piece, c_.scope.prefix() + unknown("stream, event recorded before, or signal", full, known));
}

Record CommandReader::record(const Node& node) {
  const std::string name = full_name(Piece::whole(node));
  const auto number = narrow<std::uint32_t>(commands_.events.size());
  const std::uint32_t times = ++recordings_[name];
  commands_.events.push_back(times == 1 ? name : fmt::format("{} ({})", name, times));
  events_[name] = number;
  return {number};
}

WaitEvent CommandReader::wait_event(const Node& node) const {
  const Piece piece = Piece::whole(node);
  const std::string name = full_name(piece);
  if (const auto found = event(name)) return {*found};
  throw error_at(
      piece, fmt::format("{}wait-event: the host has recorded no event \"{}\" before; recorded: {}. With "
                         "`commands:` it issues in the order of that list",
                         c_.scope.prefix(), name,
                         events_.empty() ? "none" : fmt::format("{}", fmt::join(keys_of(events_), ", "))));
}

std::string CommandReader::launch_name(const Launch& launch) const {
  return describe(launch.body, [&](const View& view) { return to_text(c_.program, view, c_.gpu); });
}

std::string CommandReader::collective_name(const Collective& made) const {
  return fmt::format("{} {} to {}", t3sim::to_string(made.kind), to_text(c_.program, made.in, c_.gpu),
                     to_text(c_.program, made.out, c_.gpu));
}

}  // namespace t3sim::program
