// Figure 14's method: ring reduce-scatter on four GPUs, 6 to 192 MB, here against its closed form: the link's
// time for every step, and the last reduction (two reads and a write of a chunk), which nothing hides
// (section 6.1.1). The paper's 6 % is the error against hardware, which `validate measured` has; this one gets no verdict.
#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "validation/paper/figure.h"

namespace t3sim::paper {
namespace {

constexpr unsigned kGpus = 4;
constexpr unsigned kMegabytes[] = {6, 12, 24, 48, 96, 192};

class Ring final : public Figure {
 public:
  Ring(const Config& machine, Points& points)
      : link_Bps_(real(machine.topology.link.bandwidth_Bps)),
        latency_us_(real(machine.topology.link.latency_ps) / 1e6),
        dram_Bps_(machine.memory.peak_bytes_per_second()) {
    for (unsigned mb : kMegabytes) {
      Config config = machine;
      config.workload.name = fmt::format("ring RS, {} MB", mb);
      config.workload.n = 2048;
      config.workload.m = mb * 1'048'576 / 2 / config.workload.n;
      config.workload.k = config.workload.tile[2];
      config.gpus.count = kGpus;
      config.schemes = {shipped::sequential};
      ids_.push_back(points.add(config));
    }
  }

  void report(const Points& points, Report& report) const override {
    std::string csv = "megabytes,simulated_us,links_us,last_reduction_us,error\n";
    std::vector<double> errors;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const double chunk = kMegabytes[i] * 1'048'576.0 / kGpus;
      const double links = (kGpus - 1) * (chunk / link_Bps_ * 1e6 + latency_us_);
      const double reduction = 3 * chunk / dram_Bps_ * 1e6;
      const double ours = points[ids_[i]].phase_us(shipped::sequential, "rs_us");
      const double ratio = ours / (links + reduction);
      errors.push_back(std::max(ratio, 1 / ratio));
      csv +=
          fmt::format("{},{:.2f},{:.2f},{:.2f},{:.4f}\n", kMegabytes[i], ours, links, reduction, ratio - 1);
    }
    report.files.emplace_back("figure14.csv", csv);
    report.summary.beside("t3-rs-validation", 100 * (geomean(errors) - 1));
  }

 private:
  double link_Bps_, latency_us_, dram_Bps_;
  std::vector<PointId> ids_;
};

}  // namespace

FigurePtr ring_figure(const Config& machine, Points& points) {
  return std::make_unique<Ring>(machine, points);
}

}  // namespace t3sim::paper
