#include "machine/gpu_stats.h"

#include <fmt/format.h>

#include <numeric>

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

// One CU's counters; returns its matrix unit's time.
MatrixTime visit_cu(const ComputeUnit& cu, const std::string& name, const TimeBase& time, StatsSink& sink) {
  const CuStats& s = cu.stats();
  sink.count(name, "workgroups", s.workgroups, "1");
  sink.count(name, "load_lines", s.load_lines, "1");
  sink.count(name, "load_bytes", s.load_sectors * kSectorBytes, "bytes");
  sink.count(name, "l1_hit_bytes", s.l1_hit_sectors * kSectorBytes, "bytes");
  sink.count(name, "store_lines", s.store_lines, "1");
  sink.count(name, "remote_store_lines", s.remote_store_lines, "1");
  sink.real(name, "wait_network", time.to_us(s.wait_network), "us");
  sink.real(name, "wait_loads_in_flight", time.to_us(s.wait_in_flight), "us");
  return cu.matrix_time();
}

// The matrix units' time, by cause, in CU-microseconds divided by the number of CUs: the parts add up to the
// kernel's time.
void visit_matrix_time(const MatrixTime& sum, double cus, const TimeBase& time, StatsSink& sink) {
  const auto part = [&](const char* name, Tick ticks) {
    sink.real("kernel", name, time.to_us(ticks) / cus, "us");
  };
  const auto idle = [&](IdleCause cause) { return sum.idle[static_cast<std::size_t>(cause)]; };
  part("time", sum.total());
  part("time_matrix_useful", sum.useful);
  part("time_issue", sum.issue);
  part("time_tile_quantisation", sum.padding + idle(IdleCause::no_workgroup));
  part("time_launch", idle(IdleCause::launch));
  part("time_prologue", idle(IdleCause::prologue));
  part("time_waiting_loads", idle(IdleCause::waiting_loads));
  part("time_output_write", idle(IdleCause::output_write));
  sink.real("kernel", "matrix_peak_share", static_cast<double>(sum.useful) / static_cast<double>(sum.total()),
            "1");
}

void visit_places(const KernelAccount& account, const TimeBase& time, StatsSink& sink) {
  const auto places = static_cast<double>(account.places);
  const auto of_places = [&](const char* what, const WaitTimes& times) {
    for (int w = 0; w < kPlaceWaits; ++w)
      sink.real("kernel", fmt::format("{}_{}", what, to_string(static_cast<PlaceWait>(w))),
                time.to_us(times.of[static_cast<std::size_t>(w)]) / places, "us");
  };
  of_places("idle", account.idle);
  of_places("place", account.all);
  sink.real("kernel", "time_loading", time.to_us(account.loading) / places, "us");
}

// CUs run one kernel at a time: the one that was launched last.
void visit_kernel(const Gpu& gpu, StatsSink& sink) {
  if (gpu.kernels().empty()) return;
  const RunningKernel& kernel = *gpu.kernels().back();
  const auto& cus = gpu.parts().cus;
  const TimeBase& time = gpu.time();
  MatrixTime sum;
  for (std::size_t i = 0; i < cus.size(); ++i)
    add(sum, visit_cu(*cus[i], fmt::format("cu[{}]", i), time, sink));
  visit_matrix_time(sum, static_cast<double>(cus.size()), time, sink);
  sink.count("kernel", "workgroups", kernel.run->total(), "1");
  if (!kernel.launch.steps.kernel) sink.count("kernel", "stages", kernel.stages(), "1");
  sink.count("kernel", "cycles", sum.total() / cus.size() / gpu.core().period(), "cycles");
  visit_places(account_of(gpu).kernel, time, sink);
  sink.real("kernel", "last_store_released", time.to_us(kernel.run->last_release()), "us");
  sink.real("kernel", "end", time.to_us(kernel.ended_at), "us");
}

void visit_slices(const Gpu& gpu, StatsSink& sink) {
  for (std::size_t i = 0; i < gpu.parts().slices.size(); ++i) {
    const L2Stats& s = gpu.parts().slices[i]->stats();
    const std::string name = fmt::format("l2[{}]", i);
    const auto bytes = [&](const char* what, std::uint64_t sectors) {
      sink.count(name, what, sectors * kSectorBytes, "bytes");
    };
    sink.count(name, "read_requests", s.read_requests, "1");
    bytes("read_bytes", s.read_sectors);
    bytes("hit_bytes", s.hit_sectors);
    bytes("miss_bytes", s.miss_sectors);
    bytes("merged_bytes", s.merged_sectors);
    sink.count(name, "store_requests", s.store_requests, "1");
    bytes("store_bytes", s.store_sectors);
    bytes("store_miss_bytes", s.store_miss_sectors);
    bytes("bypass_bytes", s.bypass_sectors);
    bytes("writeback_bytes", s.writeback_sectors);
    bytes("dropped_bytes", s.dropped_sectors);
    sink.count(name, "evicted_lines", s.evicted_lines, "1");
    sink.real(name, "wait_dram_queue", gpu.time().to_us(s.wait_dram_queue), "us");
    sink.real(name, "wait_mshr", gpu.time().to_us(s.wait_mshr), "us");
  }
}

