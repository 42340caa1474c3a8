// Who waits for whom in a network, when nothing moves any more.
#include <fmt/format.h>

#include "interconnect/network.h"

namespace t3sim {

void Network::report_waits(Waits& waits) const {
  cards_->report_waits(waits);
  for (const auto& output : outputs_)
    for (std::uint32_t c = 0; output && c < output->channels(); ++c) {
      if (output->waiting(c) == 0) continue;
      const std::string who = "link " + graph().name(output->link());
      const std::string what = fmt::format("credits; it has {} bytes and {} packets to send",
                                           output->credits(c), output->waiting(c));
      const std::uint32_t to = graph().link(output->link()).to;
      if (output->has_room(c))
        waits.dead_end(who, fmt::format("has credits and {} packets, and sends none (a lost wake-up)",
                                        output->waiting(c)));
      else if (graph().is_gpu(to))
        waits.add(who, fmt::format("GPU {} link.in", to), what);
      else
        report_holders(waits, who, output->link(), what);
    }
}

void Network::report_holders(Waits& waits, const std::string& who, std::uint32_t link,
                             const std::string& what) const {
  bool held = false;
  for (const auto& [next, input] : input_number_[link]) {
    if (!outputs_[next]->holds(input)) continue;
    waits.add(who, "link " + graph().name(next), what);
    held = true;
  }
  if (held) return;
  waits.dead_end(who, fmt::format("waits for {}, but {} holds none of its packets: credits were lost", what,
                                  graph().vertex(graph().link(link).to).name));
}

}  // namespace t3sim
