// One L2 slice of Table 1's machine (16 MiB in 64 slices of 32 ways) in front of its memory channel.
#include "gpu/l2_slice.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace t3sim {
namespace {

class Slice final : private ChannelClient, private StoreListener, private ReplySink {
 public:
  Slice()
      : map_(memory_, 1),
        channel_(memory_, 0, {Clock(7), scheduler_, *this, map_, 1}),
        sinks_{this},
        slice_(config_, 0, 0, {Clock(5), scheduler_, channel_, 0, sinks_, *this, nullptr}) {
    scheduler_.add(channel_);
    scheduler_.add(slice_);
  }

  // Reads `lines` lines from `first` on, `stride` lines apart, one a core cycle as far as there is room.
  void read(std::uint32_t first, std::uint32_t stride, std::uint32_t lines) {
    Feeder feeder(*this, first, stride, lines);
    feeder.feed(scheduler_.now());
    scheduler_.run();
  }
  static std::uint32_t lines() { return static_cast<std::uint32_t>(small().size_bytes / kLineBytes); }
  std::uint64_t events() const { return scheduler_.events(); }

 private:
  class Feeder final : public Sender {
   public:
    Feeder(Slice& slice, std::uint32_t first, std::uint32_t stride, std::uint32_t left)
        : slice_(slice), line_(first), stride_(stride), left_(left) {}
    void granted(Tick now) override {
      push(now);
      feed(now);
    }
    void feed(Tick now) {
      while (left_ != 0 && slice_.slice_.input().take(*this)) push(now);
    }

   private:
    void push(Tick now) {
      Request request;
      request.address = std::uint64_t{line_} * kLineBytes;
      slice_.slice_.push(request, now + 100);
      line_ += stride_;
      --left_;
    }
    Slice& slice_;
    std::uint32_t line_, stride_, left_;
  };

  static L2Config small() {
    L2Config config;
    config.size_bytes = 16 << 20 >> 6;
    config.slices = 1;
    config.input_queue = 64;
    return config;
  }
  static MemoryConfig one_channel() {
    MemoryConfig config;
    config.channels = 1;
    return config;
  }

  bool may_enqueue(const Request&) override { return true; }
  void enqueued(const Request&, Tick) override {}
  void performed(Request&, Tick) override {}
  void read_done(const Request& request, Tick at) override { slice_.read_done(request, at); }
  void port_free(unsigned, unsigned, Tick now) override { slice_.channel_free(now); }
  void store_accepted(const Request&, Tick) override {}
  void reply(const Request&, Tick out) override { benchmark::DoNotOptimize(out); }

  L2Config config_ = small();
  MemoryConfig memory_ = one_channel();
  Scheduler scheduler_;
  AddressMap map_;
  Channel channel_;
  std::vector<ReplySink*> sinks_;
  L2Slice slice_;
};

void l2_slice_hits(benchmark::State& state) {
  Slice slice;
  slice.read(0, 1, Slice::lines());
  for (auto _ : state) slice.read(0, 1, Slice::lines());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * Slice::lines());
}
BENCHMARK(l2_slice_hits)->Unit(benchmark::kMicrosecond);

// Each line comes from memory, in the order of its rows.
void l2_slice_misses(benchmark::State& state) {
  Slice slice;
  std::uint32_t first = 0;
  for (auto _ : state) slice.read(first += Slice::lines(), 1, Slice::lines());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * Slice::lines());
}
BENCHMARK(l2_slice_misses)->Iterations(500)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace t3sim
