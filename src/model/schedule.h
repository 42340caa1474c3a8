// When each operation of a graph runs.
//
//   begins when all that it comes after has ended, it is its turn in its stream on all of its GPUs, and these are free of
//   the stream's last one; takes its time; collectives that run at the same time share the links that they have in common
//
// A collective on idle links uses of each link so much of its bandwidth (LinkUse::share). Of several, each goes on at a share
// of its own speed such that no link has more than it can carry; shares grow alike until a link is full (max-min fair). What
// computes takes as long as it does alone, whatever the links do.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/collective_costs.h"
#include "model/fusion.h"
#include "model/graph.h"

namespace t3sim::model {

struct Span {
  Picoseconds begin = 0, end = 0;
};

// GPUs that do the same from begin to end.
struct GpuClass {
  GpuSet gpus;
  Picoseconds compute = 0, communication = 0;  // time in which any of it runs
  Picoseconds exposed = 0;                     // communication while nothing computes
};

struct Timed {
  Picoseconds end = 0;
  std::vector<Span> spans;  // by operation
  std::vector<GpuClass> classes;
  std::vector<FusedCall> fused;  // whose operations have its begin and end
};

// `shares`: by operation, null for what is no call. `fused`: needed where a call says fuse. Throws NoProgressError where
// streams hold each other up.
Timed run_graph(const Graph& graph, const std::vector<const LinkShares*>& shares,
                FusedCosts* fused = nullptr);

}  // namespace t3sim::model
