// Figure 6: what GEMM and all-reduce lose when they share the CUs.
#include <fmt/format.h>

#include "validation/paper/figure.h"

namespace t3sim::paper {
namespace {

// CUs of the GEMM and of the all-reduce; both 80 is the ideal, where the all-reduce is free.
struct Split {
  unsigned gemm, all_reduce;
};
constexpr Split kSplits[] = {{80, 80}, {72, 8}, {64, 16}};

class CuSharing final : public Figure {
 public:
  CuSharing(const Config& machine, Points& points) {
    for (const Model& model : {mega_gpt_2(), t_nlg()})
      for (SubLayer layer : {SubLayer::op, SubLayer::fc2}) {
        Row row{{model, layer, 8}, {}, {}};
        for (const Split& split : kSplits) {
          row.gemm.push_back(points.add(gemm(machine, row.c, split.gemm)));
          row.all_reduce.push_back(points.add(all_reduce(machine, row.c, split.all_reduce)));
        }
        rows_.push_back(row);
      }
  }

  void report(const Points& points, Report& report) const override {
    std::string csv = "model,layer,split,gemm_us,ar_us,gemm_slowdown,ar_slowdown,potential_speedup\n";
    std::vector<double> speedup[3], gemm[3], ring[3];
    for (const Row& row : rows_) {
      const double gemm80 = gemm_us(points, row.gemm[0]), ring80 = ring_us(points, row.all_reduce[0]);
      for (std::size_t s = 0; s < 3; ++s) {
        const double g = gemm_us(points, row.gemm[s]), r = ring_us(points, row.all_reduce[s]);
        speedup[s].push_back((gemm80 + ring80) / std::max(g, r));
        gemm[s].push_back(g / gemm80);
        ring[s].push_back(r / ring80);
        csv += fmt::format("{},{},{},{:.1f},{:.1f},{:.3f},{:.3f},{:.3f}\n", row.c.model.name,
                           to_string(row.c.layer),
                           s == 0 ? "ideal" : fmt::format("{}-{}", kSplits[s].gemm, kSplits[s].all_reduce), g,
                           r, g / gemm80, r / ring80, speedup[s].back());
      }
    }
    report.files.emplace_back("figure6.csv", csv);
    Summary& summary = report.summary;
    const double ideal = geomean(speedup[0]), at8 = geomean(speedup[1]), at16 = geomean(speedup[2]);
    const auto percent = [](const std::vector<double>& slowdowns) { return 100 * (geomean(slowdowns) - 1); };
    summary.gate("t3-cu-gemm64", percent(gemm[2]), 5);
    summary.require("t3-cu-ar8-slower", "AR with 8 CUs clearly slower (more than 10 %)",
                    fmt::format("{:.1f} %", percent(ring[1])), percent(ring[1]) > 10);
    summary.require("t3-cu-order", "72-8 worse than 64-16 worse than ideal",
                    fmt::format("{:.3f} {:.3f} {:.3f}", at8, at16, ideal), at8 < at16 && at16 < ideal);
    summary.report("t3-cu-ideal", {ideal});
    summary.report("t3-cu-72-8", {at8});
    summary.report("t3-cu-64-16", {at16});
    summary.report("t3-cu-ar8", {percent(ring[1])});
    summary.report("t3-cu-ar16", {percent(ring[2])});
  }

 private:
  struct Row {
    Case c;
    std::vector<PointId> gemm, all_reduce;  // by split
  };

  static Config gemm(const Config& machine, const Case& c, unsigned cus) {
    Config config = configure(machine, c, {shipped::kernel});
    config.workload.name += fmt::format(" GEMM, {} CUs", cus);
    config.gpu.cus = cus;
    return config;
  }
  // The collectives do not know K: with a K of one step, the GEMM before them costs nothing to simulate.
  static Config all_reduce(const Config& machine, const Case& c, unsigned cus) {
    Config config = configure(machine, c, {shipped::sequential});
    config.workload.name = fmt::format("{} TP{} AR, {} CUs", c.model.name, c.tp, cus);
    config.workload.k = config.workload.tile[2];
    config.workload.layout = GemmLayout::tn;
    config.gpu.cus = cus;
    return config;
  }
  static double gemm_us(const Points& points, PointId id) { return points[id].time_us(shipped::kernel); }
  static double ring_us(const Points& points, PointId id) {
    return points[id].phase_us(shipped::sequential, "rs_us") +
           points[id].phase_us(shipped::sequential, "ag_us");
  }

  std::vector<Row> rows_;
};

}  // namespace

FigurePtr cu_sharing_figure(const Config& machine, Points& points) {
  return std::make_unique<CuSharing>(machine, points);
}

}  // namespace t3sim::paper
