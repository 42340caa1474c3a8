#include "runtime/program_memory.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/number.h"
#include "sim/line.h"

namespace t3sim {
namespace {

std::string spoken(std::uint64_t bytes) {
  return bytes < 1'000'000'000 ? fmt::format("{:.1f} MB", real(bytes) / 1e6)
                               : fmt::format("{:.1f} GB", real(bytes) / 1e9);
}

std::uint64_t bytes_of(const program::Array& array) { return array.copies * array.stride_bytes; }

}  // namespace

void check_memory(const Config& config, const program::Program& program) {
  if (!config.gpus.memory_bytes) return;
  for (std::uint32_t gpu = 0; gpu < program.gpu_count; ++gpu) {
    std::uint64_t sum = 0;
    const program::Array* largest = nullptr;
    for (const program::Array& array : program.arrays)
      if (array.on[gpu]) {
        sum += bytes_of(array);
        if (!largest || bytes_of(array) > bytes_of(*largest)) largest = &array;
      }
    for (const program::Signals& signals : program.signals) sum += signals.count * kLineBytes;
    if (sum <= *config.gpus.memory_bytes || !largest) continue;
    throw InputError(fmt::format("{}: GPU {}: its arrays take {} ('{}' {}), and it has {} (gpus.memory)",
                                 program.file, gpu, spoken(sum), largest->name, spoken(bytes_of(*largest)),
                                 spoken(*config.gpus.memory_bytes)));
  }
}

}  // namespace t3sim
