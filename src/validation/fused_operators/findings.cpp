#include "validation/fused_operators/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number.h"

namespace t3sim::fused_operators {
namespace {

class Findings {
 public:
  Findings(const std::vector<Timed>& times, const std::vector<Band>& bands) : times_(times), bands_(bands) {}

  std::vector<Finding> all() {
    savings(8, "embedding + all-to-all in a node", 20, 32);
    savings(9, "GEMV + all-reduce", 13, 22);
    savings(10, "GEMM + all-to-all", 12, 20);
    savings(12, "embedding + all-to-all between nodes", 31, 58);
    in_node();
    between_nodes();
    gemv();
    occupancy();
    skew("oblivious", 7);
    skew("aware", 1);
    return std::move(findings_);
  }

 private:
  static constexpr double kPoints = 6, kSkewPoints = 2, kOccupancyPoints = 10, kWidestBand = 15;

  const Timed* find(int figure, const std::string& bar, const std::string& series) const {
    const auto it = std::ranges::find_if(times_, [&](const Timed& t) {
      return t.measure.figure == figure && t.measure.bar == bar && t.measure.series == series;
    });
    return it == times_.end() ? nullptr : &*it;
  }
  // In %, of the fused runs of a figure, by bar.
  std::vector<double> savings_of(int figure) const {
    std::vector<double> all;
    for (const Timed& t : times_)
      if (t.measure.figure == figure && t.measure.series == "fused")
        all.push_back(100 * (1 - t.us / find(figure, t.measure.bar, "baseline")->us));
    return all;
  }
  void near(const std::string& what, double published, double points, double ours) {
    findings_.push_back({what,
                         fmt::format("{} +- {}", published, points),
                         fmt::format("{:.1f}", ours),
                         std::abs(ours - published) <= points,
                         true,
                         {},
                         {},
                         {}});
  }
  void sign(const std::string& what, const std::string& published, double less, double more) {
    findings_.push_back(
        {what, published, fmt::format("{:.1f} < {:.1f}", less, more), less < more, true, {}, {}, {}});
  }
  void beside(const std::string& what, double published, double ours) {
    findings_.push_back(
        {what, fmt::format("{}", published), fmt::format("{:.1f}", ours), false, false, {}, {}, {}});
  }

  void savings(int figure, const std::string& what, double mean, double most) {
    const std::vector<double> all = savings_of(figure);
    if (all.empty()) return;
    double sum = 0;
    for (const double saving : all) sum += saving;
    const double ours = sum / real(all.size());
    near(what + ": saves in the mean, %", mean, kPoints, ours);
    for (const Band& band : bands_)
      if (band.figure == figure) add(band, mean, ours);
    beside(what + ": saves at most, %", most, *std::ranges::max_element(all));
  }
  void add(const Band& band, double published, double ours) {
    Finding& finding = findings_.back();
    double low = ours, high = ours, most = 0;
    for (const Band::Move& move : band.moves) {
      low = std::min(low, ours + move.points);
      high = std::max(high, ours + move.points);
      if (std::abs(move.points) < most) continue;
      most = std::abs(move.points);
      finding.decides = fmt::format("{} {}", move.input, move.value);
    }
    finding.low = fmt::format("{:.1f}", low);
    finding.high = fmt::format("{:.1f}", high);
    if (low <= published && published <= high && high - low <= kWidestBand) finding.hit = true;
  }
  // Bars of a figure of embeddings, in the order of the batch.
  std::vector<const Timed*> fused_of(int figure) const {
    std::vector<const Timed*> all;
    for (const Timed& t : times_)
      if (t.measure.figure == figure && t.measure.series == "fused") all.push_back(&t);
    return all;
  }
  void in_node() {
    const std::vector<double> all = savings_of(8);
    if (all.empty()) return;
    sign("in a node: batch 512 gains less than 2048, %", "less", all.front(), all.back());
    beyond(8, *fused_of(8).back(), "in a node, the largest batch");
  }
  void between_nodes() {
    if (!fused_of(12).empty()) beyond(12, *fused_of(12).front(), "between nodes, batch 256");
  }
  // Better than an all-to-all that is hidden altogether.
  void beyond(int figure, const Timed& fused, const std::string& what) {
    sign(what + ": below the embedding alone, us", "below", fused.us,
         find(figure, fused.measure.bar, "embedding alone")->us);
  }
  void gemv() {
    const std::vector<double> all = savings_of(9);
    if (all.empty()) return;
    sign("GEMV: M = 64k gains less than 8k, %", "less", all.back(), all.front());
  }
  void occupancy() {
    const Timed *quarter = find(13, "25", "fused"), *most = find(13, "75", "fused"),
                *above = find(13, "87.5", "fused");
    if (!quarter) return;
    near("occupancy 25 to 75 % saves, %", 46, kOccupancyPoints, 100 * (1 - most->us / quarter->us));
    beside("occupancy 75 to 87.5 % costs, %", 25, 100 * (above->us / most->us - 1));
  }
  void skew(const std::string& series, double published) {
    double sum = 0;
    int bars = 0;
    for (const Timed& t : times_)
      if (t.measure.figure == 14 && t.measure.series == series) {
        sum += 100 * std::abs(t.gpu_us[1] - t.gpu_us[0]) / t.gpu_us[0];
        ++bars;
      }
    if (bars > 0) near(series + " order: skew in the mean, %", published, kSkewPoints, sum / bars);
  }

  const std::vector<Timed>& times_;
  const std::vector<Band>& bands_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> findings_of(const std::vector<Timed>& times, const std::vector<Band>& bands) {
  return Findings(times, bands).all();
}

}  // namespace t3sim::fused_operators
