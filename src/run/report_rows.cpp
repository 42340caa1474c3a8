#include "run/report_rows.h"

#include "base/number.h"
#include "machine/gpu_stats.h"
#include "results/timeline/timeline_rows.h"

namespace t3sim {
namespace {

class RowSink final : public StatsSink {
 public:
  RowSink(std::uint64_t gpu, std::vector<StatRow>& rows) : gpu_(gpu), rows_(rows) {}
  void add(const Counter& counter, CounterValue value) override {
    StatRow row;
    row.gpu = gpu_;
    row.component = counter.component;
    row.name = counter.name;
    row.value = value;
    row.unit = counter.unit;
    rows_.push_back(std::move(row));
  }

 private:
  std::uint64_t gpu_;
  std::vector<StatRow>& rows_;
};

// Links that end at the GPU; with the first GPU all that end at none.
void add_network_links(const Fabric& fabric, std::uint32_t gpu, GpuTimeline& timeline) {
  const Network* network = fabric.named_network();
  if (!network) return;
  const Graph& graph = network->graph();
  for (const auto& output : network->outputs()) {
    if (!output || output->sending().intervals().empty()) continue;
    const std::uint32_t to = graph.link(output->link()).to;
    if ((graph.is_gpu(to) ? to : 0) == gpu)
      timeline.links.push_back({to, graph.name(output->link()), output->sending().intervals()});
  }
}

// How what a GPU sends goes, by the GPU that it goes to.
std::vector<std::string> ways_from(const Fabric& fabric, std::uint32_t gpu) {
  std::vector<std::string> ways;
  if (!fabric.named_links()) return ways;
  const Topology& topology = fabric.topology();
  for (std::uint32_t to = 0; to < topology.graph.gpus(); ++to)
    ways.push_back(way_words(topology.graph, topology.routes.route(gpu, to)));
  return ways;
}

}  // namespace

PhaseRows collect_rows(const PhaseResult& result, const TimeBase& time, bool with_timelines) {
  PhaseRows rows;
  for (std::size_t g = 0; g < result.gpus.size(); ++g) {
    RowSink sink(g, rows.stats);
    visit_stats(*result.gpus[g], sink);
    result.fabric->visit(g, sink);
    visit_series(*result.gpus[g], [&](const std::string& component, const std::string& name,
                                      const std::string& unit, const Series& series, std::uint64_t divisor) {
      const double interval_us = time.to_us(series.interval());
      for (std::size_t i = 0; i < series.bins().size(); ++i) {
        SeriesRow row;
        row.gpu = g;
        row.component = component;
        row.name = name;
        row.start_us = real(i) * interval_us;
        row.interval_us = interval_us;
        row.value = series.bins()[i];
        if (divisor != 0) row.value = real(series.bins()[i]) / real(divisor);
        row.unit = unit;
        rows.series.push_back(std::move(row));
      }
    });
    const auto gpu = narrow<std::uint32_t>(g);
    GpuTimeline timeline = timeline_of(*result.gpus[g], ways_from(*result.fabric, gpu));
    timeline.end = result.ticks;
    add_network_links(*result.fabric, gpu, timeline);
    for (TimelineRow& row : timeline_rows(timeline, gpu, time)) rows.timeline.push_back(std::move(row));
    if (!with_timelines) continue;
    timeline.counters = counters_of(*result.gpus[g]);
    rows.timelines.push_back(std::move(timeline));
  }
  return rows;
}

}  // namespace t3sim
