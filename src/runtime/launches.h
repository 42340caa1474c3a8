// From a command of a program to the kernel that a GPU launches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "gpu/arrival_board.h"
#include "machine/running.h"
#include "nmc/functional_memory.h"
#include "runtime/collective_settings.h"
#include "runtime/signal_memory.h"
#include "runtime/tables.h"

namespace t3sim {

struct Config;

// What launches refer to; all of it outlives them.
struct LaunchContext {
  const program::Program& program;
  const ProgramTables& tables;
  const Config& config;
  SignalMemory& signals;
  std::uint32_t gpu;
  const FunctionalMemory* values = nullptr;  // of the GPU, in functional mode
};

KernelLaunch kernel_of(const LaunchContext& context, std::uint32_t command, const program::Launch& launch);

// The kernel of a collective library on this GPU (gpu/channel_kernel.h), and the board that counts what it gets.
struct CollectiveLaunch {
  KernelLaunch kernel;
  std::shared_ptr<ArrivalBoard> board;
};
CollectiveLaunch collective_of(const LaunchContext& context, const program::Collective& collective);

// What its packets say of themselves: collective and number on the board.
struct CollectiveMark {
  static constexpr std::uint32_t kNumberBits = 20;
  std::uint32_t collective, number;
  static CollectiveMark of(std::uint32_t marked) {
    return {marked >> kNumberBits, marked & ((1U << kNumberBits) - 1U)};
  }
};

}  // namespace t3sim
