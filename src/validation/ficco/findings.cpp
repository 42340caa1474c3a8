#include "validation/ficco/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

#include "base/number.h"
#include "validation/statistics.h"

namespace t3sim::ficco {
namespace {

using Of = std::function<double(const ShapeTimes&)>;

std::vector<double> of_all(const std::vector<ShapeTimes>& shapes, const Of& of) {
  std::vector<double> values;
  for (const ShapeTimes& s : shapes) values.push_back(of(s));
  return values;
}
double smallest(const std::vector<double>& v) { return *std::ranges::min_element(v); }

Finding near(std::string what, double published, double tolerance, double ours) {
  return {std::move(what), fmt::format("{} +- {}", published, tolerance), fmt::format("{:.3f}", ours),
          std::abs(ours - published) <= tolerance};
}

// About what 16 shapes give by chance one time in twenty, either way.
constexpr double kLeastCorrelation = 0.5;

Finding trend(std::string what, bool rises, double correlation) {
  return {std::move(what), rises ? "rises" : "falls", fmt::format("rank correlation {:.2f}", correlation),
          (rises ? correlation : -correlation) >= kLeastCorrelation};
}

double best_of(const ShapeTimes& s, std::initializer_list<Run> runs) {
  double best = 0;
  for (const Run run : runs) best = std::max(best, s.speedup(run));
  return best;
}

void add_speedups(const std::vector<ShapeTimes>& shapes, std::vector<Finding>& to) {
  const auto all = [&](const Of& of) { return of_all(shapes, of); };
  const auto p2p = all([](const ShapeTimes& s) { return s.speedup(Run::shard_p2p); });
  to.push_back(near("shard-p2p communicates slower, times", 7.0, 0.14, geomean(all([](const ShapeTimes& s) {
                      return s.us(Run::gather_p2p) / s.us(Run::gather);
                    }))));
  to.push_back({"shard-p2p gains over serial at most", "at most 1.02", fmt::format("{:.3f}", largest(p2p)),
                largest(p2p) <= 1.02});
  to.push_back(near("shard-p2p is slower at worst, times", 3.9, 0.4, 1 / smallest(p2p)));
  to.push_back(near("ideal reaches", 1.7, 0.1, largest(all([](const ShapeTimes& s) { return s.ideal(); }))));
  to.push_back(near("best 1D reaches", 1.6, 0.1, largest(all([](const ShapeTimes& s) {
                      return best_of(s, {Run::uniform_1d, Run::hetero_fused, Run::hetero_unfused});
                    }))));
  to.push_back(near("2D reaches", 1.7, 0.15,
                    largest(all([](const ShapeTimes& s) { return s.speedup(Run::uniform_2d); }))));
}

// Section IV-C: decomposition.
void add_pieces(const std::vector<ShapeTimes>& shapes, std::vector<Finding>& to) {
  constexpr double kAlike = 0.02;
  const auto over_whole = [](Run run) {
    return Of([run](const ShapeTimes& s) { return s.us(run) / s.us(Run::gemm); });
  };
  for (const ShapeTimes& s : shapes) {
    const double rows = over_whole(Run::rows8)(s), columns = over_whole(Run::columns8)(s);
    const bool rows_cost_more = s.shape.m < s.shape.k;
    to.push_back({fmt::format("{}: 8 pieces of rows over the whole, of K", s.shape.name),
                  rows_cost_more ? "rows cost more" : "K costs more",
                  fmt::format("{:.3f}, {:.3f}", rows, columns), rows_cost_more == (rows > columns)});
  }
  for (const auto& [what, coarse, fine] :
       {std::tuple{"rows", Run::rows8, Run::rows64}, std::tuple{"K", Run::columns8, Run::columns64}}) {
    const auto less = std::ranges::count_if(
        shapes, [&](const ShapeTimes& s) { return s.us(fine) < (1 - kAlike) * s.us(coarse); });
    to.push_back({fmt::format("64 pieces of {} take less than 8", what), "on no shape",
                  fmt::format("on {} of {}", less, shapes.size()), less == 0});
  }
  if (shapes.size() < 3) return;
  // Of what results (section IV-C1): a piece.
  to.push_back(trend(
      "8 pieces of rows over the whole, by a piece's arithmetic intensity", false,
      rank_correlation(of_all(shapes, [](const ShapeTimes& s) { return s.shape.in_rows(8).intensity(); }),
                       of_all(shapes, over_whole(Run::rows8)))));
  to.push_back(
      trend("8 pieces of K over the whole, by a piece's arithmetic intensity", false,
            rank_correlation(of_all(shapes, [](const ShapeTimes& s) { return s.shape.in_k(8).intensity(); }),
                             of_all(shapes, over_whole(Run::columns8)))));
}

// Figure 8's 1.10 is printed, not judged: hardware's copies lose what these do not have.
void add_communication(const std::vector<ShapeTimes>& shapes, std::vector<Finding>& to) {
  const auto loss =
      of_all(shapes, [](const ShapeTimes& s) { return s.us(Run::gather_small) / s.us(Run::gather); });
  to.push_back({"communication in 8 pieces over the whole", "1.10", fmt::format("{:.3f}", geomean(loss)),
                false, false});
  if (shapes.size() < 3) return;
  to.push_back(trend(
      "the same, by size of a piece", false,
      rank_correlation(of_all(shapes, [](const ShapeTimes& s) { return s.shape.gathered_bytes(); }), loss)));
}

// Section IV-D: contention, of shapes that have all three kinds of it.
void add_contention(const std::vector<ShapeTimes>& all, std::vector<Finding>& to) {
  std::vector<ShapeTimes> shapes;
  std::ranges::copy_if(all, std::back_inserter(shapes), [](const ShapeTimes& s) {
    return std::ranges::all_of(kContention, [&](Run run) { return s.runs.at(run).together.has_value(); });
  });
  if (shapes.empty()) {
    to.push_back({"contention", "held", "no shape has a GEMM beside communication alone", false});
    return;
  }
  const auto slower = [](Run run, double Contention::*of) {
    return Of([=](const ShapeTimes& s) { return (*s.runs.at(run).together).*of; });
  };
  const auto mean = [&](Run run, double Contention::*of) { return geomean(of_all(shapes, slower(run, of))); };
  const Of gemm = slower(Run::hetero_unfused, &Contention::gemm);
  to.push_back(
      near("GEMM beside copies in pieces, slower", 1.11, 0.05, mean(Run::hetero_unfused, &Contention::gemm)));
  to.push_back(
      near("GEMM beside copies of shards, slower", 1.07, 0.05, mean(Run::shard_p2p, &Contention::gemm)));
  to.push_back(near("copies in pieces beside a GEMM, slower", 1.12, 0.10,
                    mean(Run::hetero_unfused, &Contention::communication)));
  to.push_back(near("copies of shards beside a GEMM, slower", 1.03, 0.10,
                    mean(Run::shard_p2p, &Contention::communication)));
  const auto below = std::ranges::count_if(
      shapes, [&](const ShapeTimes& s) { return gemm(s) < slower(Run::rccl, &Contention::gemm)(s); });
  to.push_back({"copy engines slow GEMMs less than CUs that send", "on all shapes",
                fmt::format("on {} of {}", below, shapes.size()), below == std::ssize(shapes)});
  if (shapes.size() < 3) return;
  const auto traffic = of_all(shapes, [](const ShapeTimes& s) { return s.shape.in_rows(8).traffic(); });
  to.push_back(trend("GEMM beside copies, by the GEMM's memory traffic", true,
                     rank_correlation(traffic, of_all(shapes, gemm))));
  to.push_back(trend(
      "copies beside a GEMM, by the GEMM's memory traffic", true,
      rank_correlation(traffic, of_all(shapes, slower(Run::hetero_unfused, &Contention::communication)))));
}

bool threshold_counts(const Shape& shape) { return shape.m > shape.k; }

int right(const std::vector<ShapeTimes>& shapes, double threshold) {
  return narrow<int>(std::ranges::count_if(
      shapes, [&](const ShapeTimes& s) { return s.nearly_best(heuristic(s.shape, threshold)); }));
}

}  // namespace

std::vector<Finding> findings_of(const std::vector<ShapeTimes>& shapes) {
  std::vector<Finding> findings;
  add_speedups(shapes, findings);
  add_pieces(shapes, findings);
  add_communication(shapes, findings);
  add_contention(shapes, findings);
  return findings;
}

std::optional<double> fitted_threshold(const std::vector<ShapeTimes>& shapes) {
  // The rule changes where a shape's FLOPs are the threshold, or kUnfusedTimes times it.
  std::vector<double> edges;
  for (const ShapeTimes& s : shapes)
    if (threshold_counts(s.shape))
      for (const double edge : {s.shape.flops(), s.shape.flops() / kUnfusedTimes}) edges.push_back(edge);
  if (edges.empty()) return std::nullopt;
  std::ranges::sort(edges);
  edges.insert(edges.begin(), edges.front() / 4);
  edges.push_back(edges.back() * 4);
  std::vector<int> counts;  // between one edge and the next
  for (std::size_t i = 0; i + 1 < edges.size(); ++i)
    counts.push_back(edges[i] == edges[i + 1] ? -1 : right(shapes, std::sqrt(edges[i] * edges[i + 1])));
  const int most = *std::ranges::max_element(counts);
  // Where it is right as often over several neighbours, the widest such stretch, and its middle.
  double from = 0, to = 0;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t end = i + 1;
    if (counts[i] == most) {
      while (end < counts.size() && (counts[end] == most || counts[end] == -1)) ++end;
      if (from == 0 || edges[end] / edges[i] > to / from) from = edges[i], to = edges[end];
    }
    i = end;
  }
  return std::sqrt(from * to);
}

