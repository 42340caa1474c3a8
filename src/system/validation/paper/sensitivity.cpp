// What moves the results: settings that the paper leaves open, varied one at a time on four cases.
#include <fmt/format.h>

#include <functional>

#include "system/validation/paper/figure.h"

namespace t3sim::paper {
namespace {

using enum SchemeId;

struct Variant {
  std::string setting, value;
  std::function<void(Config&)> apply;
};

void add_memory_variants(std::vector<Variant>& v) {
  v.push_back({"memory.queue.kind", "split", [](Config& c) { c.memory.queue.kind = QueueKind::split; }});
  for (unsigned bursts : {32U, 128U})
    v.push_back({"memory.queue.shared_bursts", fmt::format("{}", bursts),
                 [bursts](Config& c) { c.memory.queue.shared_bursts = bursts; }});
  // How far the head of a slice's queue to DRAM blocks those behind it.
  for (unsigned bursts : {8U, 1024U})
    v.push_back({"memory.port_bursts", fmt::format("{}", bursts),
                 [bursts](Config& c) { c.memory.port_bursts = bursts; }});
  v.push_back({"memory.timing.ccd_update", "2", [](Config& c) { c.memory.timing.ccd_update = 2; }});
  v.push_back({"dma.buffer", "128 KiB", [](Config& c) {
                 c.dma.buffer_bytes = 128 << 10;  // as much as a link of 75 GB/s needs
                 c.dma.engines = 8;
                 c.dma.lines_per_cycle = 1;
               }});
  v.push_back({"dma.tiles_per_block", "64", [](Config& c) { c.dma.tiles_per_block = 64; }});
}

void add_core_variants(std::vector<Variant>& v) {
  v.push_back({"gpu.shared_lane", "true", [](Config& c) { c.gpu.shared_lane = true; }});
  v.push_back({"gpu.store_acknowledgement", "true", [](Config& c) { c.gpu.store_acknowledgement = true; }});
  v.push_back({"l2.cache_output", "false", [](Config& c) { c.l2.cache_output = false; }});
  v.push_back({"gpu.loads_in_flight", "64", [](Config& c) { c.gpu.loads_in_flight = 64; }});
  v.push_back({"workload.buffers", "3", [](Config& c) { c.workload.buffers = 3; }});
  v.push_back(
      {"workload.order", "column-major", [](Config& c) { c.workload.order = OrderKind::column_major; }});
  v.push_back({"workload.order", "grouped", [](Config& c) { c.workload.order = OrderKind::grouped; }});
}

void add_scheme_variants(std::vector<Variant>& v) {
  v.push_back(
      {"topology.bandwidth", "150 GB/s", [](Config& c) { c.topology.link.bandwidth_Bps = 150'000'000'000; }});
  v.push_back({"topology.store_queue", "64", [](Config& c) { c.topology.link.store_queue = 64; }});
  v.push_back(
      {"tracker.capacity", "unbounded", [](Config& c) { c.tracker.capacity = TrackerCapacity::unbounded; }});
  v.push_back({"arbitration.threshold", "5", [](Config& c) { c.arbitration.threshold = std::uint64_t{5}; }});
  v.push_back(
      {"arbitration.threshold", "none", [](Config& c) { c.arbitration.threshold = ThresholdSetting::none; }});
  v.push_back({"arbitration.policy", "mca-paced",
               [](Config& c) { c.arbitration.policy = ArbitrationSetting::mca_paced; }});
  for (unsigned cycles : {32U, 1024U})
    v.push_back({"arbitration.starvation_limit", fmt::format("{}", cycles),
                 [cycles](Config& c) { c.arbitration.starvation_limit_cycles = cycles; }});
}

std::vector<Variant> variants() {
  std::vector<Variant> v{{"baseline", "", [](Config&) {}}};
  add_memory_variants(v);
  add_core_variants(v);
  add_scheme_variants(v);
  return v;
}

// With 4096 tokens, as in Figure 17.
Case shorter(Case c) {
  c.model.batch = 4;
  return c;
}

// Bound by the GEMM and by the link, light and heavy on DRAM, both layouts, and a large model.
const std::vector<Case>& four_cases() {
  static const std::vector<Case> cases{shorter({mega_gpt_2(), SubLayer::fc2, 16}),
                                       shorter({t_nlg(), SubLayer::fc2, 8}),
                                       shorter({t_nlg(), SubLayer::ip, 16}),
                                       {large_models()[1], SubLayer::op, 32}};
  return cases;
}

class Sensitivity final : public Figure {
 public:
  Sensitivity(const Config& machine, Points& points) : variants_(variants()) {
    for (const Variant& variant : variants_) {
      std::vector<PointId> ids;
      for (const Case& c : four_cases()) {
        Config config = configure(machine, c, {sequential, t3, t3_mca, ideal_overlap});
        variant.apply(config);
        if (!variant.value.empty())
          config.workload.name += fmt::format(", {} {}", variant.setting, variant.value);
        ids.push_back(points.add(config));
      }
      ids_.push_back(std::move(ids));
    }
  }

  void report(const Points& points, Report& report) const override {
    std::string csv =
        "setting,value,case,gemm_us,rs_us,fused_us,fused_mca_us,gemm_read_MB,t3_gemm_read_MB,"
        "t3,t3-mca,ideal-overlap\n";
    report.text = "Speed-up of t3, t3-mca and ideal-overlap: geomean of four cases, then each of them:\n";
    for (const Case& c : four_cases())
      report.text += fmt::format("  {}, {} tokens\n", c.name(), c.model.tokens());
    for (std::size_t v = 0; v < variants_.size(); ++v) {
      std::vector<double> plain, mca, ideal;
      std::string each;
      for (std::size_t i = 0; i < ids_[v].size(); ++i) {
        const PointResult& r = points[ids_[v][i]];
        csv += line(variants_[v], four_cases()[i], r);
        plain.push_back(r.speedup(t3));
        mca.push_back(r.speedup(t3_mca));
        ideal.push_back(r.speedup(ideal_overlap));
        each += fmt::format("  {:.3f} {:.3f} {:.3f}", plain.back(), mca.back(), ideal.back());
      }
      report.text += fmt::format("{:<30} {:<13} {:>6.3f} {:.3f} {:.3f}{}\n", variants_[v].setting,
                                 variants_[v].value, geomean(plain), geomean(mca), geomean(ideal), each);
    }
    report.files.emplace_back("sensitivity.csv", csv);
    report.files.emplace_back("sensitivity.txt", report.text);
  }

 private:
  static std::string line(const Variant& variant, const Case& c, const PointResult& r) {
    return fmt::format("{},{},{},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.3f},{:.3f},{:.3f}\n",
                       variant.setting, variant.value, c.name(), r.phase_us(sequential, "gemm_us"),
                       r.phase_us(sequential, "rs_us"), r.phase_us(t3, "fused_us"),
                       r.phase_us(t3_mca, "fused_us"),
                       static_cast<double>(r.dram(sequential, "gemm_read")) / 1e6,
                       static_cast<double>(r.dram(t3, "gemm_read")) / 1e6, r.speedup(t3), r.speedup(t3_mca),
                       r.speedup(ideal_overlap));
  }

  std::vector<Variant> variants_;
  std::vector<std::vector<PointId>> ids_;  // by variant, case
};

}  // namespace

FigurePtr sensitivity(const Config& machine, Points& points) {
  return std::make_unique<Sensitivity>(machine, points);
}

}  // namespace t3sim::paper
