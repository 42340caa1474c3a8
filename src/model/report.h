// What a run of a graph yields, for people and for programs.
#pragma once

#include <string>

#include "model/builder.h"
#include "model/schedule.h"

namespace t3sim::model {

// Operations by name: how often, what, bytes, FLOPs, where their times come from.
std::string explain_graph(const Graph& graph);
std::string graph_table(const Graph& graph, const Timed& timed);
// results.json, operations.csv and a time line for Perfetto or chrome://tracing: one process a class of GPUs.
std::string graph_json(const Graph& graph, const Timed& timed);
std::string operations_csv(const Graph& graph, const Timed& timed);
std::string graph_timeline(const Graph& graph, const Timed& timed);

}  // namespace t3sim::model
