#include "plan/channel_plan.h"

#include <algorithm>
#include <bit>

#include "sim/line.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kFifoSteps = 8;   // a FIFO is divided into
constexpr std::uint32_t kSliceSteps = 2;  // of a ring's slice
constexpr std::uint32_t kChunkSlices = 2;
constexpr std::uint32_t kWorksAtOnce = 8;      // parts that a block sends and receives at the same time
constexpr std::uint64_t kSmallestSlice = 512;  // bytes: a chunk is divided no further

std::uint64_t whole_lines(std::uint64_t bytes) { return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes; }

// The part of [0, bytes) that is the `i`-th of `n`, in whole lines.
struct Part {
  std::uint64_t from, to;
  std::uint64_t bytes() const { return to - from; }
};
Part part_of(std::uint64_t bytes, std::uint32_t i, std::uint32_t n) {
  const std::uint64_t share = whole_lines((bytes + n - 1) / n);
  return {std::min(bytes, i * share), std::min(bytes, (i + 1) * share)};
}

// Which of the pieces of `largest` bytes, one behind the other, are taken.
class Loops {
 public:
  Loops(std::uint64_t share, std::uint64_t largest, std::uint64_t first)
      : share_(share), largest_(largest), whole_(share / largest), first_(first) {}

  template <class Piece>
  void each(Piece&& piece) const {
    for (std::uint64_t i = 0, from = 0; from < share_; ++i, from += largest_)
      if (i < first_ || i >= whole_) piece(from, std::min(largest_, share_ - from));
  }

 private:
  std::uint64_t share_, largest_, whole_, first_;
};

std::uint64_t ring_chunk(const ChannelSettings& settings) {
  return settings.fifo_bytes / kFifoSteps * kSliceSteps * kChunkSlices;
}
std::uint64_t all_to_all_step(const ChannelSettings& settings) { return settings.fifo_bytes / kFifoSteps; }

// What a GPU does with a chunk that is `hops` GPUs away from the one that it began with.
struct RingStep {
  std::uint32_t chunk;
  bool receives, sends, loads_own, stores_own;
};

std::vector<RingStep> ring_steps(ChannelOp op, std::uint32_t rank, std::uint32_t gpus, std::uint32_t stride) {
  std::vector<RingStep> steps;
  const auto chunk = [&](std::uint32_t hops) { return (rank + (gpus - hops) * stride) % gpus; };
  const bool gathers = op != ChannelOp::reduce_scatter;
  if (op != ChannelOp::all_gather) {
    for (std::uint32_t s = 0; s + 1 < gpus; ++s) steps.push_back({chunk(s + 1), s > 0, true, true, false});
    steps.push_back({chunk(0), true, gathers, true, true});
  } else {
    steps.push_back({chunk(0), false, true, true, true});
  }
  if (!gathers) return steps;
  for (std::uint32_t s = 1; s + 1 < gpus; ++s) steps.push_back({chunk(s), true, true, false, true});
  steps.push_back({chunk(gpus - 1), true, false, false, true});
  return steps;
}

class RingBlock {
 public:
  RingBlock(ChannelPlan& plan, std::uint32_t connection) : plan_(plan), connection_(connection) {}

  // The piece of every chunk that lies `offset` bytes into it.
  void piece(const std::vector<RingStep>& steps, std::uint64_t chunk_bytes, std::uint64_t offset,
             std::uint64_t bytes) {
    const auto slices = std::clamp<std::uint64_t>(bytes / kSmallestSlice, 1, kChunkSlices);
    for (const RingStep& step : steps)
      for (std::uint32_t i = 0; i < slices; ++i) {
        const Part part = part_of(bytes, i, static_cast<std::uint32_t>(slices));
        if (part.bytes() != 0) pass(step, step.chunk * chunk_bytes + offset + part.from, part.bytes());
      }
  }
  void done() { plan_.connections[connection_].slices = sent_; }

 private:
  void pass(const RingStep& step, std::uint64_t at, std::uint64_t bytes) {
    ChannelPass p;
    p.operand = p.result = at;
    p.bytes = static_cast<std::uint32_t>(bytes);
    p.loads_own = step.loads_own;
    p.stores_own = step.stores_own;
    if (step.receives) p.receives = connection_, p.received = received_++;
    if (step.sends) p.sends = connection_, p.sent = sent_++;
    plan_.slot_bytes = std::max(plan_.slot_bytes, bytes);
    plan_.blocks[connection_].push_back(p);
  }

  ChannelPlan& plan_;
  std::uint32_t connection_;
  std::uint32_t sent_ = 0, received_ = 0;
};

// Channels over which one peer's data is spread: as many as all peers can have alike, and more while a part
// would be longer than 32 steps of the FIFO.
std::uint32_t channels_a_peer(std::uint32_t gpus, std::uint64_t bytes, const ChannelSettings& settings,
                              std::uint32_t channels) {
  std::uint32_t each = channels;
  while (each > 1 && each * gpus > channels) each /= 2;
  const std::uint64_t longest = 32 * settings.fifo_bytes / kFifoSteps;
  while (bytes / each > longest && each <= channels / 2) each *= 2;
  return each;
}

// A part of an all-to-all: where it is in this GPU's array, and where what comes in its place goes.
struct Exchange {
  std::uint64_t out, in, bytes;
};
// The two groups of warps that work on a part.
struct Workers {
  std::uint32_t sender, receiver;
};

ChannelPass slice_of(const Exchange& part, std::uint64_t from, std::uint64_t bytes) {
  ChannelPass p;
  p.bytes = static_cast<std::uint32_t>(bytes);
  p.operand = part.out + from;
  p.result = part.in + from;
  return p;
}

