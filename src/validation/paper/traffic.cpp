// Figure 17: DRAM traffic over time of T-NLG FC-2 at TP 8 and 4096 tokens, isolated GEMM and T3.
#include <fmt/format.h>

#include "base/number.h"
#include "validation/paper/figure.h"

namespace t3sim::paper {
namespace {

constexpr std::uint64_t kIntervalPs = 2'000'000;

class TrafficOverTime final : public Figure {
 public:
  TrafficOverTime(const Config& machine, Points& points) {
    Model model = t_nlg();
    model.batch /= 2;
    Config config =
        configure(machine, {model, SubLayer::fc2, 8}, {shipped::sequential, shipped::t3, shipped::t3_mca});
    config.workload.name += ", 4096 tokens";
    config.run.series_interval_ps = kIntervalPs;
    id_ = points.add(config);
  }

  void report(const Points& points, Report& report) const override {
    std::string csv = "scheme,start_us,kind,GBps\n";
    for (const SeriesRow& row : points[id_].dram_series) {
      if (row.phase != "gemm" && !row.phase.starts_with("fused")) continue;
      const double bytes = std::visit([](auto v) { return static_cast<double>(v); }, row.value);
      csv +=
          fmt::format("{},{},{},{:.2f}\n", row.scheme, row.start_us, row.name, bytes / row.interval_us / 1e3);
    }
    report.files.emplace_back("figure17.csv", csv);
  }

 private:
  PointId id_;
};

}  // namespace

FigurePtr traffic_figure(const Config& machine, Points& points) {
  return std::make_unique<TrafficOverTime>(machine, points);
}

}  // namespace t3sim::paper