void visit_port(LinkEgress& port, const LinkTime& idle, const TimeBase& time, StatsSink& sink) {
  const LinkStats& link = port.stats();
  sink.count(port.name(), "packets", link.packets, "1");
  sink.count(port.name(), "bytes", link.bytes, "bytes");
  sink.real(port.name(), "busy", time.to_us(link.busy), "us");
  sink.real(port.name(), "wait_credit", time.to_us(link.wait_credit), "us");
  sink.real(port.name(), "idle_before_first_packet", time.to_us(LinkTime::sum(idle.first)), "us");
  for (int c = 0; c < kLinkIdles; ++c) {
    const auto cause = static_cast<LinkIdle>(c);
    sink.real(port.name(), fmt::format("idle_{}", to_string(cause)), time.to_us(idle.between(cause)), "us");
  }
  sink.real(port.name(), "idle_after_last_packet", time.to_us(LinkTime::sum(idle.after_last)), "us");
  for (unsigned lane = 0; lane < port.gpus().size(); ++lane) {
    const BusyIntervals& sending = port.sending(lane);
    if (sending.intervals().empty()) continue;
    const auto name = [&](std::string_view what) { return fmt::format("{}_to_{}", what, port.gpus()[lane]); };
    sink.count(port.name(), name("busy_intervals"), sending.intervals().size(), "1");
    sink.real(port.name(), name("busy_interval_gap"), time.to_us(sending.gap()), "us");
  }
}

void visit_links(const Gpu& gpu, StatsSink& sink) {
  const auto& ports = gpu.parts().egress->ports();
  for (std::size_t p = 0; p < ports.size(); ++p) visit_port(*ports[p], gpu.links()[p], gpu.time(), sink);
  const LinkIngress& ingress = *gpu.parts().ingress;
  sink.count("link.in", "bytes", ingress.stats().bytes, "bytes");
  sink.count("link.in", "peak_buffer", ingress.stats().peak_bytes, "bytes");
  ingress.for_each_shared_port(
      [&](const std::string& name, Tick busy) { sink.real(name, "busy", gpu.time().to_us(busy), "us"); });
}

void visit_dma(const Gpu& gpu, StatsSink& sink) {
  const DmaStats& dma = gpu.parts().dma->stats();
  sink.count("dma", "blocks", dma.blocks, "1");
  sink.count("dma", "bytes", dma.bytes, "bytes");
  sink.count("dma", "peak_ready_blocks", dma.peak_ready_blocks, "1");
  sink.real("dma", "wait_buffer", gpu.time().to_us(gpu.dma_account().wait_buffer()), "us");
}

void visit_tracker(const Gpu& gpu, StatsSink& sink) {
  if (!gpu.collective()) return;
  const TrackerStats& t = gpu.collective()->tracker->stats();
  const TimeBase& time = gpu.time();
  sink.count("tracker", "lookups", t.lookups, "1");
  sink.count("tracker", "completed_entries", t.completed_entries, "1");
  sink.count("tracker", "peak_entries", t.peak_entries, "1");
  sink.count("tracker", "peak_set_entries", t.peak_set_entries, "1");
  sink.count("tracker", "spilled_entries", t.spilled_entries, "1");
  sink.count("tracker", "refusals", t.refusals, "1");
  sink.count("tracker", "stalled_stores", stalled_stores(gpu), "1");
  sink.real("tracker", "mean_entry_life",
            time.to_us(t.life) / static_cast<double>(std::max<std::uint64_t>(t.completed_entries, 1)), "us");
  sink.real("tracker", "lookup_wait", time.to_us(t.lookup_wait), "us");
  sink.real("tracker", "longest_lookup_wait", time.to_us(t.longest_lookup_wait), "us");
  const TrackerEntryBits bits = tracker_entry_bits(*gpu.collective());
  sink.count("tracker", "tag_bits", bits.tag, "bits");
  sink.count("tracker", "wavefront_bits", bits.wavefront, "bits");
  sink.count("tracker", "address_bits", bits.address, "bits");
  sink.count("tracker", "counter_bits", bits.counter, "bits");
  sink.count("tracker", "entry_bits", bits.total(), "bits");
  sink.count("tracker", "table_bytes", bits.table_bytes(tracker_ways(gpu.spec().tracker)), "bytes");
  sink.count("tracker", "needed_table_bytes", bits.table_bytes(t.peak_set_entries), "bytes");
  sink.count("tracker", "published_table_bytes", kPaperTrackerBytes, "bytes");
}

}  // namespace

void visit_stats(const Gpu& gpu, StatsSink& sink) {
  const TimeBase& time = gpu.time();
  sink.real("gpu", "phase_time", time.to_us(gpu.end()), "us");
  sink.real("gpu", "write_back_after_phase", time.to_us(gpu.drained() - gpu.end()), "us");
  const TrafficBytes left = gpu.left();
  sink.count("gpu", "left_dirty", std::accumulate(left.begin(), left.end(), std::uint64_t{0}), "bytes");
  visit_kernel(gpu, sink);
  visit_slices(gpu, sink);
  const auto& channels = gpu.parts().channels;
  for (std::size_t c = 0; c < channels.size(); ++c)
    channels[c]->report(sink, fmt::format("channel[{}]", c), gpu.drained());
  visit_links(gpu, sink);
  visit_dma(gpu, sink);
  visit_tracker(gpu, sink);
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
