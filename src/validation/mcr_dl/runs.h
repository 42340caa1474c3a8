// A model's step under backends: each alone, mixed by operation, mixed by operation and size.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "message/backend.h"
#include "model/backend_costs.h"
#include "model/backend_table.h"
#include "model/call_overhead.h"
#include "model/graph.h"

namespace t3sim::mcr_dl {

// A framework: what it adds to a call (Figure 7), and whether all calls of a backend share a stream (section V.C).
struct Framework {
  model::CallOverhead overhead;
  bool one_stream = false;
};
inline constexpr Framework kPyTorch{{18, 4}, true}, kMcrDl{{5, 1}, false};

enum class Mix : std::uint8_t { none, by_operation, by_size };

struct StepTime {
  double us = 0, communication_us = 0, exposed_us = 0;
  std::map<message::Kind, double> by_kind;                   // us of collectives
  std::map<message::Kind, std::map<std::string, int>> used;  // calls, by backend
  double share() const { return 100 * exposed_us / us; }
};

// On one machine; what is run is kept for all that follow.
class Runs {
 public:
  Runs(const Config& machine, std::string kept) : machine_(machine), costs_(machine_, std::move(kept)) {}

  // Of the graph's groups: at powers of two from 1 KiB to 1 GiB, or at those around the graph's calls alone.
  model::BackendTable tune(const model::Graph& graph, const std::vector<message::Backend>& backends,
                           bool all);
  // `table`: of Mix by_operation and by_size; none: the first backend alone.
  StepTime step(model::Graph graph, const std::vector<message::Backend>& backends, Mix mix,
                const model::BackendTable* table, const Framework& framework);
  model::BackendCosts& costs() { return costs_; }

 private:
  Config machine_;
  model::BackendCosts costs_;
};

}  // namespace t3sim::mcr_dl
