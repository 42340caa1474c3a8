// Figures 15, 16 and 18: time, speed-up and DRAM accesses of the 16 sub-layers.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/number.h"
#include "validation/paper/figure.h"

namespace t3sim::paper {
namespace {

using namespace shipped;

constexpr const char* kTraffic[] = {"gemm_read", "gemm_write", "rs_read", "rs_write", "ag_read", "ag_write"};

double dram_total(const PointResult& r, const std::string& scheme) {
  double sum = 0;
  for (const char* kind : kTraffic) sum += real(r.dram(scheme, kind));
  return sum;
}

class Sublayers final : public Figure {
 public:
  Sublayers(const Config& machine, Points& points) : cases_(sixteen_cases()) {
    for (const Case& c : cases_) ids_.push_back(points.add(configure(machine, c, kAllSchemes)));
  }

  void report(const Points& points, Report& report) const override {
    report.files.emplace_back("figure15.csv", times_csv(points));
    report.files.emplace_back("figure16.csv", speedups_csv(points));
    report.files.emplace_back("figure18.csv", dram_csv(points));
    ideal(points, report.summary);
    t3(points, report.summary);
    relations(points, report.summary);
    near_memory(points, report.summary);
    traffic(points, report.summary);
  }

 private:
  using Value = std::function<double(const PointResult&)>;
  using Filter = std::function<bool(const Case&)>;

  static bool all(const Case&) { return true; }
  static Filter with_tp(std::uint32_t tp) {
    return [tp](const Case& c) { return c.tp == tp; };
  }
  static Value speedup(const std::string& id) {
    return [id](const PointResult& r) { return r.speedup(id); };
  }

  std::vector<double> values(const Points& points, const Value& value, const Filter& wanted = all) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < cases_.size(); ++i)
      if (wanted(cases_[i])) out.push_back(value(points[ids_[i]]));
    return out;
  }

  void ideal(const Points& points, Summary& summary) const {
    const std::vector<double> ideal = values(points, speedup(ideal_overlap));
    summary.gate("t3-ideal-geo", geomean(ideal), 0.04);
    summary.gate("t3-ideal-max", largest(ideal), 0.05);
    std::size_t best = 0;
    for (std::size_t i = 0; i < ideal.size(); ++i) {
      if (ideal[i] > ideal[best]) best = i;
      if (cases_[i].name() == "Mega-GPT-2 OP TP16") summary.gate("t3-ideal-op16", ideal[i], 0.05);
    }
    const Case& c = cases_[best];
    summary.require("t3-ideal-max-case", "a T-NLG FC layer at TP16", c.name(),
                    c.is_fc() && c.tp == 16 && c.model.name == t_nlg().name);
  }

  void t3(const Points& points, Summary& summary) const {
    const std::vector<double> plain = values(points, speedup(shipped::t3));
    const std::vector<double> mca = values(points, speedup(t3_mca));
    const std::vector<double> gain =
        values(points, [](const PointResult& r) { return r.speedup(t3_mca) / r.speedup(shipped::t3); });
    const double ideal = geomean(values(points, speedup(ideal_overlap)));
    summary.report("t3-t3-geo", {geomean(plain)});
    summary.report("t3-t3-max", {largest(plain)});
    summary.report("t3-mca-geo", {geomean(mca)});
    summary.report("t3-mca-max", {largest(mca)});
    summary.report("t3-mca-over-t3-max", {largest(gain)});
    summary.report("t3-mca-over-t3-geo", {geomean(gain)});
    summary.report("t3-mca-vs-ideal", {100 * (1 - geomean(mca) / ideal)});
    const std::vector<double> behind = values(
        points,
        [](const PointResult& r) { return 100 * (1 - r.speedup(shipped::t3) / r.speedup(ideal_overlap)); },
        [](const Case& c) { return c.is_fc(); });
    unsigned many = 0;
    for (double b : behind) many += b > 15;
    summary.report_text(
        "t3-fc-behind-ideal",
        fmt::format("{} of 8 FC cases; mean {:.1f} %; most {:.1f} %", many, mean(behind), largest(behind)),
        many >= 4);
  }

  void relations(const Points& points, Summary& summary) const {
    const std::vector<double> ideal = values(points, speedup(ideal_overlap));
    for (const char* id : {shipped::t3, t3_mca}) {
      const std::string name(id);
      std::string outside;
      for (std::size_t i = 0; i < cases_.size(); ++i) {
        const PointResult& r = points[ids_[i]];
        if (r.speedup(id) < 1 || r.time_us(id) < r.time_us(ideal_rs_nmc)) outside += cases_[i].name() + "; ";
      }
      summary.require(name + "-range", "between 1 and ideal-rs-nmc in all 16",
                      outside.empty() ? "all 16" : "outside: " + outside, outside.empty());
      const double rho = rank_correlation(values(points, speedup(id)), ideal);
      summary.require(name + "-rank", "rank correlation with ideal-overlap >= 0.8",
                      fmt::format("{:.3f}", rho), rho >= 0.8);
    }
  }

