// Counters of a network: of the paper's switch as they have always been called, else a component a link.
#include "interconnect/network.h"

namespace t3sim {

void Network::visit(std::size_t gpu, StatsSink& sink) const {
  const bool links = is_network(setup_.config.kind);
  for (const auto& output : outputs_) {
    if (!output) continue;
    const std::uint32_t to = graph().link(output->link()).to;
    if ((graph().is_gpu(to) ? to : 0) != gpu) continue;
    visit_output(*output, links ? "link[" + graph().name(output->link()) + "]" : "switch.out", sink);
  }
  if (gpu != 0) return;
  visit_passages(sink);
  if (!table_) return;
  const ReductionStats& r = table_->stats();
  sink.count("switch.table", "sums", r.sums, "1");
  sink.count("switch.table", "absorbed_packets", r.absorbed, "1");
  sink.count("switch.table", "absorbed_bytes", r.absorbed_bytes, "bytes");
  sink.count("switch.table", "refused_packets", r.refused, "1");
  sink.count("switch.table", "peak_lines", r.peak_lines, "1");
  sink.count("switch.table", "peak_counted_lines", r.peak_counted_lines, "1");
}

void Network::visit_output(const LinkOutput& output, const std::string& name, StatsSink& sink) const {
  const OutputStats& s = output.stats();
  sink.count(name, "packets", s.packets, "1");
  sink.count(name, "bytes", s.bytes, "bytes");
  sink.count(name, "received_bytes", s.received_bytes, "bytes");
  sink.real(name, "busy", time_.to_us(output.busy()), "us");
  sink.real(name, "wait_credit", time_.to_us(s.wait_credit), "us");
  sink.count(name, "peak_buffer", s.peak_bytes, "bytes");
}

void Network::visit_passages(StatsSink& sink) const {
  for (const auto& passage : passages_) {
    if (!passage) continue;
    sink.count(passage->name(), "packets", passage->packets(), "1");
    sink.count(passage->name(), "bytes", passage->bytes(), "bytes");
    sink.real(passage->name(), "busy", time_.to_us(passage->busy()), "us");
  }
  for (const auto& card : cards_) {
    const NetworkCardStats& s = card->stats();
    if (s.puts == 0) continue;
    sink.count(card->name(), "puts", s.puts, "1");
    sink.count(card->name(), "put_bytes", s.bytes, "bytes");
    sink.count(card->name(), "peak_waiting_puts", s.peak_waiting, "1");
    sink.real(card->name(), "wait_order", time_.to_us(s.waited_for_order), "us");
  }
}

}  // namespace t3sim
