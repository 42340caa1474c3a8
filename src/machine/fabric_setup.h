// What lies between the GPUs in one phase, from the configuration and the phase's plan.
#pragma once

#include "interconnect/fabric.h"
#include "machine/gpu.h"

namespace t3sim {

// `gpus`: all of them, or the one that stands for all. Config, phase and GPUs must outlive the fabric.
// For programs: nothing is known of what will be sent. `mirror` as in FabricSetup, where one GPU stands for all.
std::unique_ptr<Fabric> make_fabric(const Config& config, const TimeBase& time,
                                    const std::vector<std::unique_ptr<Gpu>>& gpus,
                                    std::function<void(Request&, std::uint32_t)> mirror = {});
std::unique_ptr<Fabric> make_fabric(const Config& config, const Phase& phase, const TimeBase& time,
                                    const std::vector<std::unique_ptr<Gpu>>& gpus);

// Who sends to whom in a phase; a pair may come several times.
std::vector<Route> routes_of(const Phase& phase);

// What the receive buffers that the user wrote cost, as a sentence; empty if nothing.
std::string buffer_warning(const Config& config);

// Throws InputError when the phase sends from a GPU to another that the topology does not lead to.
void check_routes(const Config& config, const Phase& phase, const std::string& name);

}  // namespace t3sim
