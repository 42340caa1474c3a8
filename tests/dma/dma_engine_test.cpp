#include "dma/dma_engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>

namespace t3sim {
namespace {

constexpr std::uint16_t kSource = 77;
constexpr std::uint64_t kStride = 2 << 20;  // between arrays

// The account of its time, which remembers what the engine was at.
struct Account final : DmaAccount {
  Account() : DmaAccount(0) {}
  void state(DmaState state, Tick) override { states.push_back(state); }
  std::vector<DmaState> states;
};

// A DMA engine between four real memory channels and the sending end of a link.
class DmaFixture : public ChannelClient {
 public:
  DmaFixture(const DmaConfig& config, std::uint32_t m, std::uint32_t n,
             const LinkConfig& link_config = fast_link(), const MemoryConfig& memory_config = four_channels())
      : memory(memory_config),
        map(memory, 1),
        array{MatrixLayout(0, m, n, 2), TileGrid(m, n, {128, 128, 8, 2})},
        link(link_config,
             {{"link.out",
               link_config.bandwidth_Bps,
               link_config.latency_ps,
               {0, 1, 2, 3, 4, 5, 6, 7},
               link_config.buffer_bytes}},
             {time, scheduler, outbox}, {[this](const Request&, Tick now) { sent(now); }, [](auto...) {}}) {
    std::vector<Channel*> all;
    for (unsigned c = 0; c < memory.channels; ++c) {
      channels.push_back(
          std::make_unique<Channel>(memory, c, ChannelWiring{Clock(7), scheduler, *this, map, 1}));
      scheduler.add(*channels.back());
      all.push_back(channels.back().get());
    }
    dma = std::make_unique<DmaEngine>(
        config, DmaWiring{Clock(5), &scheduler, &map, all, 1, kSource, &link, &account});
    dma->set_arrays({array, 2, kStride});
    scheduler.add(*dma);
    for (const auto& port : link.ports()) scheduler.add(*port);
  }
  static LinkConfig fast_link() {
    LinkConfig config;
    config.buffer_bytes = 1ULL << 40;
    return config;
  }
  static MemoryConfig four_channels() {
    MemoryConfig config;
    config.channels = 4;
    return config;
  }
  void program_all() { dma->program(0, array.grid.tiles(), {{3, 0, Op::update}}); }
  void complete(std::uint32_t tile, std::uint32_t wavefront, Tick at = 100) {
    dma->mark_ready(tile, wavefront, at);
  }
  // What has left, as sectors by line; fails where a sector leaves twice.
  std::map<std::uint64_t, unsigned> sent_sectors() const {
    std::map<std::uint64_t, unsigned> lines;
    for (const auto& p : outbox.packets) {
      EXPECT_EQ(lines[p.request.address] & p.request.sectors, 0U);
      lines[p.request.address] |= p.request.sectors;
    }
    return lines;
  }

  bool may_enqueue(const Request&) override { return true; }
  void enqueued(const Request& r, Tick now) override {
    EXPECT_EQ(r.op, Op::read);
    last_read = now;
    peak = std::max(peak, ++outstanding);
  }
  void performed(Request&, Tick) override {}
  void read_done(const Request& r, Tick at) override { dma->read_done(r, at); }
  void port_free(unsigned channel, unsigned, Tick now) override { dma->channel_free(channel, now); }
  void sent(Tick now) {
    --outstanding;
    dma->sent(now);
  }

