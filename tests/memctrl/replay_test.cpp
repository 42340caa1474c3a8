// Trace files, and the reference channel against DRAMsim3 and Ramulator 2.1 on the same traces.
#include "memctrl/replay.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "in_folder.h"
#include "memory_fixture.h"

namespace t3sim::test {
namespace {

class ATraceFile : public InFolder {
 protected:
  static std::string message(const std::string& text) {
    write_file("t.txt", text);
    try {
      read_memory_trace("t.txt");
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }
};

TEST_F(ATraceFile, HoldsACycleAnAddressAndAnOperationALine) {
  write_file("t.txt", "# made by hand\n0 0x40 R\n\n7 0xABc0 W\r\n7\t0x0  U  \n");
  const auto requests = read_memory_trace("t.txt");
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].address, 0x40U);
  EXPECT_EQ(requests[1].cycle, 7U);
  EXPECT_EQ(requests[1].address, 0xABC0U);
  EXPECT_EQ(requests[1].op, Op::write);
  EXPECT_EQ(requests[2].op, Op::update);
}

TEST_F(ATraceFile, MayBeCompressed) {
  const gzFile file = gzopen("t.gz", "wb");
  gzputs(file, "5 0x80 U\n");
  gzclose(file);
  ASSERT_EQ(read_memory_trace("t.gz").size(), 1U);
}

TEST_F(ATraceFile, IsRefusedWithThePlaceOfTheFirstMistake) {
  EXPECT_EQ(message("0 0x0 R\n1 0x40 X\n"),
            "t.txt:2:8: 'X' is no operation; R (read), W (write) or U (op-and-store)");
  EXPECT_EQ(message("0 40 R\n").substr(0, 10), "t.txt:1:3:");
  EXPECT_EQ(message("zero 0x40 R\n").substr(0, 10), "t.txt:1:1:");
  EXPECT_EQ(message("0 0x4G R\n").substr(0, 8), "t.txt:1:");
  EXPECT_EQ(message("0 0x40 R R\n").substr(0, 11), "t.txt:1:10:");
  EXPECT_EQ(message("0 0x40\n").substr(0, 10), "t.txt:1:7:");
  EXPECT_EQ(message("-1 0x40 R\n").substr(0, 10), "t.txt:1:1:");
  EXPECT_NE(message("0 0x41 R\n").find("not aligned"), std::string::npos);
  EXPECT_NE(message("5 0x40 R\n4 0x40 R\n").find("cycles must not fall"), std::string::npos);
  EXPECT_NE(message("0 0x1FFFFFFFFFFFFFFFF R\n").find("64 bits"), std::string::npos);
  EXPECT_NE(message(std::string(1000, '1') + "\n").find("64 bits"), std::string::npos);
}

TEST_F(ATraceFile, ThatDoesNotExistIsNamed) { EXPECT_THROW(read_memory_trace("none.txt"), InputError); }

TEST_F(ATraceFile, ThatIsCutOffIsRefused) {
  const gzFile file = gzopen("t.gz", "wb");
  for (int i = 0; i < 10'000; ++i) gzprintf(file, "%d 0x%x R\n", i, 64 * ((i * 7919) % 65536));
  gzclose(file);
  std::filesystem::resize_file("t.gz", std::filesystem::file_size("t.gz") / 2);
  EXPECT_THROW(read_memory_trace("t.gz"), InputError);
}

std::vector<TraceRequest> reference_trace(const std::string& name) {
  return read_memory_trace(std::string(T3SIM_SOURCE_DIR) + "/validation/memory/data/" + name + ".txt.gz");
}

ReplayResult replay_reference(const std::string& trace) {
  const ReplayResult r = replay(reference_memory(), reference_trace(trace), true);
  EXPECT_TRUE(r.violations.empty()) << r.violations.front();
  return r;
}

constexpr double kPeakGBps = 32;

// Within the span of the reference simulators' bandwidths (per cent of peak), widened by 5 %.
void expect_within(const ReplayResult& r, double lowest, double highest) {
  EXPECT_GE(100 * r.bandwidth_GBps / kPeakGBps, 0.95 * lowest);
  EXPECT_LE(100 * r.bandwidth_GBps / kPeakGBps, 1.05 * highest);
}

TEST(TheReferenceChannel, ReadsSequentiallyAsFastAsTheReferences) {
  expect_within(replay_reference("a_seq_read"), 91.91, 92.065);
}
TEST(TheReferenceChannel, WritesSequentiallyAsFastAsTheReferences) {
  expect_within(replay_reference("c_seq_write"), 91.072, 91.953);
}
TEST(TheReferenceChannel, MixesReadsAndWritesAsFastAsTheReferences) {
  expect_within(replay_reference("d_mix_2r1w"), 70.38, 83.851);
}
TEST(TheReferenceChannel, KeepsUpWithSlowReadsAsTheReferences) {
  const ReplayResult r = replay_reference("e_rand_read_low");
  expect_within(r, 1.0, 1.0);
  EXPECT_GE(r.avg_read_latency_ns, 0.95 * 51.022);
  EXPECT_LE(r.avg_read_latency_ns, 1.05 * 53.74);
  EXPECT_EQ(r.p50_read_latency_ns, 31);
}

TEST(TheReferenceChannel, ReadsRandomlyAtTheLimitOfItsActivates) {
  const DramTiming& t = reference_memory().timing;
  const RefreshConfig& refresh = reference_memory().refresh;
  const double cycles_per_activate = std::max(static_cast<double>(t.rrd_s), t.faw / 4.0);
  const double available = 1.0 - static_cast<double>(refresh.all_bank_cycles) / refresh.interval_cycles;
  const double limit = t.burst / cycles_per_activate * available * kPeakGBps;
  const ReplayResult r = replay_reference("b_rand_read");
  EXPECT_LE(r.bandwidth_GBps, limit);
  EXPECT_GE(r.bandwidth_GBps, 0.97 * limit);
}

TEST(AReplay, GivesTheSameAnswerEveryTime) {
  const auto trace = reference_trace("d_mix_2r1w");
  const ReplayResult a = replay(reference_memory(), trace), b = replay(reference_memory(), trace);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.avg_read_latency_ns, b.avg_read_latency_ns);
  EXPECT_EQ(a.activates, b.activates);
}

TEST(AReplay, SpreadsOverTheChannelsOfTheMemory) {
  std::vector<TraceRequest> trace;
  for (std::uint64_t i = 0; i < 20'000; ++i) trace.push_back({0, i * 64, Op::read});
  MemoryConfig one;
  one.channels = 1;
  EXPECT_NEAR(replay(MemoryConfig{}, trace).bandwidth_GBps, 64, 1) << "one request a cycle is the limit";
  EXPECT_LE(replay(one, trace).bandwidth_GBps, 32);
}

TEST(AReplay, OfNothingTakesNoTime) { EXPECT_EQ(replay(reference_memory(), {}).cycles, 0U); }

}  // namespace
}  // namespace t3sim::test
