// timeline.csv and what a Perfetto trace is made from: complete, within their phases, as the statistics
// count.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "machine/small_cluster.h"
#include "results/timeline/trace.h"
#include "run/run_schemes.h"

namespace t3sim {
namespace {

class Timeline : public testing::Test {
 protected:
  static RunReport run(const Config& config) {
    Progress silent(Progress::Mode::silent);
    return run_schemes(config, {}, silent);
  }
  static Config layer(GpuModel model) {
    Config config = small_config(4, 1024, 512, 128, model);
    config.schemes = {shipped::sequential, shipped::t3, shipped::t3_mca};
    return config;
  }
  template <class Row>
  static std::string key(const Row& row) {
    return row.scheme + " " + row.phase + " " + std::to_string(row.gpu);
  }
  static double stat(const RunReport& report, const std::string& key_of, const std::string& component,
                     const std::string& name) {
    double sum = 0;
    for (const StatRow& row : report.stats)
      if (key(row) == key_of && row.component == component && row.name == name)
        sum += std::visit([](auto v) { return static_cast<double>(v); }, row.value);
    return sum;
  }
};

TEST_F(Timeline, HasEveryStageStepAndByteOfEveryGpu) {
  const RunReport report = run(layer(GpuModel::explicit_));
  std::map<std::string, double> stages, bytes, steps, longest;  // a GPU's last packets may outlast its phase
  for (const StatRow& row : report.stats)
    if (row.component == "gpu" && row.name == "phase_time")
      longest[row.scheme + " " + row.phase] =
          std::max(longest[row.scheme + " " + row.phase], std::get<double>(row.value));
  for (const TimelineRow& row : report.timeline) {
    EXPECT_LE(row.start_us, row.end_us);
    EXPECT_LE(row.end_us, longest[row.scheme + " " + row.phase] + 1e-9) << row.track << row.name;
    stages[key(row)] += row.track == "stage";
    steps[key(row)] += row.track == "step";
    if (row.track.starts_with("link to ")) bytes[key(row)] += std::stod(row.name);
  }
  EXPECT_EQ(bytes.size(), 4U * 6);  // reduce-scatter and all-gather, and the fused phases with theirs
  for (const auto& [phase, sum] : bytes) EXPECT_EQ(sum, stat(report, phase, "link.out", "bytes")) << phase;
  EXPECT_EQ(stages["t3 fused 2"], stat(report, "t3 fused 2", "kernel", "stages"));
  EXPECT_EQ(stages["t3 fused 2"], 2);  // 32 workgroups, 16 at a time
  EXPECT_EQ(steps["sequential reduce-scatter 1"], 4);
}

TEST_F(Timeline, ShowsTriggersAndTransfersOfTheChunksThatThePlanNames) {
  const RunReport report = run(layer(GpuModel::mirror));
  std::map<std::string, int> rows;
  for (const TimelineRow& row : report.timeline)
    if (row.scheme == "t3" && row.phase == "fused") ++rows[row.track + ": " + row.name];
  EXPECT_EQ(rows.count("tracker: chunk 0"), 0U);  // goes straight to the neighbour
  for (const char* chunk : {"chunk 1", "chunk 2", "chunk 3"})
    EXPECT_EQ(rows["tracker: " + std::string(chunk)], 1) << chunk;
  EXPECT_EQ(rows["dma: chunk 1 to GPU 3"], 8);  // tiles
  EXPECT_EQ(rows["dma: chunk 2 to GPU 3"], 8);
  EXPECT_EQ(rows.count("dma: chunk 3 to GPU 3"), 0U);  // stays
}

// Slices that overlap get a lane more, "kernel (2)".
TEST_F(Timeline, HasPhasesThatFollowOneAnother) {
  Config config = layer(GpuModel::mirror);
  config.schemes = {shipped::sequential};
  RunOptions options;
  options.timeline = TraceOptions{};
  options.timeline->tracks = {"kernel"};
  Progress silent(Progress::Mode::silent);
  const RunReport report = run_schemes(config, options, silent);
  ASSERT_EQ(report.more_files.front().first, "timeline.perfetto-trace");
  const std::string& trace = report.more_files.front().second;
  EXPECT_NE(trace.find("kernel"), trace.npos);
  EXPECT_EQ(trace.find("kernel (2)"), trace.npos);
}

// What lies between reads of a level is not lost: the mean over all intervals is that of the phase.
TEST_F(Timeline, SeriesOfLevelsAgreeWithTheirSums) {
  const RunReport report = run(layer(GpuModel::explicit_));
  std::map<std::string, double> sums;  // level x us
  for (const SeriesRow& row : report.series)
    sums[key(row) + " " + row.component + " " + row.name] +=
        std::visit([](auto v) { return static_cast<double>(v); }, row.value) * row.interval_us;
  const std::string phase = "t3 fused 1";
  EXPECT_NEAR(sums[phase + " link.out use"], stat(report, phase, "link.out", "busy"), 1e-6);
  EXPECT_NEAR(
      sums[phase + " tracker live_entries"],
      stat(report, phase, "tracker", "mean_entry_life") * stat(report, phase, "tracker", "completed_entries"),
      1e-6);
  double occupancy = 0;
  for (int c = 0; c < 8; ++c)
    occupancy += stat(report, phase, "channel[" + std::to_string(c) + "]", "compute_mean_queue_occupancy");
  EXPECT_NEAR(sums[phase + " dram compute_queue_occupancy"],
              occupancy / 8 * stat(report, phase, "gpu", "phase_time"), 1e-6);
  EXPECT_GT(sums[phase + " dma blocks_in_flight"], 0);
}

TEST(TraceOptions, TakeAWindowInUnitsAndRefuseAnyOther) {
  TraceOptions options;
  set_window(options, "100 us..0.3 ms");
  EXPECT_EQ(options.from_ps, 100'000'000U);
  EXPECT_EQ(options.to_ps, 300'000'000U);
  set_window(options, "..5 us");
  EXPECT_EQ(options.to_ps, 5'000'000U);
  for (const char* wrong : {"100 us", "3..4 us", "5 us..4 us", "x..y"})
    EXPECT_THROW(set_window(options, wrong), InputError) << wrong;
}

// A GPU with one long stage and many short triggers.
std::vector<GpuTimeline> one_gpu(std::uint32_t triggers) {
  GpuTimeline gpu;
  gpu.group_track = "stage";
  gpu.groups = {{"0", 0, 1000}};
  gpu.kernel_end = gpu.end = 1000;
  gpu.chunk_names = {"chunk 0"};
  gpu.chunk_of = {0};
  for (std::uint32_t i = 0; i < triggers; ++i) gpu.triggers.push_back({i, 0, 0});
  return {gpu};
}

TEST(PerfettoTrace, LeavesOutTheFinestTracksRatherThanPassItsLimit) {
  const TimeBase time({{std::uint64_t{1'000'000'000}}});
  const std::vector<GpuTimeline> gpus = one_gpu(1000);
  TraceOptions options;
  const auto trace = [&] { return perfetto_trace({{"t3", {{"fused", 0, &gpus}}}}, options, time); };
  EXPECT_TRUE(trace().notes.empty());
  options.limit_bytes = 2000;
  const PerfettoTrace cut = trace();
  EXPECT_LE(cut.bytes.size(), 2000U);
  EXPECT_NE(cut.bytes.find("stage"), std::string::npos);
  EXPECT_EQ(cut.bytes.find("tracker triggers"), std::string::npos);
  ASSERT_EQ(cut.notes.size(), 1U);
  EXPECT_EQ(cut.notes[0].find("timeline: 1 tracks left out"), 0U) << cut.notes[0];
}

TEST(PerfettoTrace, NamesTheTracksWhenAPatternFitsNone) {
  const TimeBase time({{std::uint64_t{1'000'000'000}}});
  const std::vector<GpuTimeline> gpus = one_gpu(1);
  TraceOptions options;
  options.tracks = {"stage", "lnik*"};
  const PerfettoTrace trace = perfetto_trace({{"t3", {{"fused", 0, &gpus}}}}, options, time);
  ASSERT_EQ(trace.notes.size(), 1U);
  EXPECT_EQ(trace.notes[0],
            "timeline: no track is called \"lnik*\"; tracks: kernel, stage, tracker, tracker triggers");
}

}  // namespace
}  // namespace t3sim
