#include "dma/copy_engine.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace t3sim {
namespace {

// A copy engine in front of two L2 slices, each with its memory channel, and the sending end of a link.
class TwoSlices : public ChannelClient, private StoreListener {
 public:
  TwoSlices()
      : memory(two_channels()),
        map(memory, 1),
        link(link_config,
             {{"link.out",
               link_config.bandwidth_Bps,
               link_config.latency_ps,
               {0, 1, 2, 3, 4, 5, 6, 7},
               link_config.buffer_bytes}},
             {time, scheduler, outbox},
             {[this](const Request& r, Tick now) { engine->sent(r, now); }, [](auto...) {}}) {
    l2.slices = 2;
    CopyWiring wiring{Clock(5), &scheduler, &map, {}, &link, 0, 10, {}, [](auto...) {}};
    for (std::uint16_t i = 0; i < 2; ++i) {
      channels.push_back(
          std::make_unique<Channel>(memory, i, ChannelWiring{Clock(7), scheduler, *this, map, 1}));
      slices.push_back(std::make_unique<L2Slice>(
          l2, i, 1, SliceWiring{Clock(5), scheduler, *channels[i], 0, sinks, *this, nullptr}));
      scheduler.add(*channels[i]);
      scheduler.add(*slices[i]);
      wiring.slices.push_back(slices[i].get());
    }
    engine = std::make_unique<CopyEngine>(DmaConfig{}, wiring);
    sinks.push_back(engine.get());
    scheduler.add(*engine);
    for (const auto& port : link.ports()) scheduler.add(*port);
  }
  static LinkConfig roomy() {
    LinkConfig config;
    config.buffer_bytes = 1ULL << 40;
    return config;
  }
  static MemoryConfig two_channels() {
    MemoryConfig config;
    config.channels = 2;
    return config;
  }
  void copy_lines(std::uint64_t lines) {
    CopyJob job;
    job.row_bytes = job.from_pitch = job.to_pitch = lines * kLineBytes;
    job.rows = 1;
    job.to = 1 << 20;
    engine->start(job, 0);
  }

  bool may_enqueue(const Request&) override { return true; }
  void enqueued(const Request&, Tick) override {}
  void performed(Request&, Tick) override {}
  void read_done(const Request& r, Tick at) override {
    slices[map.slice_of_gpu(r.address)]->read_done(r, at);
  }
  void port_free(unsigned channel, unsigned, Tick now) override { slices[channel]->channel_free(now); }

  const TimeBase time{std::array<std::uint64_t, 2>{1'400'000'000, 1'000'000'000}};
  const LinkConfig link_config = roomy();
  MemoryConfig memory;
  L2Config l2;
  Scheduler scheduler;
  Outbox outbox;
  AddressMap map;
  EgressPorts link;
  std::vector<ReplySink*> sinks;
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<std::unique_ptr<L2Slice>> slices;
  std::unique_ptr<CopyEngine> engine;

 private:
  void store_accepted(const Request&, Tick) override {}
};

struct Nobody final : Sender {
  void granted(Tick) override {}
};

TEST(CopyEngine, OfASliceWithoutAPlaceHoldsUpNoOtherSlicesLines) {
  constexpr std::uint64_t kLines = 64;
  TwoSlices f;
  Nobody others;
  std::uint64_t taken = 0;
  while (f.slices[0]->input().used() < f.l2.input_queue && f.slices[0]->input().take(others)) ++taken;
  std::uint64_t elsewhere = 0;
  for (std::uint64_t line = 0; line < kLines; ++line)
    elsewhere += f.map.slice_of_gpu(line * kLineBytes) == 1 ? 1U : 0U;
  ASSERT_GT(elsewhere, 0U);
  ASSERT_LT(elsewhere, kLines);

  f.copy_lines(kLines);
  f.scheduler.run();
  EXPECT_EQ(f.engine->stats().lines, elsewhere);
  EXPECT_FALSE(f.engine->idle());

  for (; taken > 0; --taken) f.slices[0]->input().release(f.scheduler.now());
  f.scheduler.run();
  EXPECT_EQ(f.engine->stats().lines, kLines);
  EXPECT_EQ(f.outbox.packets.size(), kLines);
}

}  // namespace
}  // namespace t3sim