std::vector<Finding> heuristic_findings(const std::vector<ShapeTimes>& shapes,
                                        const std::vector<ShapeTimes>& unseen) {
  const std::optional<double> fitted = fitted_threshold(shapes);
  if (!fitted)
    return {{"heuristic right on Table I", "16 of 16; 14 held", "not fitted: no shape with M > K was run",
             false}};
  const double threshold = *fitted;
  const auto share = [](int count, std::size_t of) { return 100.0 * count / real(of); };
  std::vector<Finding> findings;
  const int on_table = right(shapes, threshold);
  findings.push_back({fmt::format("heuristic right on Table I, threshold {:.2g} FLOPs", threshold),
                      "16 of 16; 14 held", fmt::format("{} of {}", on_table, shapes.size()),
                      share(on_table, shapes.size()) >= share(14, 16)});
  if (unseen.empty()) return findings;
  const int right_unseen = right(unseen, threshold);
  const double percent = share(right_unseen, unseen.size());
  findings.push_back({"heuristic right on unseen shapes, %", "81 +- 10",
                      fmt::format("{:.0f} ({} of {})", percent, right_unseen, unseen.size()),
                      std::abs(percent - 81) <= 10});
  double lost = 0;
  for (const ShapeTimes& s : unseen)
    if (const Run pick = heuristic(s.shape, threshold); !s.nearly_best(pick))
      lost += 1 - s.us(s.best()) / s.us(pick);
  findings.push_back({"where it is wrong, speed lost, %", "14",
                      fmt::format("{:.0f}", 100 * ratio(lost, real(unseen.size()) - right_unseen)), false,
                      false});
  return findings;
}

}  // namespace t3sim::ficco
