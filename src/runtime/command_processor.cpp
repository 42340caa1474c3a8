#include "runtime/command_processor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"
#include "machine/config.h"
#include "program/messages.h"
#include "runtime/mirrored.h"

namespace t3sim {

using program::Action;
using program::HostTime;
using program::Launch;
using program::Program;
using program::Record;
using program::SetSignal;
using program::SignalWait;
using program::SyncEvent;
using program::SyncSignal;
using program::SyncStream;
using program::WaitEvent;
using program::WaitSignal;

bool host_carries_out(const Action& action) {
  if (const auto* barrier = std::get_if<program::Barrier>(&action)) return barrier->host;
  return std::holds_alternative<SyncEvent>(action) || std::holds_alternative<SyncStream>(action) ||
         std::holds_alternative<SyncSignal>(action) || std::holds_alternative<HostTime>(action);
}

CommandProcessor::CommandProcessor(const Program& program, const ProgramTables& tables, const Config& config,
                                   Gpu& gpu)
    : program_(program),
      tables_(tables),
      config_(config),
      gpu_(gpu),
      rank_(gpu.spec().rank),
      mirror_(config.gpus.choice == GpuModel::mirror),
      commands_(program.gpus[rank_].commands),
      signals_(program, rank_),
      context_{program, tables, config, signals_, rank_, gpu.values()},
      times_(commands_.size()),
      host_free_(gpu.time().from_ps(gpu.spec().start_delay_ps)),
      streams_(program.gpus[rank_].streams.size()),
      events_(program.gpus[rank_].events.size()),
      order_(program.gpu_count) {}

void CommandProcessor::wake_at(Tick at) {
  gpu_.scheduler().wake(*this, std::max(at, gpu_.scheduler().now() + 1));
}
void CommandProcessor::wake_next() { wake_at(gpu_.scheduler().now() + 1); }
void CommandProcessor::arrived(Tick) { wake_next(); }

void CommandProcessor::wake(Tick now) {
  take_due(now);
  for (bool moved = true; moved;) {
    moved = step_host(now);
    for (std::uint32_t s = 0; s < streams_.size(); ++s) moved |= step_stream(s, now);
  }
}

void CommandProcessor::take_due(Tick now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const Due due = due_.begin()->second;
    due_.erase(due_.begin());
    if (due.kind == Due::Kind::message)
      take(due.message, now);
    else if (due.kind == Due::Kind::setting)
      signals_.set(tables_.settings[due.setting], now);
    else if (due.kind == Due::Kind::copied)
      end_copy(due.setting, now);
    else
      collective_arrived(due.flag, now);
  }
}

// The host issues its next command, or goes past one of its own; false if it has to wait, or is done.
bool CommandProcessor::step_host(Tick now) {
  if (next_ == commands_.size()) return false;
  const auto number = narrow<std::uint32_t>(next_);
  const program::Command& next = commands_[number];
  if (host_free_ > now) {
    wake_at(host_free_);
    return false;
  }
  if (host_carries_out(next.action)) {
    if (times_[number].issued == kNever) times_[number].issued = times_[number].begun = now;
    if (!host_may_pass(next)) return false;
    if (const auto* work = std::get_if<HostTime>(&next.action))
      host_free_ = now + gpu_.time().from_ps(work->ps);
    times_[number].done = std::max(now, host_free_);
    ++next_;
    return true;
  }
  times_[number].issued = now;
  if (!program_.queue_filled) host_free_ = now + gpu_.time().from_ps(config_.commands.issue_ps);
  if (const auto* record = std::get_if<Record>(&next.action)) ++events_[record->event].issued;
  if (const auto* wait = std::get_if<WaitEvent>(&next.action)) awaited_[number] = events_[wait->event].issued;
  streams_[next.stream].queue.push_back(number);
  ++next_;
  return true;
}

