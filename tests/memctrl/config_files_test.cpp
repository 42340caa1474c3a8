// The memories that come with the program.
#include <gtest/gtest.h>

#include "memctrl/replay.h"
#include "traffic.h"

namespace t3sim::test {
namespace {

constexpr const char* kFiles[] = {"hbm2-reference.yaml", "hbm2-paper.yaml", "a100-hbm2e.yaml", "h100.yaml",
                                  "h200.yaml"};

TEST(EveryMemoryThatComesWithTheProgram, KeepsItsOwnTiming) {
  for (const char* file : kFiles) {
    MemoryConfig config = load_memory(file);
    config.channels = 1;
    ProtocolChecker checker(config, 1);
    TrafficGenerator traffic(config, {2, 1, 1, 4, 0}, 1, &checker);
    checker.finish(traffic.run(20'000));
    EXPECT_EQ(checker.violation_count(), 0U) << file << ": " << checker.violations().front();
    EXPECT_TRUE(traffic.channel().idle()) << file;
  }
}

TEST(EveryMemoryThatComesWithTheProgram, HasThePeakOfItsProduct) {
  EXPECT_NEAR(load_memory("hbm2-reference.yaml").peak_bytes_per_second(), 32e9, 1);
  EXPECT_NEAR(load_memory("hbm2-paper.yaml").peak_bytes_per_second(), 1.024e12, 1);
  EXPECT_NEAR(load_memory("a100-hbm2e.yaml").peak_bytes_per_second(), 2.04e12, 0.01e12);
  EXPECT_NEAR(load_memory("h100.yaml").peak_bytes_per_second(), 3.35e12, 0.01e12);
  EXPECT_NEAR(load_memory("h200.yaml").peak_bytes_per_second(), 4.92e12, 0.01e12);
}

TEST(ThePapersMemoryFile, SaysTheDefaults) {
  MemoryFile defaults, file;
  file.memory = load_memory("hbm2-paper.yaml");
  EXPECT_EQ(config::write(file), config::write(defaults));
}

TEST(AMemoryConfiguration, IsRefusedWhenItDescribesNoMemory) {
  const auto refused = [](const std::function<void(MemoryConfig&)>& change) {
    MemoryConfig config;
    change(config);
    EXPECT_THROW(config.validate(), InputError);
  };
  refused([](MemoryConfig& c) { c.row_bytes = 3000; });
  refused([](MemoryConfig& c) { c.burst_bytes = 256; });
  refused([](MemoryConfig& c) { c.bank_groups = 3; });
  refused([](MemoryConfig& c) { c.bank_groups = c.banks_per_group = 16; });
  refused([](MemoryConfig& c) { c.timing.burst = 0; });
  refused([](MemoryConfig& c) { c.timing.rc = 1; });
  refused([](MemoryConfig& c) { c.timing.wl = 40; });
  refused([](MemoryConfig& c) { c.queue.shared_bursts = 3; });
  refused([](MemoryConfig& c) { c.port_bursts = 2; });
  refused([](MemoryConfig& c) { c.queue.kind = QueueKind::split, c.queue.write_low_watermark = 60; });
  refused([](MemoryConfig& c) { c.refresh.mode = RefreshMode::all_bank, c.refresh.interval_cycles = 100; });
}

}  // namespace
}  // namespace t3sim::test
