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

void Gpu::visit(StatsSink& sink) {
  sink.real("gpu", "phase_time", time_.to_us(end_), "us");
  sink.real("gpu", "write_back_after_phase", time_.to_us(drained() - end_), "us");
  const TrafficBytes left = this->left();
  sink.count("gpu", "left_dirty", std::accumulate(left.begin(), left.end(), std::uint64_t{0}), "bytes");
  visit_cus(sink);
  visit_slices(sink);
  for (std::size_t c = 0; c < channels_.size(); ++c)
    channels_[c]->report(sink, fmt::format("channel[{}]", c), drained());
  visit_fabric(sink);
}

// The matrix units' time, by cause, in CU-microseconds divided by the number of CUs: the parts add up to the
// kernel's time.
void Gpu::visit_cus(StatsSink& sink) const {
  if (!kernel_) return;
  MatrixTime sum;
  for (std::size_t i = 0; i < cus_.size(); ++i) {
    const CuStats& s = cus_[i]->stats();
    const std::string name = fmt::format("cu[{}]", i);
    sink.count(name, "workgroups", s.workgroups, "1");
    sink.count(name, "load_lines", s.load_lines, "1");
    sink.count(name, "load_bytes", s.load_sectors * kSectorBytes, "bytes");
    sink.count(name, "l1_hit_bytes", s.l1_hit_sectors * kSectorBytes, "bytes");
    sink.count(name, "store_lines", s.store_lines, "1");
    sink.count(name, "remote_store_lines", s.remote_store_lines, "1");
    sink.real(name, "wait_network", time_.to_us(s.wait_network), "us");
    sink.real(name, "wait_loads_in_flight", time_.to_us(s.wait_in_flight), "us");
    const MatrixTime t = cus_[i]->matrix_time();
    sum.useful += t.useful;
    sum.padding += t.padding;
    sum.issue += t.issue;
    for (int c = 0; c < kIdleCauses; ++c) sum.idle[c] += t.idle[c];
  }
  const auto part = [&](const char* name, Tick ticks) {
    sink.real("kernel", name, time_.to_us(ticks) / static_cast<double>(cus_.size()), "us");
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
  sink.count("kernel", "workgroups", kernel_->total(), "1");
  if (!chunk_kernel_) sink.count("kernel", "stages", stages(), "1");
  sink.count("kernel", "cycles", sum.total() / cus_.size() / core_.period(), "cycles");
  const KernelAccount account = this->account().kernel;
  const auto of_places = [&](const char* what, const WaitTimes& times) {
    for (int w = 0; w < kPlaceWaits; ++w)
      sink.real("kernel", fmt::format("{}_{}", what, to_string(static_cast<PlaceWait>(w))),
                time_.to_us(times.of[static_cast<std::size_t>(w)]) / static_cast<double>(account.places),
                "us");
  };
  of_places("idle", account.idle);
  of_places("place", account.all);
  sink.real("kernel", "time_loading", time_.to_us(account.loading) / static_cast<double>(account.places),
            "us");
  sink.real("kernel", "last_store_released", time_.to_us(kernel_->last_release()), "us");
  sink.real("kernel", "end", time_.to_us(kernel_end_), "us");
}

void Gpu::visit_slices(StatsSink& sink) const {
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const L2Stats& s = slices_[i]->stats();
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
    sink.real(name, "wait_dram_queue", time_.to_us(s.wait_dram_queue), "us");
    sink.real(name, "wait_mshr", time_.to_us(s.wait_mshr), "us");
  }
}

