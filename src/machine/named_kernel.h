// A library's GEMM kernel by its name, as keys of the workload.
#pragma once

#include "kernel/library_kernel.h"
#include "machine/config.h"

namespace t3sim {

// Takes over what the name in workload.kernel says of the kernel, and from `execution.gemm` how its library's
// kernels run. Throws InputError for a name that is none, and for a trace beside it.
void settle_named_kernel(Config& config, const config::Sources& sources);
// The same for a kernel that is known already.
void use_kernel(Config& config, const LibraryKernelName& kernel);
// The same as a kernel of its own, for `cus` CUs; layouts and shape are those of `spec`.
void use_kernel(const Config& config, const LibraryKernelName& kernel, std::uint32_t cus, GemmSpec& spec);

// Of the matrix rate, that a Triton kernel with tiles of that size and so many K steps in flight reaches.
double compiled_efficiency(const GemmExecutionConfig& library, std::uint64_t tile_elements,
                           std::uint32_t steps_in_flight);

}  // namespace t3sim