  const TimeBase time{std::array<std::uint64_t, 2>{1'400'000'000, 1'000'000'000}};
  MemoryConfig memory;
  Scheduler scheduler;
  Outbox outbox;
  AddressMap map;
  TiledMatrix array;
  Account account;
  EgressPorts link;
  std::vector<std::unique_ptr<Channel>> channels;
  std::unique_ptr<DmaEngine> dma;
  int outstanding = 0, peak = 0;  // lines read and not sent
  Tick last_read = 0;             // when it entered its DRAM queue
};

// Sectors of a block of the matrix, by line, worked out element by element.
std::map<std::uint64_t, unsigned> sectors_of(const TiledMatrix& array, const WavefrontTile& w) {
  const Block block = array.grid.block(w);
  std::map<std::uint64_t, unsigned> lines;
  for (std::uint32_t c = 0; c < block.columns; ++c)
    for (std::uint32_t r = 0; r < block.rows; ++r) {
      const std::uint64_t address = array.layout.address(block.row + r, block.column + c);
      lines[address / 128 * 128] |= 1U << (address % 128 / 32);
    }
  return lines;
}

struct Shape {
  std::uint32_t m, n;
};
class DmaAddresses : public testing::TestWithParam<Shape> {};

TEST_P(DmaAddresses, CoverExactlyTheSectorsOfAWavefrontTile) {
  const auto [m, n] = GetParam();
  DmaFixture f({}, m, n);
  f.program_all();
  for (std::uint32_t tile = 0; tile < f.array.grid.tiles(); ++tile)
    for (std::uint32_t w = 0; w < 8; ++w) {
      f.outbox.packets.clear();
      f.complete(tile, w, f.scheduler.now() + 10);
      f.scheduler.run();
      ASSERT_EQ(f.sent_sectors(), sectors_of(f.array, {tile, w})) << "tile " << tile << " wavefront " << w;
      for (const auto& p : f.outbox.packets) {
        EXPECT_EQ(p.request.tile, tile);
        EXPECT_EQ(p.request.wavefront, w);
      }
    }
  EXPECT_TRUE(f.dma->idle());
  EXPECT_EQ(f.dma->pending_blocks(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, DmaAddresses,
                         testing::Values(Shape{128, 128}, Shape{256, 160}, Shape{200, 130}, Shape{1, 1},
                                         Shape{77, 129}, Shape{129, 33}),
                         [](const auto& p) { return fmt::format("M{}N{}", p.param.m, p.param.n); });

TEST(DmaEngine, SendsWhatItReadsAsTrackedUpdatesToTheProgrammedGpu) {
  DmaFixture f({}, 128, 128);
  f.dma->program(0, 1, {{5, 0, Op::update}});
  f.complete(0, 2);
  f.scheduler.run();
  ASSERT_EQ(f.outbox.packets.size(), 32U);
  for (const auto& p : f.outbox.packets) {
    EXPECT_EQ(p.request.gpu, 5U);
    EXPECT_EQ(p.request.op, Op::update);
    EXPECT_TRUE(p.request.tracked);
    EXPECT_EQ(p.request.traffic, Traffic::rs);
  }
  EXPECT_EQ(f.dma->stats().bytes, 4096U);
}

TEST(DmaEngine, HasNothingToDoOnceAllHasLeft) {
  DmaFixture f({}, 128, 128);
  f.program_all();
  for (const std::uint32_t wavefront : {0U, 1U}) {
    f.account.states.clear();
    f.complete(0, wavefront, f.scheduler.now() + 10);
    f.scheduler.run();
    ASSERT_FALSE(f.account.states.empty());
    EXPECT_EQ(f.account.states.front(), DmaState::reading);
    EXPECT_EQ(f.account.states.back(), DmaState::nothing);
  }
}

TEST(DmaEngine, SendsStoresWhereTheCommandSaysSo) {
  DmaFixture f({}, 128, 128);
  f.dma->program(0, 1, {{5, 0, Op::write}});
  f.complete(0, 0);
  f.scheduler.run();
  EXPECT_EQ(f.outbox.packets.at(0).request.op, Op::write);
}

TEST(DmaEngine, DoesNothingAboutWavefrontTilesWithoutACommand) {
  DmaFixture f({}, 256, 128);
  f.dma->program(0, 1, {{5, 0, Op::update}});
  f.complete(1, 0);
  f.scheduler.run();
  EXPECT_TRUE(f.outbox.packets.empty());
  EXPECT_EQ(f.dma->pending_blocks(), 8U);
}

TEST(DmaEngine, ReadsABlockForEveryTransferOfIt) {
  DmaFixture f({}, 128, 128);
  f.dma->program(0, 1, {{5, 0, Op::write}, {6, 0, Op::write}});
  f.complete(0, 3);
  f.scheduler.run();
  std::map<unsigned, unsigned> packets;
  for (const auto& p : f.outbox.packets) ++packets[p.request.gpu];
  EXPECT_EQ(packets, (std::map<unsigned, unsigned>{{5, 32}, {6, 32}}));
  EXPECT_EQ(f.dma->stats().lines, 64U);
}

TEST(DmaEngine, PutsATileWhereItIsInTheArrayOfTheDestination) {
  DmaFixture f({}, 256, 128);
  f.dma->program(1, 1, {{5, 1, Op::write}});
  f.complete(1, 0);
  f.scheduler.run();
  ASSERT_EQ(f.outbox.packets.size(), 32U);
  for (const auto& p : f.outbox.packets) {
    EXPECT_EQ(p.request.tile, 2U + 1);  // behind the two tiles of array 0
    EXPECT_GE(p.request.address, kStride);
  }
}

TEST(DmaEngine, ReadsNothingBeforeTheCommandIsReady) {
  DmaFixture f({}, 128, 128);
  f.program_all();
  f.complete(0, 0, 1000);
  f.scheduler.run_until(1000);
  EXPECT_EQ(f.dma->stats().lines, 0U);
  f.scheduler.run();
  EXPECT_EQ(f.dma->stats().lines, 32U);
}

TEST(DmaEngine, WaitsForAllWavefrontTilesOfABlock) {
  DmaConfig config;
  config.tiles_per_block = 4;
  DmaFixture f(config, 256, 128);
  f.program_all();
  for (std::uint32_t w : {5U, 4U, 7U}) f.complete(0, w);
  f.scheduler.run();
  EXPECT_TRUE(f.outbox.packets.empty());
  f.complete(0, 6, f.scheduler.now() + 1);
  f.scheduler.run();
  EXPECT_EQ(f.outbox.packets.size(), 4U * 32);
  EXPECT_EQ(f.dma->stats().blocks, 1U);
  EXPECT_EQ(f.dma->pending_blocks(), 3U);
}

TEST(DmaEngine, EndsABlockWithTheTilesThatAreForwarded) {
  DmaConfig config;
  config.tiles_per_block = 16;  // two tiles, of which one stays here
  DmaFixture f(config, 256, 128);
  f.dma->program(1, 1, {{3, 0, Op::update}});
  EXPECT_EQ(f.dma->pending_blocks(), 1U);
  for (std::uint32_t w = 0; w < 8; ++w) f.complete(0, w);
  f.scheduler.run();
  EXPECT_TRUE(f.outbox.packets.empty());
  for (std::uint32_t w = 0; w < 8; ++w) f.complete(1, w, f.scheduler.now() + 1);
  f.scheduler.run();
  EXPECT_EQ(f.outbox.packets.size(), 8U * 32);
  for (const auto& p : f.outbox.packets) EXPECT_EQ(p.request.tile, 1U);
}

TEST(DmaEngine, MakesBlocksAsThePlanSaysWhereItDoes) {
  DmaConfig config;
  config.tiles_per_block = 1;
  DmaFixture f(config, 256, 128);
  f.dma->set_arrays({f.array, 2, kStride, Traffic::rs, 8});
  f.program_all();
  EXPECT_EQ(f.dma->pending_blocks(), 2U);  // of 8 of 16 wavefront tiles
}

TEST(DmaEngine, SkipsWavefrontTilesThatAreEmptyAtTheEdge) {
  DmaConfig config;
  config.tiles_per_block = 8;
  DmaFixture f(config, 40, 20);  // one tile; only the first wavefront has elements
  f.program_all();
  f.complete(0, 0);
  f.scheduler.run();
  EXPECT_EQ(f.sent_sectors(), sectors_of(f.array, {0, 0}));
  EXPECT_EQ(f.dma->pending_blocks(), 0U);
}

TEST(DmaEngine, ReadsBlocksOfItsEnginesALineInTurn) {
  DmaConfig config;
  config.engines = 2;
  MemoryConfig memory = DmaFixture::four_channels();
  memory.channels = 1;
  DmaFixture f(config, 128, 128, DmaFixture::fast_link(), memory);
  f.program_all();
  for (std::uint32_t w = 0; w < 4; ++w) f.complete(0, w);
  f.scheduler.run();
  ASSERT_EQ(f.outbox.packets.size(), 128U);
  // Blocks 0 and 1 advance together, then 2 and 3.
  std::array<int, 4> left{};
  for (std::size_t i = 0; i < 64; ++i) ++left.at(f.outbox.packets[i].request.wavefront);
  EXPECT_EQ(left, (std::array<int, 4>{32, 32, 0, 0}));
  std::array<int, 2> half{};
  for (std::size_t i = 0; i < 32; ++i) ++half.at(f.outbox.packets[i].request.wavefront);
  EXPECT_NEAR(half[0], 16, 4);
}

TEST(DmaEngine, ReadsOneBlockAfterTheOtherWithOneEngine) {
  DmaConfig config;
  config.engines = 1;
  MemoryConfig memory = DmaFixture::four_channels();
  memory.channels = 1;
  DmaFixture f(config, 128, 128, DmaFixture::fast_link(), memory);
  f.program_all();
  f.complete(0, 6);
  f.complete(0, 2);
  f.scheduler.run();
  ASSERT_EQ(f.outbox.packets.size(), 64U);
  EXPECT_EQ(f.outbox.packets.front().request.wavefront, 6U);
  EXPECT_EQ(f.outbox.packets.back().request.wavefront, 2U);
}

TEST(DmaEngine, ReadsNoMoreThanItsBufferHoldsUntilTheLinkHasSent) {
  DmaConfig config;
  config.buffer_bytes = 4 * kLineBytes;
  config.lines_per_cycle = 3;  // the fourth place of the buffer ends a cycle
  LinkConfig slow = DmaFixture::fast_link();
  slow.bandwidth_Bps = 1'000'000'000;
  DmaFixture f(config, 256, 128, slow);
  f.program_all();
  for (std::uint32_t tile = 0; tile < 2; ++tile)
    for (std::uint32_t w = 0; w < 8; ++w) f.complete(tile, w);
  f.scheduler.run();
  EXPECT_EQ(f.outbox.packets.size(), 2U * 8 * 32);
  EXPECT_EQ(f.peak, 4);
  EXPECT_GT(f.account.wait_buffer(), 0U);
  EXPECT_TRUE(f.dma->idle());
}

TEST(DmaEngine, LosesNothingWhenControllersAreFullMostOfTheTime) {
  DmaConfig config;
  config.engines = 3;
  config.buffer_bytes = 1 << 20;
  MemoryConfig memory = DmaFixture::four_channels();
  memory.channels = 2;
  memory.port_bursts = 4;
  memory.queue.shared_bursts = 4;
  DmaFixture f(config, 256, 256, DmaFixture::fast_link(), memory);
  f.program_all();
  for (std::uint32_t tile = 0; tile < 4; ++tile)
    for (std::uint32_t w = 0; w < 8; ++w) f.complete(tile, w, 100 + 10 * w);
  f.scheduler.run();
  EXPECT_EQ(f.outbox.packets.size(), 4U * 8 * 32);
  EXPECT_TRUE(f.dma->idle());
  EXPECT_EQ(f.dma->pending_blocks(), 0U);
}

// 256 lines from 32 channels of a line a cycle: but for the last few of a channel, issuing them is all that counts.
TEST(DmaEngine, ReadsAsManyLinesACycleAsItMay) {
  for (const std::uint64_t rate : {1U, 2U, 8U, 32U}) {
    DmaConfig config;
    config.lines_per_cycle = rate;
    config.engines = 64;
    LinkConfig link = DmaFixture::fast_link();
    link.bandwidth_Bps = 10'000'000'000'000;
    MemoryConfig memory;  // 32 channels
    DmaFixture f(config, 128, 128, link, memory);
    f.program_all();
    for (std::uint32_t w = 0; w < 8; ++w) f.complete(0, w, 0);
    f.scheduler.run();
    EXPECT_EQ(f.dma->stats().lines, 256U);
    EXPECT_EQ(f.sent_sectors().size(), 256U);
    EXPECT_GE(f.last_read, (256 / rate - 1) * 5);
    EXPECT_LE(f.last_read, (256 / rate - 1) * 5 + 20 * 7) << rate;
  }
}

TEST(DmaEngine, KeepsTheLinkBusyFromEnoughMemory) {
  DmaFixture f({}, 1024, 256);  // 4 channels x 32 GB/s against 75 GB/s
  f.program_all();
  for (std::uint32_t tile = 0; tile < f.array.grid.tiles(); ++tile)
    for (std::uint32_t w = 0; w < 8; ++w) f.complete(tile, w);
  f.scheduler.run();
  const double bytes = 1024.0 * 256 * 2;
  const double link_ticks = bytes * 7 / 75;
  EXPECT_NEAR(static_cast<double>(f.outbox.packets.back().at - 3500), link_ticks, 0.02 * link_ticks);
}

}  // namespace
}  // namespace t3sim
