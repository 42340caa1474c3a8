// Figure 20: twice the CUs, the same network.
#include <fmt/format.h>

#include "tracker/table_size.h"
#include "validation/paper/figure.h"

namespace t3sim::paper {
namespace {

using namespace shipped;

class DoubleCus final : public Figure {
 public:
  DoubleCus(const Config& machine, Points& points) {
    Config doubled = machine;
    doubled.gpu.cus *= 2;
    // Section 4.2.1: as many sets as a stage has workgroups.
    doubled.tracker.capacity = std::uint64_t{2} * kTrackerSets * kPaperTrackerWays;
    for (const Model& model : {mega_gpt_2(), t_nlg()})
      for (std::uint32_t tp : {8U, 16U})
        for (SubLayer layer : {SubLayer::op, SubLayer::fc2}) {
          const Case c{model, layer, tp};
          Config twice = configure(doubled, c, kSchemes);
          twice.workload.name += ", 2x CUs";
          rows_.push_back({c, points.add(configure(machine, c, kAllSchemes)), points.add(twice)});
        }
  }

  void report(const Points& points, Report& report) const override {
    std::string csv =
        "model,tp,layer,t3_1x,t3_2x,t3-mca_1x,t3-mca_2x,ideal_1x,ideal_2x,gemm_us_1x,gemm_us_2x,"
        "fused_us_2x,fused_mca_us_2x\n";
    std::vector<double> op, fc2[2];  // FC-2 by TP
    for (const Row& row : rows_) {
      const PointResult &one = points[row.one], &two = points[row.two];
      (row.c.layer == SubLayer::op ? op : fc2[row.c.tp == 16])
          .push_back(two.speedup(t3_mca) / one.speedup(t3_mca));
      csv += fmt::format("{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.1f},{:.1f},{:.1f},{:.1f}\n",
                         row.c.model.name, row.c.tp, to_string(row.c.layer), one.speedup(t3), two.speedup(t3),
                         one.speedup(t3_mca), two.speedup(t3_mca), one.speedup(ideal_overlap),
                         two.speedup(ideal_overlap), one.phase_us(sequential, "gemm_us"),
                         two.phase_us(sequential, "gemm_us"), two.phase_us(t3, "fused_us"),
                         two.phase_us(t3_mca, "fused_us"));
    }
    report.files.emplace_back("figure20.csv", csv);
    // Where "compute time dominates" (7.5). At TP 16 the reduce-scatter already takes as long as the GEMM, so
    // that a shorter GEMM can only lower the speed-up.
    report.summary.require("t3-2xcu", "T3-MCA with twice the CUs: FC-2 at TP8 rises; OP falls (geomean)",
                           fmt::format("FC-2 x {:.3f} (TP16: x {:.3f}); OP x {:.3f}", geomean(fc2[0]),
                                       geomean(fc2[1]), geomean(op)),
                           geomean(fc2[0]) > 1 && geomean(op) < 1);
  }

 private:
  inline static const std::vector<std::string> kSchemes{sequential, t3, t3_mca, ideal_overlap};
  struct Row {
    Case c;
    PointId one, two;
  };
  std::vector<Row> rows_;
};

}  // namespace

FigurePtr double_cus_figure(const Config& machine, Points& points) {
  return std::make_unique<DoubleCus>(machine, points);
}

}  // namespace t3sim::paper
