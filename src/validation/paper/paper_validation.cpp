#include "validation/paper/paper_validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"

namespace t3sim::paper {
namespace {

struct Part {
  std::vector<unsigned> figures;  // empty: not a figure, made with all of them
  FigurePtr (*make)(const Config& machine, Points& points);
};

const Part kParts[] = {
    {{15, 16, 18}, sublayer_figures}, {{6}, cu_sharing_figure},  {{14}, ring_figure}, {{17}, traffic_figure},
    {{4, 19}, end_to_end_figures},    {{20}, double_cus_figure}, {{}, tracker_size},
};

bool wanted(const Part& part, std::optional<unsigned> figure) {
  return !figure || std::ranges::find(part.figures, *figure) != part.figures.end();
}

}  // namespace

std::vector<unsigned> known_figures() {
  std::vector<unsigned> figures;
  for (const Part& part : kParts) figures.insert(figures.end(), part.figures.begin(), part.figures.end());
  std::sort(figures.begin(), figures.end());
  return figures;
}

Report validate(const Config& machine, const Targets& targets, std::optional<unsigned> figure, bool sensitive,
                const PointOptions& options) {
  const std::vector<unsigned> known = known_figures();
  if (figure && std::ranges::find(known, *figure) == known.end())
    throw InputError(fmt::format("validate paper: --figure: {} is unknown; these are known: {}", *figure,
                                 fmt::join(known, ", ")));
  Points points;
  std::vector<FigurePtr> figures;
  if (sensitive)
    figures.push_back(sensitivity(machine, points));
  else
    for (const Part& part : kParts)
      if (wanted(part, figure)) figures.push_back(part.make(machine, points));
  points.run(options);
  Report report(targets);
  for (const FigurePtr& f : figures) f->report(points, report);
  return report;
}

}  // namespace t3sim::paper