bool CommandProcessor::host_may_pass(const program::Command& command) {
  if (const auto* sync = std::get_if<SyncEvent>(&command.action))
    return events_[sync->event].recorded == events_[sync->event].issued;
  if (const auto* sync = std::get_if<SyncStream>(&command.action))
    return streams_[sync->stream].queue.empty();
  if (const auto* sync = std::get_if<SyncSignal>(&command.action)) {
    if (signals_.reached(sync->wait)) return true;
    signals_.watch(sync->wait.word, *this);
    return false;
  }
  if (const auto* barrier = std::get_if<program::Barrier>(&command.action)) {
    if (!barriers_[barrier->number].own) start(0, *barrier, gpu_.scheduler().now());
    return complete(*barrier);
  }
  return true;
}

// The first command of a stream begins or ends; false if nothing has changed.
bool CommandProcessor::step_stream(std::uint32_t s, Tick now) {
  InOrder& stream = streams_[s];
  if (stream.queue.empty()) return false;
  const std::uint32_t number = stream.queue.front();
  if (stream.begun) {
    if (const auto* barrier = std::get_if<program::Barrier>(&commands_[number].action);
        barrier && complete(*barrier))
      finish(number, now);
    if (std::holds_alternative<program::Flush>(commands_[number].action) && quiet(now)) finish(number, now);
    if (times_[number].done == kNever) return false;
    note_work(stream, number);
    stream.queue.pop_front();
    stream.behind_kernel = std::holds_alternative<Launch>(commands_[number].action) && !stream.queue.empty();
    stream.begun = false;
    stream.begins = kNever;
    return true;
  }
  if (!may_begin(number)) return false;
  if (stream.begins == kNever)
    stream.begins = ready_at(stream, commands_[number].action, now) + cost_of(commands_[number].action);
  if (stream.begins > now) {
    wake_at(stream.begins);
    return false;
  }
  stream.begun = true;
  begin(number, now);
  return true;
}

bool CommandProcessor::may_begin(std::uint32_t number) {
  const Action& action = commands_[number].action;
  if (const auto* wait = std::get_if<WaitEvent>(&action))
    return events_[wait->event].recorded >= awaited_[number];
  if (const auto* wait = std::get_if<WaitSignal>(&action)) {
    if (signals_.reached(wait->wait)) return true;
    signals_.watch(wait->wait.word, *this);
    return false;
  }
  if (const auto* copy = std::get_if<program::Copy>(&action))
    return copy->put || engines_busy_ < config_.dma.engines;
  return !std::holds_alternative<program::Flush>(action) || quiet(gpu_.scheduler().now());
}

// Nobody tells when the last request has passed the L2, so it is asked again and again.
bool CommandProcessor::quiet(Tick now) {
  if (gpu_.quiet()) return true;
  wake_at(now + gpu_.core().cycles(100));
  return false;
}

CommandProcessor::Engine CommandProcessor::engine_of(const Action& action) {
  if (const auto* copy = std::get_if<program::Copy>(&action))
    return copy->put ? Engine::none : Engine::copies;
  const bool on_cus = std::holds_alternative<Launch>(action) ||
                      std::holds_alternative<program::Collective>(action) ||
                      std::holds_alternative<program::Barrier>(action);
  return on_cus ? Engine::cus : Engine::none;
}

// What the stream's next command goes on from, after this one.
void CommandProcessor::note_work(InOrder& stream, std::uint32_t number) {
  const Action& action = commands_[number].action;
  if (const Engine engine = engine_of(action); engine != Engine::none)
    stream.last = {engine, times_[number].done};
  if (const auto* record = std::get_if<Record>(&action)) events_[record->event].last = stream.last;
  if (const auto* wait = std::get_if<WaitEvent>(&action);
      wait && events_[wait->event].last.done > stream.last.done)
    stream.last = events_[wait->event].last;
}

// Work of CUs behind a copy, and the reverse, hears of what it waits for later.
Tick CommandProcessor::ready_at(const InOrder& stream, const Action& action, Tick now) const {
  const Engine engine = engine_of(action), last = stream.last.engine;
  if (!config_.commands.change_ps || engine == Engine::none || last == Engine::none || engine == last)
    return now;
  return std::max(now, stream.last.done + gpu_.time().from_ps(*config_.commands.change_ps));
}

