#include "tune/endpoint.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "message/plan.h"
#include "message/protocol.h"
#include "run/messages.h"
#include "tune/cycle_runs.h"

namespace t3sim::tune {
namespace {

using message::Arrays;
using message::ProtocolName;

// Passes. The difference is of many, so that a refresh of the memory, which holds some windows of loads up and not others,
// has its share and no more: single slices of 1 MiB take from 23.0 to 27.6 us on an H200.
constexpr std::uint32_t kFew = 2, kMost = 14;
// Channels that send at a time, for what they cost each other; an all-to-all of NCCL's has up to as many to a peer.
constexpr std::uint32_t kLanes = 16;
constexpr std::uint64_t kWord = 128;

// Two GPUs that do the same, so one stands for both: what it sends comes back to it.
class Bench {
 public:
  Bench(const Config& machine, ProtocolName protocol)
      : config_(with_protocol(channel_machine(machine, 2, true), protocol)),
        protocol_(message::protocol(protocol, machine.execution.channel.buffer_bytes)) {
    config_.topology.kind = TopologyKind::fully_connected;
    config_.topology.own_bandwidth_Bps.clear();
    config_.topology.link.bandwidth_Bps = 20'000 * config::kGB;
    config_.topology.link.buffer_bytes = LinkConfig::kAutomaticBuffer;
    config_.topology.link.store_queue = 65536;
  }

  // What is loaded a second time is in the L2, and is waited for before anything is made of it.
  std::uint64_t pass_ps(std::uint32_t pass, std::uint64_t bytes, Arrays arrays = Arrays::cold) const {
    const bool again = (pass & 2) != 0 && protocol_.loads_twice;
    return once_ps(pass, bytes, arrays) + (again ? once_ps(kLoad, bytes, Arrays::warm) : 0);
  }
  // Between two passes that hand a slice on: what is neither the pass nor the link's latency. Without barriers and
  // flags, whose times the machine says.
  std::uint64_t deliver_ps(std::uint32_t pass_on, std::uint64_t bytes) const {
    const double us = run_us(handed_on(bytes, kMost)) - run_us(handed_on(bytes, kFew));
    const std::uint64_t step = to_ps(us / (kMost - kFew));
    const std::uint64_t known = pass_ps(pass_on, bytes) + config_.topology.link.latency_ps;
    return step > known ? step - known : 0;
  }
  // Of a slice that is sent from memory by some channels and goes through such a pass in as many others, `lanes` of both that
  // load: once the L2 is full. Of both the slower, which is the pass if it loads.
  std::uint64_t full_ps(std::uint32_t pass, std::uint64_t bytes, std::uint32_t lanes) const {
    const std::uint32_t pairs = (pass & 1) != 0 ? std::max(lanes / 2, 1U) : lanes;
    const double us =
        run_us(exchange(pass, bytes, 3 * kMost, pairs)) - run_us(exchange(pass, bytes, kMost, pairs));
    return to_ps(us / (2 * kMost));
  }
  // What a run takes beside its passes.
  std::uint64_t start_ps(std::uint32_t copy, std::uint64_t bytes) const {
    const std::uint64_t whole = to_ps(run_us(passes(copy, bytes, kFew)));
    const std::uint64_t moved = kFew * pass_ps(copy, bytes);
    return whole > moved ? whole - moved : 0;
  }

 private:
  static constexpr std::uint32_t kLoad = 1;

  static std::uint64_t to_ps(double us) {
    return static_cast<std::uint64_t>(std::llround(std::max(us, 0.0) * 1e6));
  }
  double run_us(ChannelPlan plan) const { return run_channels(config_, {std::move(plan)}).us; }
  std::uint64_t once_ps(std::uint32_t pass, std::uint64_t bytes, Arrays arrays) const {
    const double us = run_us(passes(pass, bytes, kMost, arrays)) - run_us(passes(pass, bytes, kFew, arrays));
    return to_ps(us / (kMost - kFew));
  }

