// What the links of a graph have carried: for people and pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "interconnect/topology.h"
#include "sim/time.h"

namespace t3sim {

struct LinkLoad {
  std::uint64_t bytes = 0;  // headers left out
  Tick busy = 0;
};
// Over `time` ticks.
struct LinkLoads {
  std::vector<LinkLoad> links;     // by link of the graph
  std::vector<LinkLoad> vertices;  // by vertex: of cards and memories with a rate
  Tick time = 0;

  void add(const LinkLoads& other);
  double share(const LinkLoad& load) const { return time == 0 ? 0 : real(load.busy) / real(time); }
};

// The link that was busy longest, or the card or memory if that was busier still.
struct Fullest {
  std::string name;  // "plx0>gpu3", "card1"
  double share = 0;  // of the time
};
Fullest fullest(const Graph& graph, const LinkLoads& loads);

// The graph as an SVG image, links coloured by the share of the time that they were busy. Its text is `title`,
// and the fullest link.
std::string picture(const TopologyConfig& config, const Topology& topology, const LinkLoads& loads,
                    std::string_view title);

// A line a link: "link,from,to,GBps,bytes,busy_us,busy_share".
std::string links_csv(const Topology& topology, const LinkLoads& loads, const TimeBase& time,
                      std::string_view scheme, bool head);

// What --explain says of a topology: its vertices and links, and the ways of `used`, by what they pass.
std::string explain(const TopologyConfig& config, const Topology& topology, const std::vector<Route>& used);

}  // namespace t3sim
