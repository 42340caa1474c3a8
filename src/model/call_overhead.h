// What a framework adds to a collective's call: Python above a library (Figure 7 of MCR-DL).
#pragma once

#include <cstdint>

#include "model/collective_costs.h"

namespace t3sim::model {

// Percent of a call whose messages (message_bytes()) are of up to 4 KiB, and from 1 MiB on; between them on a line over the
// logarithm of the bytes.
struct CallOverhead {
  double small = 0, large = 0;
  double percent(std::uint64_t message) const;
  // The call with it. Its links are idle in what is added.
  CollectiveCost over(const CollectiveCost& cost, std::uint64_t message) const;
  bool none() const { return small == 0 && large == 0; }
};

}  // namespace t3sim::model