  ChannelPlan empty(std::uint64_t bytes) const {
    ChannelPlan plan;
    plan.slots = kMost + 2;
    plan.slot_bytes = bytes;
    plan.array_bytes = bytes * (kMost + 2);
    return plan;
  }
  static ChannelPass pass_of(std::uint32_t pass, std::uint64_t bytes) {
    ChannelPass p;
    p.bytes = narrow<std::uint32_t>(bytes);
    p.loads_own = (pass & 1) != 0;
    p.stores_own = (pass & 4) != 0;
    return p;
  }
  // A slice that another block sends, or receives.
  static std::uint32_t add_way(ChannelPlan& plan) {
    plan.connections.push_back({1, 1, 1});
    return narrow<std::uint32_t>(plan.connections.size() - 1);
  }

  // Warm: all passes load the same, which is in the L2 after the first one.
  // One block with so many passes; what they receive is sent by others, a block a slice, and what they send is received by
  // others.
  ChannelPlan passes(std::uint32_t pass, std::uint64_t payload, std::uint32_t count,
                     Arrays arrays = Arrays::cold) const {
    const std::uint64_t bytes = protocol_.wire_bytes(payload);
    ChannelPlan plan = empty(bytes);
    std::vector<ChannelPass> subject;
    for (std::uint32_t i = 0; i < count; ++i) {
      ChannelPass p = pass_of(pass, bytes);
      p.result = i * bytes;
      p.operand = arrays == Arrays::warm ? 0 : p.result;
      if ((pass & 2) != 0) {
        p.receives = add_way(plan);
        ChannelPass other = pass_of(1, bytes);
        other.sends = p.receives;
        plan.blocks.push_back({other});
      }
      if ((pass & 8) != 0) {
        p.sends = add_way(plan);
        ChannelPass other = pass_of(4, bytes);
        other.receives = p.sends;
        plan.blocks.push_back({other});
      }
      subject.push_back(p);
    }
    plan.blocks.push_back(std::move(subject));
    plan.channels = narrow<std::uint32_t>(plan.blocks.size());
    return plan;
  }

  // Channels that send so many slices each, when others have copied as much as the L2 holds. These are as many and do the
  // same whatever the count, so the difference between two counts is that of the passes.
  ChannelPlan exchange(std::uint32_t pass, std::uint64_t bytes, std::uint32_t count,
                       std::uint32_t lanes) const {
    ChannelPlan plan = empty(bytes);
    plan.slots = protocol_.slots;
    plan.array_bytes = std::uint64_t{lanes} * count * bytes;
    std::vector<std::vector<ChannelPass>> senders(lanes);
    for (std::uint32_t i = 0; i < kMost; ++i) add_copier(plan, senders, bytes);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t way = add_way(plan);
      plan.connections.back().slices = count;
      std::vector<ChannelPass> receiver;
      for (std::uint32_t i = 0; i < count; ++i) {
        ChannelPass out = pass_of(9, bytes), in = pass_of(pass, bytes);
        out.operand = in.operand = in.result = (std::uint64_t{lane} * count + i) * bytes;
        out.sends = in.receives = way;
        out.sent = in.received = i;
        senders[lane].push_back(out);
        receiver.push_back(in);
      }
      plan.blocks.push_back(std::move(senders[lane]));
      plan.blocks.push_back(std::move(receiver));
    }
    plan.channels = narrow<std::uint32_t>(plan.blocks.size());
    return plan;
  }
  // Copies a part of what the L2 holds, then says so to each of the senders, who wait for it.
  void add_copier(ChannelPlan& plan, std::vector<std::vector<ChannelPass>>& senders,
                  std::uint64_t bytes) const {
    std::vector<ChannelPass> copier;
    for (std::uint64_t done = 0; done < config_.l2.size_bytes; done += kMost * bytes) {
      copier.push_back(pass_of(5, bytes));
      copier.back().operand = copier.back().result = plan.array_bytes;
      plan.array_bytes += bytes;
    }
    for (std::vector<ChannelPass>& sender : senders) {
      ChannelPass word = pass_of(1, kWord), wait = pass_of(4, kWord);
      word.sends = wait.receives = add_way(plan);
      copier.push_back(word);
      sender.push_back(wait);
    }
    plan.blocks.push_back(std::move(copier));
  }

