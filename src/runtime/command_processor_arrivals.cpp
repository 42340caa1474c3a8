// What comes from other GPUs and is stored here: words of signals, bytes of copies, flags of collectives; and how far a command has come.
#include <algorithm>

#include "base/number.h"
#include "machine/config.h"
#include "runtime/command_processor.h"

namespace t3sim {

void CommandProcessor::delivered(Request& request) { request.token = order_[request.source].number(); }

void CommandProcessor::stored(const Request& request, Tick now) {
  const Mark mark = Mark::of(request.tile);
  if (!request.remote) {
    if (mark.kind == MarkKind::signal) set(mark.number, now);
    return;
  }
  ArrivalOrder& order = order_[request.source];
  if (mark.kind == MarkKind::signal) {
    if (tables_.settings[mark.number].fence)
      order.signal(request.token, mark.number);
    else
      set(mark.number, now);
  }
  order.stored(request.token);
  order.for_each_seen([&](std::uint32_t setting) { set(setting, now); });
  const auto sectors = narrow<std::uint32_t>(sector_count(request.sectors));
  if (mark.kind == MarkKind::copy) copy_arrived(mark.number, sectors, now);
  if (mark.kind != MarkKind::collective) return;
  const ChannelConfig& library = config_.execution.channel;
  const bool own_news = tables_.low_latency[mark.number >> CollectiveMark::kNumberBits];
  const std::uint64_t way_ps = std::min(library.flag_latency_ps, config_.topology.link.latency_ps);
  const Tick at = now + gpu_.time().from_ps(own_news ? 0 : library.flag_latency_ps - way_ps);
  Due due;
  due.kind = Due::Kind::flag;
  due.flag = request;
  due_.emplace(at, due);
  wake_at(at);
}

void CommandProcessor::set(std::uint32_t setting, Tick now) {
  Due due;
  due.kind = Due::Kind::setting;
  due.setting = setting;
  // A kernel that polls a kernel's word reads it again: a load of its own.
  const bool by_kernel = tables_.set_by_kernel[setting];
  const Tick at = now + gpu_.time().from_ps(by_kernel ? 0 : config_.commands.poll_ps);
  due_.emplace(at, due);
  wake_at(at);
}

// What a pull gets, it has asked for, packet by packet, over the way back.
void CommandProcessor::asked_for(std::uint16_t gpu, std::uint32_t sectors, Tick now) {
  const LinkConfig& link = config_.topology.link;
  if (!link.pull_request_bytes) return;
  asked_bytes_ += std::uint64_t{sectors} * kSectorBytes * *link.pull_request_bytes;
  gpu_.parts().egress->send_along(gpu, asked_bytes_ / link.bulk_packet_bytes, now);
  asked_bytes_ %= link.bulk_packet_bytes;
}

void CommandProcessor::copy_arrived(std::uint32_t number, std::uint32_t sectors, Tick now) {
  const ProgramTables::Copy& copy = tables_.copies[number];
  if (copy.pulls()) asked_for(narrow<std::uint16_t>(copy.what->from.gpu), sectors, now);
  const auto [missing, fresh] = missing_.try_emplace(number, 0);
  if (fresh) missing->second = job_of(number).sectors();
  missing->second -= sectors;
  if (missing->second != 0) return;
  missing_.erase(missing);
  if (copy.pulls()) end_copy(number, now);
}

// A push is over when its last packet has had the time to arrive: nobody acknowledges it.
void CommandProcessor::copy_sent(std::uint32_t mark, Tick now) {
  const std::uint32_t number = Mark::of(mark).number;
  if (tables_.copies[number].gpu != rank_) return;
  Due due;
  due.kind = Due::Kind::copied;
  due.setting = number;
  const Tick at = now + gpu_.time().from_ps(config_.topology.link.latency_ps);
  due_.emplace(at, due);
  wake_at(at);
}

void CommandProcessor::end_copy(std::uint32_t number, Tick now) {
  if (!tables_.copies[number].what->put) --engines_busy_;
  finish(tables_.copies[number].command, now);
}

void CommandProcessor::collective_arrived(const Request& request, Tick now) {
  const CollectiveMark mark = CollectiveMark::of(Mark::of(request.tile).number);
  Exchange& collective = collectives_[mark.collective];
  if (!collective.board) {
    collective.early.emplace_back(request, now);
    return;
  }
  collective.board->count(request.announces, mark.number,
                          narrow<std::uint32_t>(sector_count(request.sectors)), now);
}

std::uint64_t CommandProcessor::moved_bytes(std::uint32_t number) const {
  for (const auto& [kernel, command] : kernels_)
    if (command == number) return kernel->run->asked_bytes();
  if (!std::holds_alternative<program::Copy>(commands_[number].action))
    return times_[number].residence.asked_bytes;
  const std::uint32_t id = tables_.copy_of(rank_, number);
  const std::uint64_t sectors = job_of(id).sectors();
  const auto missing = missing_.find(id);
  const bool begun_here = missing != missing_.end();
  const std::uint64_t left = begun_here ? missing->second : times_[number].done == kNever ? sectors : 0;
  return (sectors - left) * kSectorBytes;
}

}  // namespace t3sim
