// How much a GEMM and transfers beside it slow each other, by estimate.
#pragma once

#include "validation/measured/gemm_kernel.h"
#include "validation/measured/machine.h"

namespace t3sim {

// Both queues begin together and last equally long alone; each one's mean a call until its own end.
struct SlowDown {
  double gemm = 0, transfer = 0;
};
SlowDown slow_down(const MeasuredMachine& machine, const LibraryGemm& kernel, const InterferenceRow& row);

}  // namespace t3sim
