// The algorithms, a file each. They take collectives that check() accepts.
#pragma once

#include "message/plan.h"

namespace t3sim::message {

// GPU r sends to GPU r - 1, as everywhere in this program (Figure 7).
Plan ring_plan(const Collective& c);
Plan ring_exchange_plan(const Collective& c);  // all-to-all by rings
Plan tree_plan(const Collective& c);
Plan direct_plan(const Collective& c);
Plan pairwise_plan(const Collective& c);
Plan bruck_plan(const Collective& c);
Plan doubling_plan(const Collective& c);
Plan hierarchical_plan(const Collective& c);

// Steps, by what they do with the slots `s`.
Step send(std::uint32_t to, const Slots& s);
Step copy_send(std::uint32_t to, const Slots& s);  // and writes its own result
Step receive(std::uint32_t from, const Slots& s);
Step receive_add(std::uint32_t from, const Slots& s);
Step copy(const Slots& from, const Slots& to);
// The same, sent on.
Step then_send(Step step, std::uint32_t to);

}  // namespace t3sim::message
