// What moves the results: settings that the paper leaves open, varied one at a time on four cases.
#include <fmt/format.h>

#include <functional>
#include <utility>

#include "base/number.h"
#include "validation/paper/figure.h"

namespace t3sim::paper {
namespace {

using namespace shipped;

// What a setting can change; the rest is the baseline's.
enum class Changes : std::uint8_t { all, fused, mca };

struct Variant {
  std::string setting, value;
  std::function<void(Config&)> apply;
  Changes changes = Changes::all;
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
  v.push_back({"dma.buffer", "128 KiB",
               [](Config& c) {
                 c.dma.buffer_bytes = 128 << 10;  // as much as a link of 75 GB/s needs
                 c.dma.engines = 8;
                 c.dma.lines_per_cycle = 1;
               },
               Changes::fused});
  v.push_back({"dma.tiles_per_block", "64", [](Config& c) { c.dma.tiles_per_block = 64; }, Changes::fused});
}

void add_core_variants(std::vector<Variant>& v) {
  v.push_back({"gpu.shared_lane", "true", [](Config& c) { c.gpu.shared_lane = true; }});
  v.push_back({"gpu.store_acknowledgement", "true", [](Config& c) { c.gpu.store_acknowledgement = true; }});
  v.push_back({"l2.cache_output", "false", [](Config& c) { c.l2.cache_output = false; }});
  v.push_back({"gpu.loads_in_flight", "64", [](Config& c) { c.gpu.loads_in_flight = 64; }});
  v.push_back({"workload.buffers", "3", [](Config& c) { c.workload.buffers = 3; }});
  // They produce tiles of several chunks at once: with the paper's Tracker, PALM's OP would lock up.
  for (const auto& [name, order] :
       {std::pair{"column-major", OrderKind::column_major}, std::pair{"grouped", OrderKind::grouped}})
    v.push_back({"workload.order", name, [order = order](Config& c) {
                   c.workload.order = order;
                   c.tracker.capacity = TrackerCapacity::unbounded;
                 }});
}

void add_scheme_variants(std::vector<Variant>& v) {
  v.push_back(
      {"topology.bandwidth", "150 GB/s", [](Config& c) { c.topology.link.bandwidth_Bps = 150'000'000'000; }});
  v.push_back({"topology.store_queue", "64", [](Config& c) { c.topology.link.store_queue = 64; }});
  v.push_back({"tracker.capacity", "unbounded",
               [](Config& c) { c.tracker.capacity = TrackerCapacity::unbounded; }, Changes::fused});
  v.push_back({"arbitration.threshold", "5", [](Config& c) { c.arbitration.threshold = std::uint64_t{5}; },
               Changes::mca});
  v.push_back({"arbitration.threshold", "none",
               [](Config& c) { c.arbitration.threshold = ThresholdSetting::none; }, Changes::mca});
  v.push_back({"arbitration.policy", "mca-paced",
               [](Config& c) { c.arbitration.policy.kind = ArbitrationKind::mca_paced; }, Changes::mca});
  for (unsigned cycles : {32U, 1024U})
    v.push_back({"arbitration.starvation_limit", fmt::format("{}", cycles),
                 [cycles](Config& c) { c.arbitration.starvation_limit_cycles = cycles; }, Changes::mca});
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

// Bound by the GEMM and by the link, light and heavy on DRAM, and a large model.
const std::vector<Case>& four_cases() {
  static const std::vector<Case> cases{shorter({mega_gpt_2(), SubLayer::fc2, 16}),
                                       shorter({t_nlg(), SubLayer::fc2, 8}),
                                       shorter({t_nlg(), SubLayer::op, 8}),
                                       {large_models()[1], SubLayer::op, 32}};
  return cases;
}

class Sensitivity final : public Figure {
 public:
  Sensitivity(const Config& machine, Points& points) : variants_(variants()) {
    for (const Variant& variant : variants_) {
      std::vector<PointId> ids;
      for (const Case& c : four_cases()) {
        Config config = configure(machine, c, schemes(variant.changes));
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
        const Times times = times_of(points[ids_[v][i]], points[ids_[0][i]], variants_[v].changes);
        csv += line(variants_[v], four_cases()[i], times);
        plain.push_back(times.sequential_us / times.t3_us);
        mca.push_back(times.sequential_us / times.mca_us);
        ideal.push_back(times.sequential_us / times.ideal_us);
        each += fmt::format("  {:.3f} {:.3f} {:.3f}", plain.back(), mca.back(), ideal.back());
      }
      report.text += fmt::format("{:<30} {:<13} {:>6.3f} {:.3f} {:.3f}{}\n", variants_[v].setting,
                                 variants_[v].value, geomean(plain), geomean(mca), geomean(ideal), each);
    }
    report.files.emplace_back("sensitivity.csv", csv);
    report.files.emplace_back("sensitivity.txt", report.text);
  }

 private:
  static std::vector<std::string> schemes(Changes changes) {
    if (changes == Changes::mca) return {t3_mca};
    if (changes == Changes::fused) return {t3, t3_mca};
    return {sequential, t3, t3_mca, ideal_overlap};
  }

  struct Times {
    double sequential_us, t3_us, mca_us, ideal_us;
    double gemm_us, rs_us, fused_us, fused_mca_us, gemm_read_MB, fused_read_MB;
  };
  static Times times_of(const PointResult& own, const PointResult& baseline, Changes changes) {
    const PointResult& alone = changes == Changes::all ? own : baseline;
    const PointResult& fused = changes == Changes::mca ? baseline : own;
    const auto megabytes = [](std::uint64_t bytes) { return real(bytes) / 1e6; };
    return {alone.time_us(sequential),
            fused.time_us(t3),
            own.time_us(t3_mca),
            alone.time_us(ideal_overlap),
            alone.phase_us(sequential, "gemm_us"),
            alone.phase_us(sequential, "rs_us"),
            fused.phase_us(t3, "fused_us"),
            own.phase_us(t3_mca, "fused_us"),
            megabytes(alone.dram(sequential, "gemm_read")),
            megabytes(fused.dram(t3, "gemm_read"))};
  }
  static std::string line(const Variant& variant, const Case& c, const Times& t) {
    return fmt::format("{},{},{},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.3f},{:.3f},{:.3f}\n",
                       variant.setting, variant.value, c.name(), t.gemm_us, t.rs_us, t.fused_us,
                       t.fused_mca_us, t.gemm_read_MB, t.fused_read_MB, t.sequential_us / t.t3_us,
                       t.sequential_us / t.mca_us, t.sequential_us / t.ideal_us);
  }

  std::vector<Variant> variants_;
  std::vector<std::vector<PointId>> ids_;  // by variant, case
};

}  // namespace

FigurePtr sensitivity(const Config& machine, Points& points) {
  return std::make_unique<Sensitivity>(machine, points);
}

}  // namespace t3sim::paper
