#include "validation/measured/estimate/channel_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace t3sim {
namespace {

constexpr std::uint32_t kFifoSteps = 8;       // a FIFO is divided into
constexpr std::uint32_t kRingSliceSteps = 2;  // of the FIFO in a slice of a ring
constexpr std::uint32_t kRingChunkSlices =
    2;  // slices that a ring goes on with before it waits for a neighbour
constexpr std::uint64_t kSmallestSlice = 512;  // bytes: a chunk is divided no further

// What a pass does with each byte of a slice.
struct Pass {
  unsigned local_stores, remote_stores;
  bool receives;  // waits for the neighbour's slice, and gives the room in the FIFO back
  bool sends() const { return remote_stores > 0; }
};

constexpr Pass kSend{0, 1, false};
constexpr Pass kCopySend{1, 1, false};
constexpr Pass kReceiveReduceSend{0, 1, true};
constexpr Pass kReceiveReduceCopy{1, 0, true};
constexpr Pass kReceiveReduceCopySend{1, 1, true};
constexpr Pass kReceiveCopySend{1, 1, true};
constexpr Pass kReceive{1, 0, true};

// The passes over a chunk, ring by ring.
std::vector<Pass> ring_passes(CollectiveOp op, std::uint32_t world) {
  std::vector<Pass> passes;
  const auto between = [&](Pass pass) { passes.insert(passes.end(), world - 2, pass); };
  if (op == CollectiveOp::all_gather) {
    passes.push_back(kCopySend);
  } else {
    passes.push_back(kSend);
    between(kReceiveReduceSend);
    passes.push_back(op == CollectiveOp::reduce_scatter ? kReceiveReduceCopy : kReceiveReduceCopySend);
  }
  if (op == CollectiveOp::reduce_scatter) return passes;
  between(kReceiveCopySend);
  passes.push_back(kReceive);
  return passes;
}

class ChannelTimes {
 public:
  ChannelTimes(const ChannelMachine& machine, double link_share_Bps)
      : machine_(machine), link_share_Bps_(link_share_Bps) {}

  // A CU on `bytes`, each stored so often: it waits for each window of loads (those of two arrays go
  // together) to begin and to come in, and then its store path moves them.
  double cu(double bytes, unsigned stores) const {
    return latency(bytes) + load(bytes) + store(bytes, stores);
  }
  double latency(double bytes) const { return bytes / machine_.window_bytes * machine_.load_latency_s; }
  double load(double bytes) const { return bytes / machine_.load_bytes_per_cycle / machine_.clock_hz; }
  double store(double bytes, unsigned stores) const {
    return bytes * stores / machine_.store_bytes_per_cycle / machine_.clock_hz;
  }
  double link(double bytes) const { return bytes / link_share_Bps_; }
  // A CU on `bytes` that also go over the link. The channels neither keep step nor run apart: some wait for
  // the link while it is not yet full on average, so the longer of the two times is reached by a rounded
  // corner.
  double cu_and_link(double bytes, unsigned stores) const {
    return std::cbrt(std::pow(cu(bytes, stores), 3) + std::pow(link(bytes), 3));
  }
  double sync() const { return static_cast<double>(machine_.channel.slice_sync_ps) * 1e-12; }
  double flag() const { return static_cast<double>(machine_.channel.flag_latency_ps) * 1e-12; }

 private:
  const ChannelMachine& machine_;
  double link_share_Bps_;
};

// One channel of one GPU, which stands for all.
class RingChannel {
 public:
  RingChannel(const ChannelTimes& times, std::uint32_t slots) : times_(times), slots_(slots) {}

  void chunk(const std::vector<Pass>& passes, double bytes) {
    const double slices = std::clamp(std::ceil(bytes / kSmallestSlice), 1.0, double{kRingChunkSlices});
    for (const Pass& pass : passes)
      for (unsigned i = 0; i < static_cast<unsigned>(slices); ++i) slice(pass, bytes / slices);
  }
  double now() const { return now_; }

 private:
  void slice(const Pass& pass, double bytes) {
    if (pass.receives) now_ = std::max(now_, arrived_[received_]);
    if (pass.sends() && arrived_.size() >= slots_)
      now_ = std::max(now_, consumed_at(arrived_.size() - slots_) + times_.flag());
    const unsigned stores = pass.local_stores + pass.remote_stores;
    now_ += times_.sync() + (pass.sends() ? times_.cu_and_link(bytes, stores) : times_.cu(bytes, stores));
    if (pass.receives) {
      consumed_.push_back(now_);
      ++received_;
    }
    if (pass.sends()) arrived_.push_back(now_ + times_.flag());
  }
  // The neighbour takes slices as this GPU does. One that it has not taken yet waits for nothing of ours.
  double consumed_at(std::size_t slice) const { return slice < consumed_.size() ? consumed_[slice] : 0; }

