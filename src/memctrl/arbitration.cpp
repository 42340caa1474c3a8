#include "memctrl/arbitration.h"

#include "memctrl/arbitration/compute_first.h"
#include "memctrl/arbitration/mca.h"
#include "memctrl/arbitration/mca_paced.h"
#include "memctrl/arbitration/round_robin.h"

namespace t3sim {

std::unique_ptr<ArbitrationPolicy> make_arbitration(const ArbitrationConfig& config, Tick period) {
  switch (config.policy) {
    case ArbitrationKind::compute_first:
      return std::make_unique<ComputeFirst>();
    case ArbitrationKind::mca:
      return std::make_unique<Mca>(config, period);
    case ArbitrationKind::mca_paced:
      return std::make_unique<McaPaced>(config, period);
    case ArbitrationKind::round_robin:
      break;
  }
  return std::make_unique<RoundRobin>();
}

}  // namespace t3sim