void send_and_receive(ChannelPlan& plan, const Workers& workers, std::uint32_t connection,
                      const Exchange& part, const Loops& loops) {
  loops.each([&](std::uint64_t from, std::uint64_t bytes) {
    ChannelPass s = slice_of(part, from, bytes), r = s;
    plan.slot_bytes = std::max<std::uint64_t>(plan.slot_bytes, s.bytes);
    s.loads_own = true;
    s.sends = connection;
    s.sent = plan.connections[connection].slices;
    plan.blocks[workers.sender].push_back(s);
    r.stores_own = true;
    r.receives = connection;
    r.received = plan.connections[connection].slices++;
    plan.blocks[workers.receiver].push_back(r);
  });
}

// The part that stays is copied, half by each.
void copy(ChannelPlan& plan, const Workers& workers, const Exchange& part, const Loops& loops) {
  loops.each([&](std::uint64_t from, std::uint64_t bytes) {
    for (std::uint32_t half = 0; half < 2; ++half) {
      ChannelPass p = slice_of(part, from, bytes);
      const Part mine = part_of(p.bytes, half, 2);
      if (mine.bytes() == 0) continue;
      p.operand += mine.from;
      p.result += mine.from;
      p.bytes = static_cast<std::uint32_t>(mine.bytes());
      p.loads_own = p.stores_own = true;
      plan.blocks[half == 0 ? workers.sender : workers.receiver].push_back(p);
    }
  });
}

// Parts are dealt to the channels in turn. A channel works on several at once, each by warps of its own.
class Dealt {
 public:
  Dealt(std::uint32_t parts, std::uint32_t channels) : parts_(parts), channels_(channels) {}
  std::uint32_t blocks() const { return 2 * std::min(parts_, kWorksAtOnce * channels_); }
  Workers of(std::uint32_t part) const {
    const std::uint32_t round = part / channels_ % kWorksAtOnce;
    const std::uint32_t in_round = std::min(channels_, parts_ - round * channels_);
    const std::uint32_t first = 2 * round * channels_ + part % channels_;
    return {first, first + in_round};
  }

 private:
  std::uint32_t parts_, channels_;
};

}  // namespace

std::uint32_t ChannelPlan::longest() const {
  std::uint32_t most = 1;
  for (const ChannelConnection& c : connections) most = std::max(most, c.slices);
  return most;
}

ChannelPlan ring_channels(ChannelOp op, std::uint32_t rank, std::uint32_t gpus, std::uint64_t bytes,
                          const ChannelSettings& settings) {
  ChannelPlan plan;
  plan.channels = settings.channels;
  plan.slots = kFifoSteps / kSliceSteps;
  plan.array_bytes = bytes;
  plan.blocks.resize(plan.channels);
  const std::uint64_t chunk = whole_lines((bytes + gpus - 1) / gpus);
  for (std::uint32_t c = 0; c < plan.channels; ++c) {
    const std::uint32_t stride = settings.strides[c % settings.strides.size()];
    plan.connections.push_back({static_cast<std::uint16_t>((rank + stride) % gpus),
                                static_cast<std::uint16_t>((rank + gpus - stride) % gpus), 0});
    const std::vector<RingStep> steps = ring_steps(op, rank, gpus, stride);
    const Part own = part_of(chunk, c, plan.channels);
    RingBlock block(plan, c);
    Loops(own.bytes(), ring_chunk(settings), settings.first_loops)
        .each([&](std::uint64_t from, std::uint64_t piece) {
          block.piece(steps, chunk, own.from + from, piece);
        });
    block.done();
  }
  return plan;
}

ChannelPlan all_to_all_channels(std::uint32_t rank, std::uint32_t gpus, std::uint64_t bytes,
                                const ChannelSettings& settings) {
  ChannelPlan plan;
  const std::uint32_t channels = std::bit_ceil(settings.channels);
  const std::uint64_t for_peer = whole_lines((bytes + gpus - 1) / gpus);
  const std::uint32_t each = channels_a_peer(gpus, for_peer, settings, channels);
  plan.channels = std::min(channels, gpus * each);
  plan.slots = kFifoSteps;
  plan.array_bytes = bytes;
  const Dealt dealt(gpus * each, plan.channels);
  plan.blocks.resize(dealt.blocks());
  for (std::uint32_t i = 0; i < gpus * each; ++i) {
    const std::uint32_t distance = i / each;
    const auto to = static_cast<std::uint16_t>((rank + distance) % gpus);
    const auto from = static_cast<std::uint16_t>((rank + gpus - distance) % gpus);
    const Part part = part_of(for_peer, i % each, each);
    const Exchange exchange{to * for_peer + part.from, from * for_peer + part.from, part.bytes()};
    const Loops loops(exchange.bytes, all_to_all_step(settings), settings.first_loops);
    if (distance == 0) {
      copy(plan, dealt.of(i), exchange, loops);
      continue;
    }
    plan.connections.push_back({to, from, 0});
    send_and_receive(plan, dealt.of(i), static_cast<std::uint32_t>(plan.connections.size() - 1), exchange,
                     loops);
  }
  return plan;
}

std::uint64_t loops_of(ChannelOp op, std::uint32_t gpus, std::uint64_t bytes,
                       const ChannelSettings& settings) {
  const std::uint64_t part = whole_lines((bytes + gpus - 1) / gpus);
  if (op != ChannelOp::all_to_all) return part_of(part, 0, settings.channels).bytes() / ring_chunk(settings);
  const std::uint32_t each = channels_a_peer(gpus, part, settings, std::bit_ceil(settings.channels));
  return part_of(part, 0, each).bytes() / all_to_all_step(settings);
}

}  // namespace t3sim
