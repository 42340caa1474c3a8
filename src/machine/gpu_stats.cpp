// The counters of a GPU, named.

#include <fmt/format.h>

#include <numeric>

#include "machine/gpu.h"

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

}  // namespace

void Gpu::visit(StatsSink& sink) { visit(sink, stalled_stores()); }

void Gpu::visit(StatsSink& sink, std::uint64_t stalled_stores) {
  Counters gpu(sink, "gpu", time_);
  gpu.time("phase_time", end_, "length of the phase");
  gpu.time("write_back_after_phase", drained() - end_, "until what the L2 still writes back is in memory");
  const TrafficBytes left = this->left();
  gpu.bytes("left_dirty", std::accumulate(left.begin(), left.end(), std::uint64_t{0}),
            "dirty in the L2 at the end, for the next phase to write back");
  visit_cus(sink);
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    Counters out(sink, fmt::format("l2[{}]", i), time_);
    slices_[i]->stats().report(out);
  }
  for (std::size_t c = 0; c < channels_.size(); ++c)
    channels_[c]->report(sink, fmt::format("channel[{}]", c), drained());
  visit_fabric(sink);
  if (!tracker_) return;
  Counters tracker(sink, "tracker", time_, Tracker::kInResults);
  tracker_->report(tracker, {stalled_stores, tracker_ways(config_), tracker_entry_bits()});
}

void Gpu::visit_cus(StatsSink& sink) const {
  if (!kernel_) return;
  for (std::size_t i = 0; i < cus_.size(); ++i) {
    Counters out(sink, fmt::format("cu[{}]", i), time_);
    cus_[i]->stats().report(out);
  }
  Counters out(sink, "kernel", time_);
  visit_matrix_units(out);
  visit_places(out);
  out.time("last_store_released", kernel_->last_release(), "its last store was on its way");
  out.time("end", kernel_end_, "of the kernel, since the start of the phase");
}

// The matrix units' time, by cause, in CU-microseconds divided by the number of CUs: the parts add up to the
// kernel's time.
void Gpu::visit_matrix_units(Counters& out) const {
  MatrixTime sum;
  for (const auto& cu : cus_) {
    const MatrixTime t = cu->matrix_time();
    sum.useful += t.useful;
    sum.padding += t.padding;
    sum.issue += t.issue;
    for (int c = 0; c < kIdleCauses; ++c) sum.idle[c] += t.idle[c];
  }
  const auto part = [&](const char* name, Tick ticks, const char* meaning) {
    out.mean_time(name, ticks, cus_.size(), meaning);
  };
  const auto idle = [&](IdleCause cause) { return sum.idle[static_cast<std::size_t>(cause)]; };
  part("time", sum.total(), "length of the kernel");
  part("time_matrix_useful", sum.useful, "matrix units at work on the kernel's elements, mean of the CUs");
  part("time_issue", sum.issue, "what the matrix units lose between instructions");
  part("time_tile_quantisation", sum.padding + idle(IdleCause::no_workgroup),
       "matrix units at work beyond the edges, or CUs without a workgroup");
  part("time_launch", idle(IdleCause::launch), "before a CU's first workgroup");
  part("time_prologue", idle(IdleCause::prologue), "before a workgroup's first loads are there");
  part("time_waiting_loads", idle(IdleCause::waiting_loads), "for loads, later on");
  part("time_output_write", idle(IdleCause::output_write), "for stores of the output");
  out.add("matrix_peak_share", static_cast<double>(sum.useful) / static_cast<double>(sum.total()), "1",
          "of the matrix units' peak that the kernel reaches");
  out.count("workgroups", kernel_->total(), "of the kernel");
  if (!chunk_kernel_) out.count("stages", stages(), "times that the workgroups fill the GPU");
  out.add("cycles", sum.total() / cus_.size() / core_.period(), "cycles",
          "length of the kernel in core cycles");
}

// Of the places for workgroups, a mean of all.
void Gpu::visit_places(Counters& out) const {
  const KernelAccount account = this->account().kernel;
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

void Gpu::visit_fabric(StatsSink& sink) const {
  for (std::size_t p = 0; p < egress_->ports().size(); ++p) visit_port(sink, p);
  Counters in(sink, "link.in", time_);
  ingress_->stats().report(in);
  ingress_->for_each_shared_port([&](const std::string& name, Tick busy) {
    Counters(sink, name, time_).time("busy", busy, "the port that several GPUs' packets come in by");
  });
  Counters dma(sink, "dma", time_);
  dma_->stats().report(dma);
}

void Gpu::visit_port(StatsSink& sink, std::size_t p) const {
  const auto& port = egress_->ports()[p];
  Counters out(sink, port->name(), time_);
  port->stats().report(out);
  links_[p].report(out);
  for (unsigned lane = 0; lane < port->gpus().size(); ++lane) {
    const BusyIntervals& sending = port->sending(lane);
    if (sending.intervals().empty()) continue;
    const auto name = [&](std::string_view what) {
      return fmt::format("{}_to_{}", what, port->gpus()[lane]);
    };
    out.count(name("busy_intervals"), sending.intervals().size(), "in which it sent to the GPU");
    out.time(name("busy_interval_gap"), sending.gap(), "pauses shorter than this do not part intervals");
  }
}

TrackerEntryBits Gpu::tracker_entry_bits() const {
  const std::uint64_t base = collective_.array.layout.base();
  const std::uint64_t bytes = collective_.array.layout.footprint_bytes();
  return tracker_->entry_bits(base + (collective_.arrays - 1) * collective_.stride + bytes);
}

void Gpu::visit_series(const SeriesVisitor& f) const {
  const Tick interval = egress_->ports().front()->series().interval();
  for (int t = 0; t < kTraffics; ++t)
    for (const bool written : {false, true}) {
      const Series sum = sum_series(channels_, static_cast<Traffic>(t), written, interval);
      if (sum.bins().empty()) continue;
      f("dram", fmt::format("{}_{}_bytes", to_string(static_cast<Traffic>(t)), written ? "write" : "read"),
        "bytes", sum, 0);
    }
  const auto mean = [&](const std::string& component, const std::string& name, const std::string& unit,
                        const Series& series, std::uint64_t over) {
    if (!series.bins().empty()) f(component, name, unit, series, over);
  };
  mean("dram", "compute_queue_occupancy", "bursts", sum_occupancy(channels_, Stream::compute, interval),
       channels_.size() * interval);
  mean("dram", "communication_queue_occupancy", "bursts",
       sum_occupancy(channels_, Stream::communication, interval), channels_.size() * interval);
  for (const auto& port : egress_->ports()) {
    if (port->series().bins().empty()) continue;
    f(port->name(), "bytes", "bytes", port->series(), 0);
    f(port->name(), "use", "1", port->busy_series(), interval);
  }
  if (tracker_) mean("tracker", "live_entries", "1", tracker_->live_series(), interval);
  mean("dma", "blocks_ready", "1", dma_->ready_blocks(), interval);
  mean("dma", "blocks_in_flight", "1", dma_->blocks_in_flight(), interval);
}

}  // namespace t3sim
