// Every shipped program runs to its end, and puts on the links what its commands say.
#include <gtest/gtest.h>

#include "program/library.h"
#include "runtime/hand_program.h"
#include "runtime/load_program.h"

namespace t3sim {
namespace {

Config machine_for(const std::string& name, std::uint32_t gpus) {
  Config config = name.ends_with("-put") ? card_machine(gpus) : program_machine(gpus);
  config.workload.tile = {64, 64, 32};
  config.workload.wavefronts = 4;
  config.gpu.cus = 16;
  config.program.file = name;
  if (name == "copies") return config;
  if (name.starts_with("embedding")) {
    config.program.parameters = {{"tables", 2}, {"rows", 500}, {"batch", 32}, {"pooling", 6}};
    if (name.ends_with("-put")) config.program.parameters["slice"] = 4;
    return config;
  }
  config.program.parameters = {{"m", 1024}, {"n", 256}, {"k", 512}};
  if (name.starts_with("gemv") || name == "gather") config.program.parameters.erase("n");
  if (name.starts_with("all-gather-gemm")) config.program.parameters["rows"] = 128;
  if (name.ends_with("-beside"))
    for (const char* side : {"rows", "columns"}) config.program.parameters[side] = 64;
  return config;
}

// What copies take from a GPU's memory to another's; none where kernels or collectives send, too.
std::optional<std::uint64_t> copied_from(const program::Program& program, std::uint32_t gpu) {
  std::uint64_t bytes = 0;
  for (const program::GpuCommands& commands : program.gpus)
    for (const program::Command& command : commands.commands) {
      if (const auto* copy = std::get_if<program::Copy>(&command.action))
        bytes += copy->from.gpu == gpu ? copy->from.rows * copy->from.columns * 2 : 0;
      const auto* launch = std::get_if<program::Launch>(&command.action);
      if ((launch && (!launch->stores.empty() || !launch->sets.empty())) ||
          std::holds_alternative<program::SetSignal>(command.action) ||
          std::holds_alternative<program::Collective>(command.action))
        return std::nullopt;
    }
  return bytes;
}

class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, EndsOnTwoAndFourGpus) {
  for (const std::uint32_t gpus : {2U, 4U}) {
    const Config config = machine_for(GetParam(), gpus);
    const program::Program program = load_program(config);
    const ProgramResult result = run_program(config, program);
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
      for (const CommandTimes& times : result.gpus[gpu].times) {
        EXPECT_LE(times.issued, times.begun);
        EXPECT_LE(times.begun, times.done);
        EXPECT_LE(times.done, result.ticks);
      }
      if (const auto bytes = copied_from(program, gpu)) {
        EXPECT_EQ(result.gpus[gpu].link_bytes, *bytes);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Shipped, testing::ValuesIn(program_library::names()),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace t3sim
