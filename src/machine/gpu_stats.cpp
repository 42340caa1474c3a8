#include "machine/gpu_stats.h"

#include <fmt/format.h>

#include <numeric>

#include "base/number.h"

namespace t3sim {
namespace {

// Adds up the bins of the channels' series: a GPU's DRAM traffic over time.
Series sum_series(const std::vector<std::unique_ptr<Channel>>& channels, Traffic traffic, bool written,
                  Tick interval) {
  Series sum(interval);
  for (const auto& channel : channels) sum += channel->series(traffic, written);
  return sum;
}

// The same of what waits in their DRAM queues.
Series sum_occupancy(const std::vector<std::unique_ptr<Channel>>& channels, Stream stream, Tick interval) {
  Series sum(interval);
  for (const auto& channel : channels) sum += channel->occupancy_series(stream);
  return sum;
}

void add(MatrixTime& sum, const MatrixTime& t) {
  sum.useful += t.useful;
  sum.padding += t.padding;
  sum.issue += t.issue;
  for (int c = 0; c < kIdleCauses; ++c) sum.idle[c] += t.idle[c];
}

// The matrix units' time, by cause, in CU-microseconds divided by the number of CUs: the parts add up to the
// kernel's time.
void report_matrix_time(const MatrixTime& sum, std::size_t cus, Counters& out) {
  const auto part = [&](const char* name, Tick ticks, const char* meaning) {
    out.mean_time(name, ticks, cus, meaning);
  };
  const auto idle = [&](IdleCause cause) { return sum.idle[ordinal(cause)]; };
  part("time", sum.total(), "length of the kernel");
  part("time_matrix_useful", sum.useful, "matrix units at work on the kernel's elements, mean of the CUs");
  part("time_issue", sum.issue, "what the matrix units lose between instructions");
  part("time_tile_quantisation", sum.padding + idle(IdleCause::no_workgroup),
       "matrix units at work beyond the edges, or CUs without a workgroup");
  part("time_launch", idle(IdleCause::launch), "before a CU's first workgroup");
  part("time_prologue", idle(IdleCause::prologue), "before a workgroup's first loads are there");
  part("time_waiting_loads", idle(IdleCause::waiting_loads), "for loads, later on");
  part("time_output_write", idle(IdleCause::output_write), "for stores of the output");
  out.add("matrix_peak_share", real(sum.useful) / real(sum.total()), "1",
          "of the matrix units' peak that the kernel reaches");
}

// Of the places for workgroups, a mean of all.
void report_places(const KernelAccount& account, Counters& out) {
  const auto waits = [&](const char* what, const WaitTimes& times, const char* meaning) {
    for (std::size_t w = 0; w < kPlaceWaits; ++w)
      out.mean_time(fmt::format("{}_{}", what, to_string(static_cast<PlaceWait>(w))), times.of[w],
                    account.places, meaning);
  };
  waits("idle", account.idle, "a place waits for it while the CU's matrix unit stands idle");
  waits("place", account.all, "a place waits for it");
  out.mean_time("time_loading", account.loading, account.places,
                "from a group of loads' first to its last arrival");
}

// CUs run one kernel at a time: the one that was launched last.
void report_kernel(const Gpu& gpu, StatsSink& sink) {
  if (gpu.kernels().empty()) return;
  const RunningKernel& kernel = *gpu.kernels().back();
  const auto& cus = gpu.parts().cus;
  MatrixTime sum;
  for (std::size_t i = 0; i < cus.size(); ++i) {
    Counters out(sink, fmt::format("cu[{}]", i), gpu.time());
    cus[i]->stats().report(out);
    add(sum, cus[i]->matrix_time());
  }
  Counters out(sink, "kernel", gpu.time());
  report_matrix_time(sum, cus.size(), out);
  out.count("workgroups", kernel.run->total(), "of the kernel");
  if (!kernel.launch.steps.kernel)
    out.count("stages", kernel.stages(), "times that the workgroups fill the GPU");
  out.add("cycles", sum.total() / cus.size() / gpu.core().period(), "cycles",
          "length of the kernel in core cycles");
  report_places(account_of(gpu).kernel, out);
  out.time("last_store_released", kernel.run->last_release(), "its last store was on its way");
  out.time("end", kernel.ended_at, "of the kernel, since the start of the phase");
}

void report_memory(const Gpu& gpu, StatsSink& sink) {
  const auto report = [&](const auto& slices) {
    for (const auto& slice : slices) {
      Counters out(sink, slice->name(), gpu.time());
      slice->stats().report(out);
    }
  };
  report(gpu.parts().slices);
  report(gpu.parts().dies);
  const auto& channels = gpu.parts().channels;
  for (std::size_t c = 0; c < channels.size(); ++c)
    channels[c]->report(sink, fmt::format("channel[{}]", c), gpu.drained());
}

void report_port(LinkEgress& port, const LinkTime& idle, Counters& out) {
  port.stats().report(out);
  idle.report(out);
  for (unsigned lane = 0; lane < port.gpus().size(); ++lane) {
    const BusyIntervals& sending = port.sending(lane);
    if (sending.intervals().empty()) continue;
    const auto name = [&](std::string_view what) { return fmt::format("{}_to_{}", what, port.gpus()[lane]); };
    out.count(name("busy_intervals"), sending.intervals().size(), "in which it sent to the GPU");
    out.time(name("busy_interval_gap"), sending.gap(), "pauses shorter than this do not part intervals");
  }
}

void report_links(const Gpu& gpu, StatsSink& sink) {
  const auto& ports = gpu.parts().egress->ports();
  for (std::size_t p = 0; p < ports.size(); ++p) {
    Counters out(sink, ports[p]->name(), gpu.time());
    report_port(*ports[p], gpu.links()[p], out);
  }
  const LinkIngress& ingress = *gpu.parts().ingress;
  Counters in(sink, "link.in", gpu.time());
  ingress.stats().report(in);
  ingress.for_each_shared_port([&](const std::string& name, Tick busy) {
    Counters(sink, name, gpu.time()).time("busy", busy, "the port that several GPUs' packets come in by");
  });
}

void report_dma(const Gpu& gpu, StatsSink& sink) {
  Counters out(sink, "dma", gpu.time());
  gpu.parts().dma->stats().report(out);
  gpu.dma_account().report(out);
}

void report_tracker(const Gpu& gpu, std::uint64_t stalled, StatsSink& sink) {
  if (!gpu.collective()) return;
  Counters out(sink, "tracker", gpu.time(), Tracker::kInResults);
  gpu.collective()->tracker->report(
      out, {stalled, tracker_ways(gpu.spec().tracker), tracker_entry_bits(*gpu.collective())});
}

}  // namespace

void visit_stats(const Gpu& gpu, StatsSink& sink) { visit_stats(gpu, sink, stalled_stores(gpu)); }

void visit_stats(const Gpu& gpu, StatsSink& sink, std::uint64_t stalled) {
  Counters out(sink, "gpu", gpu.time());
  out.time("phase_time", gpu.end(), "length of the phase");
  out.time("write_back_after_phase", gpu.drained() - gpu.end(),
           "until what the L2 still writes back is in memory");
  const TrafficBytes left = gpu.left();
  out.bytes("left_dirty", std::accumulate(left.begin(), left.end(), std::uint64_t{0}),
            "dirty in the L2 at the end, for the next phase to write back");
  report_kernel(gpu, sink);
  report_memory(gpu, sink);
  report_links(gpu, sink);
  report_dma(gpu, sink);
  report_tracker(gpu, stalled, sink);
}

TrackerEntryBits tracker_entry_bits(const RunningCollective& collective) {
  return collective.tracker->entry_bits(collective.program.arrays.end());
}

std::uint64_t stalled_stores(const Gpu& gpu) {
  std::uint64_t sum = 0;
  for (const auto& channel : gpu.parts().channels) sum += channel->stats().parked;
  return sum;
}

void visit_series(const Gpu& gpu, const SeriesVisitor& f) {
  const auto& channels = gpu.parts().channels;
  const auto& ports = gpu.parts().egress->ports();
  const Tick interval = ports.front()->series().interval();
  for (int t = 0; t < kTraffics; ++t)
    for (const bool written : {false, true}) {
      const Series sum = sum_series(channels, static_cast<Traffic>(t), written, interval);
      if (sum.bins().empty()) continue;
      f("dram", fmt::format("{}_{}_bytes", to_string(static_cast<Traffic>(t)), written ? "write" : "read"),
        "bytes", sum, 0);
    }
  const auto mean = [&](const std::string& component, const std::string& name, const std::string& unit,
                        const Series& series, std::uint64_t over) {
    if (!series.bins().empty()) f(component, name, unit, series, over);
  };
  mean("dram", "compute_queue_occupancy", "bursts", sum_occupancy(channels, Stream::compute, interval),
       channels.size() * interval);
  mean("dram", "communication_queue_occupancy", "bursts",
       sum_occupancy(channels, Stream::communication, interval), channels.size() * interval);
  for (const auto& port : ports) {
    if (port->series().bins().empty()) continue;
    f(port->name(), "bytes", "bytes", port->series(), 0);
    f(port->name(), "use", "1", port->busy_series(), interval);
  }
  if (gpu.collective())
    mean("tracker", "live_entries", "1", gpu.collective()->tracker->live_series(), interval);
  mean("dma", "blocks_ready", "1", gpu.dma_account().ready_blocks(), interval);
  mean("dma", "blocks_in_flight", "1", gpu.dma_account().blocks_in_flight(), interval);
}

}  // namespace t3sim