void Gpu::visit_fabric(StatsSink& sink) const {
  for (std::size_t p = 0; p < egress_->ports().size(); ++p) {
    const auto& port = egress_->ports()[p];
    const LinkStats& link = port->stats();
    sink.count(port->name(), "packets", link.packets, "1");
    sink.count(port->name(), "bytes", link.bytes, "bytes");
    sink.real(port->name(), "busy", time_.to_us(link.busy), "us");
    sink.real(port->name(), "wait_credit", time_.to_us(link.wait_credit), "us");
    const LinkTime& time = links_[p];
    sink.real(port->name(), "idle_before_first_packet", time_.to_us(LinkTime::sum(time.first)), "us");
    for (int c = 0; c < kLinkIdles; ++c) {
      const auto cause = static_cast<LinkIdle>(c);
      sink.real(port->name(), fmt::format("idle_{}", to_string(cause)), time_.to_us(time.between(cause)),
                "us");
    }
    sink.real(port->name(), "idle_after_last_packet", time_.to_us(LinkTime::sum(time.after_last)), "us");
    for (unsigned lane = 0; lane < port->gpus().size(); ++lane) {
      const BusyIntervals& sending = port->sending(lane);
      if (sending.intervals().empty()) continue;
      const auto name = [&](std::string_view what) {
        return fmt::format("{}_to_{}", what, port->gpus()[lane]);
      };
      sink.count(port->name(), name("busy_intervals"), sending.intervals().size(), "1");
      sink.real(port->name(), name("busy_interval_gap"), time_.to_us(sending.gap()), "us");
    }
  }
  sink.count("link.in", "bytes", ingress_->stats().bytes, "bytes");
  sink.count("link.in", "peak_buffer", ingress_->stats().peak_bytes, "bytes");
  ingress_->for_each_shared_port(
      [&](const std::string& name, Tick busy) { sink.real(name, "busy", time_.to_us(busy), "us"); });
  const DmaStats& dma = dma_->stats();
  sink.count("dma", "blocks", dma.blocks, "1");
  sink.count("dma", "bytes", dma.bytes, "bytes");
  sink.count("dma", "peak_ready_blocks", dma.peak_ready_blocks, "1");
  sink.real("dma", "wait_buffer", time_.to_us(dma.wait_buffer), "us");
  if (!tracker_) return;
  const TrackerStats& t = tracker_->stats();
  sink.count("tracker", "lookups", t.lookups, "1");
  sink.count("tracker", "completed_entries", t.completed_entries, "1");
  sink.count("tracker", "peak_entries", t.peak_entries, "1");
  sink.count("tracker", "peak_set_entries", t.peak_set_entries, "1");
  sink.count("tracker", "spilled_entries", t.spilled_entries, "1");
  sink.count("tracker", "refusals", t.refusals, "1");
  sink.count("tracker", "stalled_stores", stalled_stores(), "1");
  sink.real("tracker", "mean_entry_life",
            time_.to_us(t.life) / static_cast<double>(std::max<std::uint64_t>(t.completed_entries, 1)), "us");
  sink.real("tracker", "lookup_wait", time_.to_us(t.lookup_wait), "us");
  sink.real("tracker", "longest_lookup_wait", time_.to_us(t.longest_lookup_wait), "us");
  const TrackerEntryBits bits = tracker_entry_bits();
  sink.count("tracker", "tag_bits", bits.tag, "bits");
  sink.count("tracker", "wavefront_bits", bits.wavefront, "bits");
  sink.count("tracker", "address_bits", bits.address, "bits");
  sink.count("tracker", "counter_bits", bits.counter, "bits");
  sink.count("tracker", "entry_bits", bits.total(), "bits");
  sink.count("tracker", "table_bytes", bits.table_bytes(tracker_ways(config_)), "bytes");
  sink.count("tracker", "needed_table_bytes", bits.table_bytes(t.peak_set_entries), "bytes");
  sink.count("tracker", "published_table_bytes", kPaperTrackerBytes, "bytes");
}

TrackerEntryBits Gpu::tracker_entry_bits() const {
  const std::uint64_t base = collective_.array.layout.base();
  const std::uint64_t bytes = collective_.array.layout.footprint_bytes();
  return tracker_->entry_bits(base + (collective_.arrays - 1) * collective_.stride + bytes);
}

void Gpu::visit_series(const SeriesVisitor& f) const {
  static constexpr const char* kNames[kTraffics] = {"gemm", "rs", "ag", "other"};
  const Tick interval = egress_->ports().front()->series().interval();
  for (int t = 0; t < kTraffics; ++t)
    for (const bool written : {false, true}) {
      const Series sum = sum_series(channels_, static_cast<Traffic>(t), written, interval);
      if (sum.bins().empty()) continue;
      f("dram", fmt::format("{}_{}_bytes", kNames[t], written ? "write" : "read"), "bytes", sum, 0);
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