Tick CommandProcessor::cost_of(const Action& action) const {
  const CommandsConfig& costs = config_.commands;
  const auto* copy = std::get_if<program::Copy>(&action);
  const auto* set = std::get_if<SetSignal>(&action);
  const std::uint64_t ps = copy  ? (copy->put ? costs.put_ps : costs.copy_ps)
                           : set ? (set->put ? 0 : costs.signal_ps)
                           : std::holds_alternative<program::Barrier>(action) ? costs.barrier_ps
                                                                              : 0;
  if (const auto* collective = std::get_if<program::Collective>(&action)) return launch_of(*collective);
  return gpu_.time().from_ps(ps);
}

Tick CommandProcessor::launch_of(const program::Collective& collective) const {
  const ChannelConfig& channel = config_.execution.channel;
  if (!collective.low_latency) return gpu_.time().from_ps(channel.launch_ps);
  if (channel.low_latency_launch_ps) return gpu_.time().from_ps(*channel.low_latency_launch_ps);
  return gpu_.core().cycles(config_.gpu.kernel_launch_cycles);
}

void CommandProcessor::begin(std::uint32_t number, Tick now) {
  times_[number].begun = now;
  const Action& action = commands_[number].action;
  if (const auto* launch = std::get_if<Launch>(&action)) return start(number, *launch, now);
  if (const auto* copy = std::get_if<program::Copy>(&action)) return start(number, *copy, now);
  if (const auto* collective = std::get_if<program::Collective>(&action))
    return start(number, *collective, now);
  if (const auto* barrier = std::get_if<program::Barrier>(&action)) return start(number, *barrier, now);
  if (std::holds_alternative<program::Flush>(action)) {
    gpu_.flush_l2(now);
    return wake_at(now + gpu_.core().cycles(100));
  }
  if (const auto* set = std::get_if<SetSignal>(&action)) start(number, *set, now);
  if (const auto* wait = std::get_if<WaitSignal>(&action); wait && wait->reset)
    signals_.reset(wait->wait.word);
  if (const auto* record = std::get_if<Record>(&action)) ++events_[record->event].recorded;
  finish(number, now);
}

void CommandProcessor::finish(std::uint32_t number, Tick now) {
  times_[number].done = now;
  wake_next();
}

// Where what the machine refuses stands in the program.
template <class F>
auto CommandProcessor::made_at(std::uint32_t number, F&& make) const {
  try {
    return make();
  } catch (const InputError& e) {
    throw program::error_at(commands_[number].place, fmt::format("{}: {}", commands_[number].name, e.what()));
  }
}

void CommandProcessor::start(std::uint32_t number, const Launch& launch, Tick now) {
  KernelLaunch kernel = made_at(number, [&] { return kernel_of(context_, number, launch); });
  kernel.at = gpu_.core().next(now);
  if (config_.commands.next_kernel_ps && streams_[commands_[number].stream].behind_kernel &&
      !std::holds_alternative<program::GemmBody>(launch.body))
    kernel.launch_cycles = gpu_.time().from_ps(*config_.commands.next_kernel_ps) / gpu_.core().cycles(1);
  kernels_[&gpu_.launch(std::move(kernel))] = number;
}

void CommandProcessor::start(std::uint32_t number, const program::Collective& collective, Tick now) {
  CollectiveLaunch made = made_at(number, [&] { return collective_of(context_, collective); });
  made.kernel.at = gpu_.core().next(now);
  Exchange& running = collectives_[collective.number];
  running.board = made.board;
  for (const auto& [request, at] : std::exchange(running.early, {})) collective_arrived(request, now);
  kernels_[&gpu_.launch(std::move(made.kernel))] = number;
}

void CommandProcessor::start(std::uint32_t number, const program::Copy& copy, Tick now) {
  const std::uint32_t id = tables_.copy_of(rank_, number);
  if (copy.put)
    return gpu_.put(id, narrow<std::uint16_t>(copy.to.gpu), job_of(id).sectors() * kSectorBytes, now);
  ++engines_busy_;
  if (copy.from.gpu == rank_)
    send(id, now);
  else
    tell(copy.from.gpu, News::pull, id, now);
}

// This GPU has the data: an engine reads it.
void CommandProcessor::send(std::uint32_t id, Tick at) { gpu_.parts().copies->start(job_of(id), at); }

void CommandProcessor::put_started(std::uint32_t id, std::uint16_t tag, Tick at) {
  CopyJob job = job_of(id);
  job.tag = tag;
  gpu_.parts().copies->start(job, at);
}