  // A slice that goes there and back, `hops` times.
  ChannelPlan handed_on(std::uint64_t payload, std::uint32_t hops) const {
    const std::uint64_t bytes = protocol_.wire_bytes(payload);
    ChannelPlan plan = empty(bytes);
    plan.channels = 1;
    plan.blocks.resize(1);
    for (std::uint32_t i = 0; i <= hops; ++i) {
      ChannelPass p = pass_of(i == 0 ? 1 : 4, bytes);
      if (i > 0) p.receives = i - 1;
      if (i < hops) p.sends = add_way(plan);
      plan.blocks[0].push_back(p);
    }
    return plan;
  }

  Config config_;
  message::Protocol protocol_;
};

// `cold`: a pass that loads nothing of its own takes as long as there.
message::PassTimes times_of(const Bench& bench, const std::vector<std::uint64_t>& sizes, Arrays arrays,
                            const message::PassTimes* cold = nullptr) {
  message::PassTimes times;
  for (const message::PassName& name : message::pass_names()) {
    if (cold != nullptr && (name.pass & 1) == 0) {
      times.*name.times = cold->*name.times;
      continue;
    }
    for (const std::uint64_t bytes : sizes) {
      std::uint64_t ps = bench.pass_ps(name.pass, bytes, arrays);
      auto& all = times.*name.times;
      if (!all.empty()) ps = std::max(ps, all.back());
      all.push_back(ps);
    }
  }
  return times;
}

// As many of the sizes as a protocol's slices need: the last one is as long as the longest slice, or longer.
std::vector<std::uint64_t> sizes_of(const message::Protocol& protocol,
                                    const std::vector<std::uint64_t>& sizes) {
  const auto last = std::lower_bound(sizes.begin(), sizes.end(), protocol.slice_bytes);
  return {sizes.begin(), last == sizes.end() ? last : last + 1};
}

message::PassTimes& times_for(message::ProtocolTimes& all, ProtocolName protocol) {
  return protocol == ProtocolName::simple ? all.simple : protocol == ProtocolName::ll ? all.ll : all.ll128;
}

// Of slices of an eighth of the FIFO, as those of sends.
message::FullL2 full_l2(const Config& machine) {
  constexpr std::uint32_t kSend = 9, kReceive = 6, kReduce = 7;
  const message::Protocol protocol = message::protocol(
      ProtocolName::simple, machine.execution.channel.buffer_bytes, message::Kind::send_receive);
  const Bench bench(machine, ProtocolName::simple);
  const std::uint64_t bytes = protocol.slice_bytes;
  const message::FullL2Times send{bench.pass_ps(kSend, bytes), bench.full_ps(kReceive, bytes, 1),
                                  bench.full_ps(kReceive, bytes, kLanes)};
  // Behind a sender that takes longer than the pass, the pass waits for it whether the L2 is full or not.
  const message::FullL2Times reduce{std::max(send.empty_ps, bench.pass_ps(kReduce, bytes)),
                                    bench.full_ps(kReduce, bytes, 1), bench.full_ps(kReduce, bytes, kLanes)};
  return {bytes, kLanes, send, reduce};
}

}  // namespace

message::EndpointConfig endpoint(const Config& machine, const TuneScope& scope) {
  constexpr std::uint32_t kPassOn = 14, kCopy = 5;
  message::EndpointConfig e;
  e.machine = machine_hash(machine);
  e.sizes = scope.sizes;
  for (const ProtocolName protocol : scope.protocols) {
    const Bench bench(machine, protocol);
    const auto sizes = sizes_of(message::protocol(protocol, machine.execution.channel.buffer_bytes), e.sizes);
    const message::PassTimes cold = times_of(bench, sizes, Arrays::cold);
    times_for(e.cold, protocol) = cold;
    times_for(e.warm, protocol) = scope.warm ? times_of(bench, sizes, Arrays::warm, &cold) : cold;
  }
  if (scope.full) e.full = full_l2(machine);
  Config unsynchronised = machine;
  unsynchronised.execution.channel.slice_sync_ps = unsynchronised.execution.channel.flag_latency_ps = 0;
  e.deliver_ps = e.give_back_ps =
      Bench(unsynchronised, ProtocolName::simple).deliver_ps(kPassOn, e.sizes.front());
  e.launch_ps = machine.execution.channel.launch_ps +
                Bench(machine, ProtocolName::simple).start_ps(kCopy, e.sizes.front());
  return e;
}

}  // namespace t3sim::tune
