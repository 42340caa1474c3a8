#include "model/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/number.h"
#include "config/units.h"

namespace t3sim::model {
namespace {

double us(Picoseconds time) { return real(time) / 1e6; }
std::string size(std::uint64_t bytes) { return config::format_quantity(config::kSize, bytes); }

// All operations of a name, kind and source on the GPUs of a set.
struct Sum {
  const Operation* first;
  std::uint64_t count = 0;
  double time_us = 0, flops = 0;
  std::uint64_t bytes = 0;
};

std::vector<Sum> sums_of(const Graph& graph, const Timed* timed) {
  std::vector<Sum> sums;
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const Operation& o = graph.operations[i];
    auto at = std::ranges::find_if(sums, [&](const Sum& s) {
      return s.first->set == o.set && s.first->name == o.name && s.first->kind == o.kind &&
             s.first->source == o.source;
    });
    if (at == sums.end()) at = sums.insert(at, {&o, 0, 0, 0, 0});
    ++at->count;
    at->time_us += timed ? us(timed->spans[i].end - timed->spans[i].begin) : us(o.time);
    at->flops += o.flops;
    at->bytes += o.bytes;
  }
  return sums;
}

std::string gpus_text(const GpuSet& set) {
  if (set.size() == 1) return fmt::format("{}", set.front());
  const bool gapless = set.back() - set.front() + 1 == set.size();
  return gapless ? fmt::format("{}..{}", set.front(), set.back())
                 : fmt::format("{} GPUs from {}", set.size(), set.front());
}

nlohmann::ordered_json json_of(const Graph& graph, const Sum& s) {
  return {{"name", s.first->name},
          {"what", s.first->kind},
          {"gpus", graph.sets[s.first->set]},
          {"stream", graph.streams[s.first->stream]},
          {"count", s.count},
          {"time_us", s.time_us},
          {"bytes", s.bytes},
          {"flops", s.flops},
          {"source", s.first->source}};
}

}  // namespace

std::string explain_graph(const Graph& graph) {
  std::string text =
      fmt::format("{}: {} operations on {} GPUs\n{:<30}{:<14}{:>7}{:>12}{:>12}{:>12}  {:<34}{}\n", graph.name,
                  graph.operations.size(), graph.gpus, "operation", "GPUs", "times", "us each", "bytes",
                  "GFLOP", "what", "source of its time");
  for (const Sum& s : sums_of(graph, nullptr))
    text +=
        fmt::format("{:<30}{:<14}{:>7}{:>12.2f}{:>12}{:>12.2f}  {:<34}{}\n", s.first->name,
                    gpus_text(graph.sets[s.first->set]), s.count, s.time_us / real(s.count),
                    size(s.bytes / s.count), s.flops / real(s.count) / 1e9, s.first->kind, s.first->source);
  return text;
}

std::string graph_table(const Graph& graph, const Timed& timed) {
  std::string text =
      fmt::format("{}: {:.1f} us\n\n{:<16}{:>14}{:>18}{:>14}{:>12}\n", graph.name, us(timed.end), "GPUs",
                  "compute us", "communication us", "exposed us", "idle us");
  for (const GpuClass& c : timed.classes)
    text += fmt::format("{:<16}{:>14.1f}{:>18.1f}{:>14.1f}{:>12.1f}\n", gpus_text(c.gpus), us(c.compute),
                        us(c.communication), us(c.exposed), us(timed.end - c.compute - c.exposed));
  return text;
}

std::string graph_json(const Graph& graph, const Timed& timed) {
  nlohmann::ordered_json json{{"schema", 1},
                              {"graph", graph.name},
                              {"gpus", graph.gpus},
                              {"time_us", us(timed.end)},
                              {"classes", nlohmann::ordered_json::array()},
                              {"operations", nlohmann::ordered_json::array()}};
  for (const GpuClass& c : timed.classes)
    json["classes"].push_back({{"gpus", c.gpus},
                               {"compute_us", us(c.compute)},
                               {"communication_us", us(c.communication)},
                               {"exposed_us", us(c.exposed)},
                               {"idle_us", us(timed.end - c.compute - c.exposed)}});
  for (const Sum& s : sums_of(graph, &timed)) json["operations"].push_back(json_of(graph, s));
  return json.dump(2) + "\n";
}

std::string operations_csv(const Graph& graph, const Timed& timed) {
  std::string csv = "operation,what,gpus,stream,begin_us,end_us,alone_us,bytes,source\n";
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const Operation& o = graph.operations[i];
    csv += fmt::format("{},{},{},{},{:.6f},{:.6f},{:.6f},{},{}\n", csv_field(o.name), csv_field(o.kind),
                       gpus_text(graph.sets[o.set]), csv_field(graph.streams[o.stream]),
                       us(timed.spans[i].begin), us(timed.spans[i].end), us(o.time), o.bytes,
                       csv_field(o.source));
  }
  return csv;
}

std::string graph_timeline(const Graph& graph, const Timed& timed) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < timed.classes.size(); ++c)
    events.push_back({{"ph", "M"},
                      {"pid", c},
                      {"name", "process_name"},
                      {"args", {{"name", "GPUs " + gpus_text(timed.classes[c].gpus)}}}});
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const Operation& o = graph.operations[i];
    for (std::size_t c = 0; c < timed.classes.size(); ++c)
      if (std::ranges::binary_search(graph.sets[o.set], timed.classes[c].gpus.front()))
        events.push_back({{"ph", "X"},
                          {"pid", c},
                          {"tid", graph.streams[o.stream]},
                          {"name", o.name},
                          {"ts", us(timed.spans[i].begin)},
                          {"dur", us(timed.spans[i].end - timed.spans[i].begin)}});
  }
  return nlohmann::ordered_json{{"traceEvents", events}}.dump() + "\n";
}

}  // namespace t3sim::model
