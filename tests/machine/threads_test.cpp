// The same bytes on any number of threads: explicit GPUs side by side, phases side by side.
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "draws.h"
#include "machine/small_cluster.h"
#include "results/progress.h"
#include "run/report_rows.h"
#include "run/run_schemes.h"
#include "run/scheme_table.h"

namespace t3sim {
namespace {

constexpr unsigned kThreads[] = {2, 3, 8};

class ThreadDraw {
 public:
  explicit ThreadDraw(std::uint32_t seed) : random_(seed) {}
  template <class T>
  T any_of(std::initializer_list<T> values) {
    return *(values.begin() + random_() % values.size());
  }

 private:
  std::mt19937 random_;  // the same everywhere, unlike distributions
};

Config random_config(ThreadDraw& draw) {
  Config c = small_config(draw.any_of({2U, 3U, 4U, 5U}), draw.any_of({64U, 130U}), draw.any_of({64U, 96U}),
                          32, draw.any_of({GpuModel::mirror, GpuModel::explicit_, GpuModel::explicit_}));
  c.workload.tile = {32, 32, 32};
  if (c.gpus.model == GpuModel::mirror) c.workload.m = 32 * c.gpus.count;  // chunks alike
  c.gpu.cus = draw.any_of({1ULL, 4ULL});
  c.memory.channels = draw.any_of({1U, 2U});
  c.l2.slices = c.memory.channels;
  c.l2.size_bytes = c.l2.slices * (32 << 10);
  c.l2.kernel_boundary = draw.any_of({KernelBoundary::flush, KernelBoundary::flush, KernelBoundary::keep});
  if (c.gpus.model == GpuModel::explicit_)
    c.topology.kind =
        draw.any_of({TopologyKind::ring, TopologyKind::fully_connected, TopologyKind::switched});
  c.topology.link.latency_ps = draw.any_of({50'000ULL, 500'000ULL});
  if (c.gpus.model == GpuModel::explicit_ && draw.any_of({true, false}))
    c.gpus.overrides[1].start_delay_ps = 2'000'000;
  c.schemes = {shipped::sequential, shipped::t3, shipped::t3_mca};
  c.run.functional = c.gpus.model == GpuModel::explicit_ && c.l2.kernel_boundary == KernelBoundary::flush &&
                     draw.any_of({true, false, false});
  return c;
}

// Everything that a run reports and that is not about the host.
std::string outcome(const Config& config, unsigned threads) {
  Progress silent(Progress::Mode::silent);
  RunOptions options;
  options.threads = threads;
  const RunReport report = run_schemes(config, options, silent);
  std::ostringstream text;
  for (const SchemeResult& s : report.schemes) text << s.name << ' ' << s.time_us << ' ' << s.events << '\n';
  for (const StatRow& row : report.stats) {
    text << row.scheme << ' ' << row.phase << ' ' << row.gpu << ' ' << row.component << ' ' << row.name
         << ' ';
    std::visit([&](const auto& value) { text << value << '\n'; }, row.value);
  }
  for (const TimelineRow& row : report.timeline)
    text << row.scheme << ' ' << row.track << ' ' << row.name << ' ' << row.start_us << ' ' << row.end_us
         << '\n';
  if (report.functional) text << report.functional->elements << ' ' << report.functional->errors << '\n';
  return text.str();
}

TEST(Threads, GiveTheSameBytesOnAnyNumberOfThemForRandomConfigurations) {
  for (std::uint32_t seed = 0; seed < draws(100U); ++seed) {
    ThreadDraw draw(seed);
    const Config config = random_config(draw);
    const std::string alone = outcome(config, 1);
    for (unsigned threads : kThreads)
      EXPECT_EQ(outcome(config, threads), alone) << "seed " << seed << ", " << threads << " threads";
  }
}

// Steps of enough work to be shared out.
TEST(Threads, GiveTheSameTimesAndBytesForLargerExplicitGpus) {
  T3_SKIP_IF_SANITIZED();
  const Config config = small_config(5, 1280, 512, 64, GpuModel::explicit_);
  const Phase phase = fused_phase(ArbitrationKind::mca).of(config);
  const auto stats = [&](unsigned threads) {
    const PhaseResult result = Cluster(config, phase, time_base(config)).run({}, threads);
    std::ostringstream text;
    for (const StatRow& row : collect_rows(result, time_base(config)).stats)
      std::visit([&](const auto& value) { text << row.gpu << row.component << row.name << value << '\n'; },
                 row.value);
    return text.str();
  };
  const std::string alone = stats(1);
  for (unsigned threads : kThreads) EXPECT_EQ(stats(threads), alone) << threads << " threads";
}

TEST(Threads, ChargeAPhaseThatSchemesShareToTheFirstOfThem) {
  Config config = small_config(4, 512, 256, 64, GpuModel::mirror);
  config.schemes = {shipped::sequential, shipped::t3, shipped::t3_mca, shipped::ideal_overlap};
  Progress silent(Progress::Mode::silent);
  const RunReport report = run_schemes(config, {}, silent);
  double seconds = 0;
  std::uint64_t events = 0;
  for (const SchemeResult& scheme : report.schemes) {
    seconds += scheme.host_seconds;
    events += scheme.events;
  }
  EXPECT_DOUBLE_EQ(seconds, report.host_seconds);
  EXPECT_EQ(events, report.events);
  EXPECT_EQ(report.schemes.back().events, 0U);  // ideal-overlap is computed from what sequential has run
}

}  // namespace
}  // namespace t3sim
