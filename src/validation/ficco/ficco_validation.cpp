#include "validation/ficco/ficco_validation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "results/text_table.h"
#include "validation/ficco/findings.h"

namespace t3sim::ficco {
namespace {

constexpr double kSteps = 8;

std::string schedules_csv(const std::vector<ShapeTimes>& shapes) {
  std::string csv = "shape,m,n_own,k,schedule,us,sample_error_us,speedup\n";
  for (const ShapeTimes& s : shapes) {
    const auto line = [&](std::string_view name, double us, double error) {
      csv += fmt::format("{},{},{},{},{},{:.1f},{:.1f},{:.4f}\n", s.shape.name, s.shape.m, s.shape.own_n(),
                         s.shape.k, name, us, error, s.us(Run::serial) / us);
    };
    line("serial", s.us(Run::serial), s.runs.at(Run::serial).sample_error_us);
    line("ideal", s.us(Run::serial) / s.ideal(), 0);
    for (const Run run : kSchedules) line(to_string(run), s.us(run), s.runs.at(run).sample_error_us);
  }
  return csv;
}

std::string parts_csv(const std::vector<ShapeTimes>& shapes) {
  std::string csv = "shape,part,us,sample_error_us,over_whole\n";
  for (const ShapeTimes& s : shapes)
    for (const Run run : kRuns) {
      if (run >= Run::serial) break;
      const Run whole = run >= Run::gather ? Run::gather : Run::gemm;
      csv += fmt::format("{},{},{:.1f},{:.1f},{:.4f}\n", s.shape.name, to_string(run), s.us(run),
                         s.runs.at(run).sample_error_us, s.us(run) / s.us(whole));
    }
  return csv;
}

std::string contention_csv(const std::vector<ShapeTimes>& shapes) {
  std::string csv = "shape,beside,gemm,communication\n";
  for (const ShapeTimes& s : shapes)
    for (const auto& [name, run] :
         {std::pair{"copies in pieces", Run::hetero_unfused}, std::pair{"copies of shards", Run::shard_p2p},
          std::pair{"CUs that send pieces", Run::rccl}})
      if (const auto& together = s.runs.at(run).together)
        csv +=
            fmt::format("{},{},{:.4f},{:.4f}\n", s.shape.name, name, together->gemm, together->communication);
  return csv;
}

std::string heuristic_csv(const Simulated& simulated) {
  std::string csv = "shape,unseen,m,n_own,k,tflop,best,best_speedup,picked,picked_speedup\n";
  const std::optional<double> threshold = fitted_threshold(simulated.shapes);
  if (!threshold) return csv;
  for (const auto* shapes : {&simulated.shapes, &simulated.unseen})
    for (const ShapeTimes& s : *shapes) {
      const Run pick = heuristic(s.shape, *threshold);
      csv += fmt::format("{},{},{},{},{},{:.2f},{},{:.4f},{},{:.4f}\n", s.shape.name,
                         shapes == &simulated.unseen ? 1 : 0, s.shape.m, s.shape.own_n(), s.shape.k,
                         s.shape.flops() * 1e-12, to_string(s.best()), s.speedup(s.best()), to_string(pick),
                         s.speedup(pick));
    }
  return csv;
}

std::string table_of(const std::vector<ShapeTimes>& shapes) {
  TextTable table;
  table.cells({"speed-up over serial", "GEMM us", "gather us", "serial us", "ideal"});
  for (const Run run : kSchedules) table.cell(std::string(to_string(run)));
  table.cell("best");
  for (const ShapeTimes& s : shapes) {
    table.row();
    table.cells({s.shape.name, fmt::format("{:.0f}", s.us(Run::gemm)),
                 fmt::format("{:.0f}", s.us(Run::gather)), fmt::format("{:.0f}", s.us(Run::serial)),
                 fmt::format("{:.3f}", s.ideal())});
    for (const Run run : kSchedules) table.cell(fmt::format("{:.3f}", s.speedup(run)));
    table.cell(std::string(to_string(s.best())));
  }
  return table.text();
}

// Points of some shapes' runs, and where they are.
class Asked {
 public:
  Asked(const Config& machine, model::Points& points) : machine_(machine), points_(points) {}

