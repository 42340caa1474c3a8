// Counters of a network: of the paper's switch as they have always been called, else a component per link.
#include "interconnect/network.h"

namespace t3sim {

void Network::visit(std::size_t gpu, StatsSink& sink) const {
  const bool links = is_network(setup_.config.kind);
  for (const auto& output : outputs_) {
    if (!output) continue;
    const std::uint32_t to = graph().link(output->link()).to;
    if ((graph().is_gpu(to) ? to : 0) != gpu) continue;
    Counters out(sink, links ? "link[" + graph().name(output->link()) + "]" : "switch.out", time_);
    output->report(out);
  }
  if (gpu != 0) return;
  visit_passages(sink);
  if (!table_) return;
  Counters out(sink, "switch.table", time_);
  table_->stats().report(out);
}

void Network::visit_passages(StatsSink& sink) const {
  for (const auto& passage : passages_) {
    if (!passage) continue;
    Counters out(sink, passage->name(), time_);
    passage->report(out);
  }
  cards_->report(sink);
}

}  // namespace t3sim
