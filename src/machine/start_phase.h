// What a phase starts on a GPU: kernels with the ways of their stores, Tracker thresholds and DMA commands.
#pragma once

#include "machine/gpu.h"

namespace t3sim {

// `functional`: as of the GPU. Both must outlive the GPU's run.
void start_phase(Gpu& gpu, const Config& config, const Phase& phase, const FunctionalGpu* functional);

}  // namespace t3sim