  template <class Runs>
  std::vector<ShapeTimes> times(const std::vector<Shape>& shapes, const Runs& runs) const {
    std::vector<ShapeTimes> all;
    for (const Shape& shape : shapes) {
      all.push_back({shape, {}});
      for (const Run run : runs) {
        const model::PointResult& result = points_[points_.add(configure(machine_, shape, run))];
        all.back().runs[run] = {result.schemes.begin()->second.time_us, result.sample_error_us,
                                result.together};
      }
    }
    return all;
  }
  template <class Runs>
  void add(const std::vector<Shape>& shapes, const Runs& runs) {
    for (const Shape& shape : shapes)
      for (const Run run : runs) points_.add(configure(machine_, shape, run));
  }

 private:
  const Config& machine_;
  model::Points& points_;
};

}  // namespace

double ShapeTimes::ideal() const {
  const double gemm = us(Run::gemm), gather = us(Run::gather);
  return us(Run::serial) / (std::max(gemm, gather) + std::min(gemm, gather) / kSteps);
}

Run ShapeTimes::best() const {
  return *std::ranges::min_element(kChoices, {}, [&](Run run) { return us(run); });
}

Simulated simulate(const Config& machine, const std::vector<Shape>& shapes, const std::vector<Shape>& unseen,
                   const model::PointOptions& options) {
  model::Points points;
  Asked asked(machine, points);
  asked.add(shapes, kRuns);
  asked.add(unseen, kJudged);
  points.run(options);
  return {asked.times(shapes, kRuns), asked.times(unseen, kJudged), points.kept_lines()};
}

std::vector<Shape> finished(const Config& machine, const std::vector<Shape>& shapes,
                            const model::KeptRuns& kept, bool unseen) {
  model::Points points;
  const auto is_kept = [&](const Shape& shape) {
    return [&](Run run) { return points.is_kept(points.add(configure(machine, shape, run)), kept); };
  };
  std::vector<Shape> whole;
  for (const Shape& shape : shapes)
    if (unseen ? std::ranges::all_of(kJudged, is_kept(shape)) : std::ranges::all_of(kRuns, is_kept(shape)))
      whole.push_back(shape);
  return whole;
}

bool Report::passed() const { return std::ranges::all_of(findings, &Finding::hit); }

Report report_of(const Simulated& simulated) {
  const std::vector<ShapeTimes>& shapes = simulated.shapes;
  Report report;
  report.findings = findings_of(shapes);
  for (Finding& finding : heuristic_findings(shapes, simulated.unseen))
    report.findings.push_back(std::move(finding));
  report.schedules_csv = schedules_csv(shapes);
  report.parts_csv = parts_csv(shapes);
  report.contention_csv = contention_csv(shapes);
  report.heuristic_csv = heuristic_csv(simulated);
  report.findings_csv = "what,published,ours,verdict\n";
  TextTable table;
  table.cells({"what", "published", "ours", ""});
  for (const Finding& f : report.findings) {
    const std::string verdict = !f.judged ? "beside" : f.hit ? "hit" : "miss";
    table.row();
    table.cells({f.what, f.published, f.ours, verdict});
    report.findings_csv += fmt::format("\"{}\",\"{}\",\"{}\",{}\n", f.what, f.published, f.ours, verdict);
  }
  report.text = table_of(shapes) + "\n" + table.text() +
                "\nTimes are put together from short runs of phases (run.sampling: phases), and GPU 0 stands "
                "for all. \"At most\", \"at worst\" and \"reaches\" are of the shapes that were run.\n";
  return report;
}

}  // namespace t3sim::ficco
