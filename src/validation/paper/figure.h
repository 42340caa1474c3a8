// A figure of the paper: asks for runs when it is made, writes its CSV and its rows of the summary after
// them.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "validation/paper/cases.h"
#include "validation/paper/points.h"
#include "validation/paper/summary.h"
#include "validation/statistics.h"

namespace t3sim::paper {

struct Report {
  explicit Report(const Targets& targets) : summary(targets) {}
  Summary summary;
  std::vector<std::pair<std::string, std::string>> files;  // name, content
  std::string text;                                        // for the terminal, beside the summary
};

class Figure {
 public:
  virtual ~Figure() = default;
  virtual void report(const Points& points, Report& report) const = 0;
};

using FigurePtr = std::unique_ptr<Figure>;

// Figures 15, 16 and 18: the 16 sub-layers. One set of runs.
FigurePtr sublayer_figures(const Config& machine, Points& points);
// Figure 6: the price of sharing CUs.
FigurePtr cu_sharing_figure(const Config& machine, Points& points);
// Figure 14: ring reduce-scatter against its closed form.
FigurePtr ring_figure(const Config& machine, Points& points);
// Figure 17: DRAM traffic over time.
FigurePtr traffic_figure(const Config& machine, Points& points);
// Figures 4 and 19: whole models.
FigurePtr end_to_end_figures(const Config& machine, Points& points);
// Figure 20: twice the CUs.
FigurePtr double_cus_figure(const Config& machine, Points& points);
// Section 4.2.1: the Tracker's storage.
FigurePtr tracker_size(const Config& machine, Points& points);
// What moves the reported rows: settings varied one at a time on four cases.
FigurePtr sensitivity(const Config& machine, Points& points);

// The machine with a case and some of the schemes.
Config configure(const Config& machine, const Case& c, std::vector<std::string> schemes);
inline const std::vector<std::string> kAllSchemes{shipped::sequential, shipped::t3, shipped::t3_mca,
                                                  shipped::ideal_overlap, shipped::ideal_rs_nmc};

}  // namespace t3sim::paper