  const ChannelTimes& times_;
  std::uint32_t slots_;
  double now_ = 0;
  std::size_t received_ = 0;
  std::vector<double> arrived_, consumed_;
};

double ring_seconds(const ChannelMachine& machine, CollectiveOp op, std::uint32_t world, double bytes,
                    std::uint32_t channels) {
  const ChannelTimes times(machine, machine.link_Bps / channels);
  const double step = static_cast<double>(machine.channel.buffer_bytes) / kFifoSteps;
  const double largest_chunk = step * kRingSliceSteps * kRingChunkSlices;
  double left = bytes / world / channels;
  RingChannel channel(times, kFifoSteps / kRingSliceSteps);
  const std::vector<Pass> passes = ring_passes(op, world);
  while (left > 0) {
    const double chunk = std::min(left, largest_chunk);
    channel.chunk(passes, chunk);
    left -= chunk;
  }
  return channel.now();
}

// Channels over which one peer's data is spread: as many as all peers can have alike, and more while a part
// would be longer than 32 steps of the FIFO.
std::uint32_t channels_a_peer(const ChannelConfig& config, std::uint32_t world, double bytes,
                              std::uint32_t channels) {
  std::uint32_t each = channels;
  while (each > 1 && each * world > channels) each /= 2;
  const double longest_part = 32.0 * static_cast<double>(config.buffer_bytes) / kFifoSteps;
  while (bytes / each > longest_part && each <= channels / 2) each *= 2;
  return each;
}

// What one channel of an all-to-all does.
struct DirectWork {
  unsigned peers = 0;   // parts that go to another GPU, and as many that come
  unsigned copies = 0;  // parts that stay
};

// Parts of peers, this GPU itself first, are dealt to the channels in turn.
std::vector<DirectWork> deal(std::uint32_t world, std::uint32_t each, std::uint32_t channels) {
  std::vector<DirectWork> work(channels);
  for (std::uint32_t part = 0; part < world * each; ++part)
    ++(part < each ? work[part % channels].copies : work[part % channels].peers);
  return work;
}

double all_to_all_seconds(const ChannelMachine& machine, std::uint32_t world, double bytes,
                          std::uint32_t channels) {
  const double for_peer = bytes / world;
  const std::uint32_t each = channels_a_peer(machine.channel, world, for_peer, channels);
  const std::vector<DirectWork> work = deal(world, each, channels);
  const auto sending = std::ranges::count_if(work, [](const DirectWork& w) { return w.peers > 0; });
  const ChannelTimes times(machine, machine.link_Bps / static_cast<double>(sending));
  const double part = for_peer / each;
  const double slices = std::ceil(part / (static_cast<double>(machine.channel.buffer_bytes) / kFifoSteps));
  // A send and a receive share a block: while one waits for its loads, the other moves data, and so does a
  // copy. But half of a block's warps are too few to load ahead while stores wait for the link.
  const double moving = 2 * (times.load(part) + times.store(part, 1));
  const double pair = times.latency(part) + std::max(moving, times.link(part)) + slices * times.sync();
  double longest = 0;
  for (const DirectWork& w : work)
    longest = std::max(longest, w.peers * pair + w.copies * times.store(part, 1));
  return longest + times.flag();
}

}  // namespace

std::uint32_t collective_channels(const ChannelMachine& machine, CollectiveOp op, std::uint32_t channels) {
  const ChannelConfig& c = machine.channel;
  if (op != CollectiveOp::all_to_all)
    return channels ? channels : static_cast<std::uint32_t>(c.ring_channels);
  return channels ? std::bit_ceil(channels) : static_cast<std::uint32_t>(c.p2p_channels);
}

double collective_seconds(const ChannelMachine& machine, CollectiveOp op, std::uint32_t world,
                          std::uint64_t bytes, std::uint32_t channels) {
  const std::uint32_t used = collective_channels(machine, op, channels);
  const auto array = static_cast<double>(bytes);
  const double moving = op == CollectiveOp::all_to_all ? all_to_all_seconds(machine, world, array, used)
                                                       : ring_seconds(machine, op, world, array, used);
  return static_cast<double>(machine.channel.launch_ps) * 1e-12 + moving;
}

double collective_link_bytes(CollectiveOp op, std::uint32_t world, std::uint64_t bytes) {
  const double part = static_cast<double>(bytes) * (world - 1) / world;
  return op == CollectiveOp::all_reduce ? 2 * part : part;
}

}  // namespace t3sim
