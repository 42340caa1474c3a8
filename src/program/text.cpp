#include "program/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/load.h"
#include "program/messages.h"

namespace t3sim::program {
namespace {

using config::Node;

bool is_control(std::string_view key) {
  constexpr std::array<std::string_view, 7> kControl = {"for", "let", "if", "do", "else", "on", "name"};
  return std::ranges::find(kControl, key) != kControl.end();
}

void check_nothing(const Node& node, std::string_view what) {
  if (node.type != Node::Type::nothing && !(node.type == Node::Type::scalar && node.scalar.empty()))
    throw error_at(node.where, fmt::format("{}: takes nothing, found {}", what, config::what_is(node)));
}

struct BodySyntax {
  std::string_view name;
  std::array<std::string_view, 9> keys;  // the first `needed` must be there
  std::size_t needed;
};
constexpr BodySyntax kBodies[] = {
    {"gemm", {"a", "b", "c", "accumulate"}, 3},
    {"sum", {"to", "from", "op", "rows", "columns"}, 1},
    {"embedding",
     {"table", "to", "pooling", "indices", "tables", "skew", "seed", "unroll", "thread_bytes"},
     3},
    {"gemv", {"w", "x", "y", "wavefronts", "rows_per_wavefront", "unroll", "registers"}, 3}};

void check_body(const BodySyntax& syntax, const Node& body) {
  if (body.type != Node::Type::map)
    throw error_at(body.where, fmt::format("{}: expected names with values, found {}", syntax.name,
                                           config::what_is(body)));
  for (const config::Entry& entry : body.entries)
    if (entry.key.empty() || std::ranges::find(syntax.keys, entry.key) == syntax.keys.end()) {
      std::vector<std::string> known;
      for (const std::string_view key : syntax.keys)
        if (!key.empty()) known.emplace_back(key);
      throw error_at(entry.where, fmt::format("{}: {}", syntax.name, unknown("key", entry.key, known)));
    }
  for (std::size_t i = 0; i < syntax.needed; ++i)
    scalar(needed(body, syntax.keys[i], syntax.name), syntax.keys[i]);
}

// Keys of a launch that only some bodies have a use for.
void check_keys_of(const BodySyntax& syntax, const Node& launch) {
  const auto refuse = [&](std::initializer_list<std::string_view> keys, std::string_view why) {
    for (const std::string_view key : keys)
      if (const config::Entry* entry = launch.find(key))
        throw error_at(entry->where, fmt::format("{}: {}", key, why));
  };
  if (syntax.name != "gemm")
    refuse({"kernel", "tile", "wavefronts", "buffers", "split_k"}, "is of a gemm only");
  const Node& body = *optional(launch, syntax.name);
  if (syntax.name == "sum" && !body.find("rows") && !body.find("columns"))
    refuse({"require", "order", "wait", "stores", "sets"},
           "is of what is cut into tiles; of a sum that says rows or columns");
  if (syntax.name == "gemm" || syntax.name == "sum")
    refuse({"workgroups", "then"}, "is of embedding and gemv; the kernel of a gemm knows its own");
}

void check_launch(const Node& node) {
  check_keys(
      node, "launch",
      {"gemm", "sum", "embedding", "gemv", "kernel", "tile", "wavefronts", "buffers", "split_k", "require",
       "cus", "workgroups", "workgroups_per_cu", "priority", "order", "wait", "stores", "sets", "then"});
  const BodySyntax* found = nullptr;
  for (const BodySyntax& body : kBodies)
    if (optional(node, body.name)) {
      if (found) throw error_at(node.where, "launch: needs one body; allowed: gemm, sum, embedding, gemv");
      found = &body;
    }
  if (!found) throw error_at(node.where, "launch: needs one body; allowed: gemm, sum, embedding, gemv");
  check_body(*found, *optional(node, found->name));
  check_keys_of(*found, node);
}
void check_copy(const Node& node) {
  check_keys(node, "copy", {"from", "to"});
  for (const char* key : {"from", "to"}) scalar(needed(node, key, "copy"), key);
}
void check_put(const Node& node) {
  check_keys(node, "put", {"from", "to", "signal"});
  for (const char* key : {"from", "to", "signal"}) scalar(needed(node, key, "put"), key);
}
void check_collective(const Node& node) {
  check_keys(node, "collective", {"kind", "in", "out", "channels", "protocol"});
  for (const char* key : {"kind", "in", "out"}) scalar(needed(node, key, "collective"), key);
}
void check_wait(const Node& node) {
  if (node.type != Node::Type::map) {
    scalar(node, "wait");
    return;
  }
  check_keys(node, "wait", {"word", "reset"});
  scalar(needed(node, "word", "wait"), "word");
}
void check_signal(const Node& node) {
  if (node.type != Node::Type::map) {
    scalar(node, "signal");
    return;
  }
  check_keys(node, "signal", {"word", "fence"});
  scalar(needed(node, "word", "signal"), "word");
  check_fence(node, {"true", "false"});
}
void check_barrier(const Node& node) {
  if (node.type == Node::Type::nothing || node.scalar == "host" || node.scalar == "stream") return;
  throw error_at(node.where,
                 fmt::format("barrier: found {}; allowed: nothing, stream, host", config::what_is(node)));
}
void check_scalar(const Node& node) { scalar(node, "command"); }
void check_flush(const Node& node) { check_nothing(node, "flush"); }

struct CommandSyntax {
  std::string_view name;
  void (*check)(const Node& value);
};
constexpr std::array<CommandSyntax, 13> kCommands = {{{"launch", check_launch},
                                                      {"copy", check_copy},
                                                      {"put", check_put},
                                                      {"collective", check_collective},
                                                      {"signal", check_signal},
                                                      {"wait", check_wait},
                                                      {"record", check_scalar},
                                                      {"wait-event", check_scalar},
                                                      {"sync", check_scalar},
                                                      {"host", check_scalar},
                                                      {"barrier", check_barrier},
                                                      {"flush", check_flush},
                                                      {"repeat", check_scalar}}};

const CommandSyntax* command_named(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, &CommandSyntax::name);
  return found == kCommands.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_command(const config::Location& where, std::string_view word) {
  std::vector<std::string> names;
  for (const CommandSyntax& command : kCommands) names.emplace_back(command.name);
  for (const char* key : {"for", "let", "if", "do", "else", "on", "name"}) names.emplace_back(key);
  throw error_at(where, unknown("command", word, names));
}

void check_commands(const Node& node);

void check_control(const Node& item) {
  if (const Node* loop = optional(item, "for"); loop && loop->type != Node::Type::map)
    throw error_at(loop->where,
                   fmt::format("for: expected {{NAME: FIRST .. LAST}}, found {}", config::what_is(*loop)));
  if (const Node* names = optional(item, "let"); names && names->type != Node::Type::map)
    throw error_at(names->where,
                   fmt::format("let: expected {{NAME: VALUE}}, found {}", config::what_is(*names)));
  if (const config::Entry* other = item.find("else"); other && !item.find("if"))
    throw error_at(other->where, "else: there is no if beside it");
  for (const char* key : {"do", "else"})
    if (const Node* body = optional(item, key)) check_commands(*body);
}

// One item of a list of commands: what it does, and around it for, let, if, on.
void check_item(const Node& item) {
  if (item.type == Node::Type::scalar && (item.scalar == "barrier" || item.scalar == "flush")) return;
  if (item.type == Node::Type::scalar) refuse_command(item.where, item.scalar);
  if (item.type != Node::Type::map)
    throw error_at(item.where, fmt::format("expected a command, found {}", config::what_is(item)));
  check_control(item);
  const config::Entry* body = nullptr;
  for (const config::Entry& entry : item.entries) {
    if (is_control(entry.key) && entry.key != "do") continue;
    const CommandSyntax* command = command_named(entry.key);
    if (!command && entry.key != "do") refuse_command(entry.where, entry.key);
    if (entry.key == "repeat") continue;
    if (body)
      throw error_at(entry.where, fmt::format("\"{}\": there is \"{}\" already; one command an item",
                                              entry.key, body->key));
    body = &entry;
    if (command) command->check(entry.value);
  }
  if (!body) throw error_at(item.where, "says no command and no \"do\"");
}

void check_commands(const Node& node) {
  if (node.type != Node::Type::list) return check_item(node);
  for (const Node& item : node.items) check_item(item);
}

void check_declarations(const Node& root) {
  for (const char* key : {"parameters", "let", "arrays", "signals", "promises", "sampled", "tune"})
    if (const Node* node = optional(root, key); node && node->type != Node::Type::map)
      throw error_at(node->where,
                     fmt::format("{}: expected names with values, found {}", key, config::what_is(*node)));
  for (const config::Entry& array : needed(root, "arrays", "program").entries) {
    check_keys(array.value, "array",
               {"rows", "columns", "type", "on", "copies", "column_major", "contents", "given"});
    for (const char* key : {"rows", "columns"}) scalar(needed(array.value, key, "array"), key);
  }
  if (const Node* signals = optional(root, "signals"))
    for (const config::Entry& entry : signals->entries)
      if (entry.value.type == Node::Type::map) check_keys(entry.value, "signal", {"count", "value"});
}

void check_streams(const Node& root) {
  const Node& streams = needed(root, "streams", "program");
  const Node* commands = optional(root, "commands");
  if (streams.type == Node::Type::map) {
    if (commands)
      throw error_at(commands->where,
                     "commands: the streams have their commands already; name the streams in a list");
    for (const config::Entry& stream : streams.entries) check_commands(stream.value);
    return;
  }
  if (streams.type != Node::Type::list)
    throw error_at(streams.where, "streams: expected streams with their commands, or a list of names");
  for (const Node& name : streams.items) scalar(name, "streams");
  check_commands(needed(root, "commands", "program"));
}

}  // namespace

void check_fence(const Node& node, const std::vector<std::string>& allowed) {
  const Node* fence = node.type == Node::Type::map ? optional(node, "fence") : nullptr;
  if (fence && std::ranges::find(allowed, scalar(*fence, "fence").scalar) == allowed.end())
    throw error_at(fence->where, unknown("fence", fence->scalar, allowed));
}

ProgramText read_text(const std::string& text, const std::string& origin) {
  ProgramText program;
  program.origin = origin;
  program.root = config::parse_yaml(text, origin);
  const Node& root = program.root;
  if (root.type == Node::Type::nothing) throw InputError(origin + ": the file is empty; expected a program");
  check_keys(root, "program",
             {"name", "doc", "gpus", "require", "parameters", "let", "arrays", "signals", "streams",
              "commands", "queue", "promises", "sampled", "tune"});
  program.name = scalar(needed(root, "name", "program"), "name").scalar;
  if (const Node* doc = optional(root, "doc")) program.doc = doc->scalar;
  if (const Node* queue = optional(root, "queue");
      queue && queue->scalar != "filled" && queue->scalar != "live")
    throw error_at(queue->where,
                   fmt::format("queue: found {}; allowed: live, filled", config::what_is(*queue)));
  check_declarations(root);
  check_streams(root);
  return program;
}

}  // namespace t3sim::program