  void near_memory(const Points& points, Summary& summary) const {
    const Value shorter = [](const PointResult& r) {
      return 100 * (1 - r.phase_us(ideal_rs_nmc, "rs_us") / r.phase_us(ideal_overlap, "rs_us"));
    };
    summary.report("t3-nmc-rs-tp8", {mean(values(points, shorter, with_tp(8)))});
    summary.report("t3-nmc-rs-tp16", {mean(values(points, shorter, with_tp(16)))});
    summary.report("t3-idealnmc-extra", {largest(values(points, [](const PointResult& r) {
                     return 100 * (r.speedup(ideal_rs_nmc) / r.speedup(ideal_overlap) - 1);
                   }))});
  }

  void traffic(const Points& points, Summary& summary) const {
    const auto ratio = [](std::vector<std::string> kinds) {
      return Value([kinds = std::move(kinds)](const PointResult& r) {
        double theirs = 0, ours = 0;
        for (const std::string& kind : kinds) {
          theirs += real(r.dram(sequential, kind));
          ours += real(r.dram(t3_mca, kind));
        }
        return theirs / ours;
      });
    };
    for (std::uint32_t tp : {8U, 16U}) {
      const double n = tp;
      const std::string suffix = fmt::format("-tp{}", tp);
      summary.exact("t3-rs-reads" + suffix, geomean(values(points, ratio({"rs_read"}), with_tp(tp))),
                    (2 * n - 1) / (n - 2));
      summary.exact("t3-writes" + suffix,
                    geomean(values(points, ratio({"gemm_write", "rs_write"}), with_tp(tp))), n / (n - 1));
      summary.report("t3-gemm-reads" + suffix, {geomean(values(points, ratio({"gemm_read"}), with_tp(tp)))});
    }
    const std::vector<double> less = values(points, [](const PointResult& r) {
      return 100 * (1 - dram_total(r, t3_mca) / dram_total(r, sequential));
    });
    summary.report("t3-dram-avg", {mean(less)});
    summary.report("t3-dram-max", {largest(less)});
  }

  std::string times_csv(const Points& points) const {
    std::string csv = "model,tp,layer,gemm_us,rs_us,ag_us,gemm_tflops\n";
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const Case& c = cases_[i];
      const PointResult& r = points[ids_[i]];
      const double gemm = r.phase_us(sequential, "gemm_us");
      const double flops = 2.0 * c.model.tokens() * c.model.hidden * c.k();
      csv +=
          fmt::format("{},{},{},{:.1f},{:.1f},{:.1f},{:.1f}\n", c.model.name, c.tp, to_string(c.layer), gemm,
                      r.phase_us(sequential, "rs_us"), r.phase_us(sequential, "ag_us"), flops / gemm / 1e6);
    }
    return csv;
  }

  std::string speedups_csv(const Points& points) const {
    std::string csv =
        "model,tp,layer,t3,t3-mca,ideal-overlap,ideal-rs-nmc,fused_us,fused_mca_us,tracker_peak\n";
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const Case& c = cases_[i];
      const PointResult& r = points[ids_[i]];
      double peak = 0;
      for (const auto& [key, value] : r.scheme(t3_mca).of("tracker"))
        if (key == "peak_entries") peak = std::visit([](auto v) { return static_cast<double>(v); }, value);
      csv += fmt::format("{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.1f},{:.1f},{:.0f}\n", c.model.name, c.tp,
                         to_string(c.layer), r.speedup(shipped::t3), r.speedup(t3_mca),
                         r.speedup(ideal_overlap), r.speedup(ideal_rs_nmc),
                         r.phase_us(shipped::t3, "fused_us"), r.phase_us(t3_mca, "fused_us"), peak);
    }
    return csv;
  }

  std::string dram_csv(const Points& points) const {
    std::string csv = "model,tp,layer,scheme,gemm_read,gemm_write,rs_read,rs_write,ag_read,ag_write\n";
    for (std::size_t i = 0; i < cases_.size(); ++i)
      for (const char* id : {sequential, shipped::t3, t3_mca}) {
        csv += fmt::format("{},{},{},{}", cases_[i].model.name, cases_[i].tp, to_string(cases_[i].layer), id);
        for (const char* kind : kTraffic)
          csv += fmt::format(",{:.3f}", real(points[ids_[i]].dram(id, kind)) / 1e6);
        csv += '\n';
      }
    return csv;
  }

  std::vector<Case> cases_;
  std::vector<PointId> ids_;
};

}  // namespace

FigurePtr sublayer_figures(const Config& machine, Points& points) {
  return std::make_unique<Sublayers>(machine, points);
}

}  // namespace t3sim::paper
