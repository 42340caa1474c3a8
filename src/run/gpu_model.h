// gpus.model: which of the GPUs a run simulates.
#pragma once

#include "machine/config.h"

namespace t3sim {

// Settles config.gpus.model by what gpus.model says; auto: mirror where one GPU stands for all, as all do the same with chunks
// that are alike; else explicit, and gpus.because says why. `config` is valid in every other respect.
// Throws InputError where mirror is asked for and would not be exact.
void settle_gpu_model(Config& config, const config::Sources& sources);

// "one GPU stands for all 8" or "all 8 are simulated, as ..."; empty unless gpus.model is auto.
std::string chosen_gpu_model(const Config& config);

}  // namespace t3sim