CopyJob CommandProcessor::job_of(std::uint32_t id) const {
  const program::Copy& copy = *tables_.copies[id].what;
  const Extent from = extent_of(program_, copy.from), to = extent_of(program_, copy.to);
  CopyJob job;
  job.gpu = narrow<std::uint16_t>(copy.to.gpu);
  job.mark = Mark{MarkKind::copy, id}.tile();
  job.from = from.address;
  job.from_pitch = from.pitch_bytes;
  job.to = to.address;
  job.to_pitch = to.pitch_bytes;
  job.row_bytes = from.row_bytes;
  job.rows = from.rows;
  return job;
}

void CommandProcessor::start(std::uint32_t number, const SetSignal& set, Tick now) {
  const std::uint32_t setting = tables_.setting_of(rank_, number);
  if (set.set.word.gpu == rank_) {
    signals_.set(set.set, now);
    return;
  }
  Request packet;
  packet.address = address_of(program_, set.set.word);
  packet.sectors = 1;
  packet.tile = Mark{MarkKind::signal, setting}.tile();
  packet.op = Op::write;
  packet.stream = Stream::communication;
  packet.traffic = Traffic::other;
  packet.gpu = narrow<std::uint16_t>(set.set.word.gpu);
  packet.remote = true;
  gpu_.parts().copies->post(packet, now + 1);
}

void CommandProcessor::start(std::uint32_t, const program::Barrier& barrier, Tick now) {
  barriers_[barrier.number].own = true;
  tell_others(News::barrier, barrier.number, now);
  wake_next();
}

bool CommandProcessor::complete(const program::Barrier& barrier) const {
  const auto found = barriers_.find(barrier.number);
  return found != barriers_.end() && found->second.own && found->second.others + 1 == program_.gpu_count;
}

void CommandProcessor::tell_others(News news, std::uint32_t number, Tick now) {
  for (std::uint32_t gpu = 0; gpu < program_.gpu_count; ++gpu)
    if (gpu != rank_) tell(gpu, news, number, now);
}

// With mirror, GPU 0 hears what GPU (gpus - `gpu`) tells GPU 0.
void CommandProcessor::tell(std::uint32_t gpu, News news, std::uint32_t number, Tick now) {
  if (mirror_) {
    if (news == News::pull) number = turned_copy(tables_, number, program_.gpu_count - gpu);
    gpu = 0;
  }
  const Message message{narrow<std::uint16_t>(rank_), narrow<std::uint16_t>(gpu),
                        static_cast<std::uint32_t>(news), number};
  gpu_.outbox().messages.push_back({now + gpu_.time().from_ps(config_.topology.link.latency_ps), message});
}

void CommandProcessor::message(const Message& message, Tick at) {
  Due due;
  due.kind = Due::Kind::message;
  due.message = message;
  due_.emplace(at, due);
  wake_at(at);
}

void CommandProcessor::take(const Message& message, Tick now) {
  switch (static_cast<News>(message.kind)) {
    case News::pull:
      return send(message.number, now);
    case News::barrier:
      ++barriers_[message.number].others;
      return wake_next();
  }
}

void CommandProcessor::kernel_ended(RunningKernel& kernel, Tick now) {
  const auto found = kernels_.find(&kernel);
  const KernelRun& run = *kernel.run;
  times_[found->second].residence = {run.times().front().dispatched, run.times().back().dispatched,
                                     run.setup().share, run.setup().workgroups_per_cu, run.asked_bytes()};
  finish(found->second, now);
  kernels_.erase(found);
}

// A host that does something else, a command whose cost is being paid, news on its way.
bool CommandProcessor::goes_on(Tick now) const {
  if (!due_.empty() || (next_ < commands_.size() && host_free_ >= now)) return true;
  return std::ranges::any_of(
      streams_, [now](const InOrder& s) { return !s.begun && s.begins != kNever && s.begins >= now; });
}

bool CommandProcessor::done() const {
  return next_ == commands_.size() && due_.empty() &&
         std::ranges::all_of(streams_, [](const InOrder& stream) { return stream.queue.empty(); });
}

}  // namespace t3sim
