// gpus.model: auto.
#include "run/gpu_model.h"

#include <gtest/gtest.h>

#include "machine/small_cluster.h"

namespace t3sim {
namespace {

Config machine(std::uint32_t gpus, std::uint32_t m) {
  Config config = small_config(gpus, m, 256, 64, GpuModel::mirror);
  config.schemes = {shipped::t3};
  return config;
}
Config settled(Config config) {
  settle_gpu_model(config, config::Sources("a.yaml"));
  return config;
}

TEST(AutoGpuModel, IsMirrorWhereAllGpusDoTheSame) {
  const Config config = settled(machine(4, 512));
  EXPECT_EQ(config.gpus.model, GpuModel::mirror);
  EXPECT_EQ(chosen_gpu_model(config), "one GPU stands for all 4");
}

TEST(AutoGpuModel, IsExplicitWhereAShapeDoesNotDivideAndSaysWhy) {
  const Config config = settled(machine(3, 512));
  EXPECT_EQ(config.gpus.model, GpuModel::explicit_);
  EXPECT_NE(chosen_gpu_model(config).find("all 3 GPUs are simulated, as chunks are not alike: "),
            std::string::npos)
      << chosen_gpu_model(config);
}

TEST(AutoGpuModel, IsExplicitWhereGpusDifferOrHaveNumbersOrAreNotNeighboursAlike) {
  Config differ = machine(4, 512), numbers = machine(4, 512), nodes = machine(4, 512);
  differ.gpus.overrides[1].clock_hz = 1'000'000'000;
  numbers.run.functional = true;
  nodes.topology.kind = TopologyKind::two_level;
  for (const Config& config : {differ, numbers, nodes})
    EXPECT_EQ(settled(config).gpus.model, GpuModel::explicit_);
}

TEST(AStatedGpuModel, IsTaken) {
  Config config = machine(4, 512);
  config.gpus.choice = GpuModel::explicit_;
  EXPECT_EQ(settled(config).gpus.model, GpuModel::explicit_);
  EXPECT_EQ(chosen_gpu_model(settled(config)), "");
}

TEST(AStatedMirror, IsRefusedWhereItWouldNotBeExact) {
  Config config = machine(3, 512);
  config.gpus.choice = GpuModel::mirror;
  EXPECT_THROW(settled(config), InputError);
}

}  // namespace
}  // namespace t3sim
