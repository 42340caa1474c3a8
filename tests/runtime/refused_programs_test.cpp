// Programs that are right, with kernels or on machines with which they cannot run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "runtime/hand_program.h"
#include "runtime/load_program.h"

namespace t3sim {
namespace {

Config with_program(std::uint32_t gpus, const std::string& name,
                    std::map<std::string, std::uint64_t> parameters) {
  Config config = program_machine(gpus);
  config.program = {name, std::move(parameters)};
  return config;
}

TEST(ACommunicationTile, MustNotSplitATileOfTheGemm) {
  for (const char* name : {"all-gather-gemm", "all-gather-gemm-push"}) {
    const auto with_rows = [&](std::uint64_t rows) {
      return refusal(with_program(2, name, {{"m", 768}, {"n", 256}, {"k", 64}, {"rows", rows}}));
    };
    EXPECT_EQ(with_rows(384), "") << "a shard";
    EXPECT_EQ(with_rows(128), "") << "a tile";
    const std::string text = with_rows(192);
    EXPECT_NE(text.find("mine == 1 or rows % tile_m == 0"), std::string::npos) << text;
    EXPECT_NE(text.find(".yaml:"), std::string::npos) << text;
  }
}

Config eight_on_two_sockets(const std::string& name, bool peer_access) {
  Config config = with_program(8, name, {{"m", 1024}, {"n", 256}, {"k", 64}});
  config.topology.kind = TopologyKind::pcie_tree;
  config.topology.pcie.peer_access = peer_access;
  if (name == "all-gather-gemm") config.program.parameters["rows"] = 128;
  return config;
}

TEST(ACopy, IsRefusedWithinOneMemory) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "within.yaml";
  std::ofstream(file)
      << "name: x\narrays: {a: {rows: 8, columns: 64}, b: {rows: 8, columns: 64}, c: {rows: 8, columns: "
         "64}}\n"
         "streams: {s: [{copy: {from: a, to: b@(rank + 1) % gpus}}, {copy: {from: a, to: c}}]}\n";
  Config config = program_machine(2);
  config.program.file = file;
  const std::string text = refusal(config);
  EXPECT_NE(text.find("within.yaml:3:"), std::string::npos) << text;
  EXPECT_NE(text.find("from and to are in one memory"), std::string::npos) << text;
}

// Known when the kernel starts, as its tile is the machine's.
TEST(AKernelThatFitsOnNoCu, IsRefusedWhereTheProgramLaunchesIt) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "large-tile.yaml";
  std::ofstream(file)
      << "name: x\narrays: {a: {rows: 256, columns: 64}, b: {rows: 64, columns: 256}, c: {rows: 256, "
         "columns: 256}}\nstreams:\n  s: [{launch: {gemm: {a: a, b: b, c: c}}}]\n";
  Config config = program_machine(2);
  config.program.file = file;
  config.gpu.lds_bytes = 1024;
  try {
    run_program(config, load_program(config));
    FAIL() << "a tile has fitted into 1 KiB";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("large-tile.yaml:4:"), std::string::npos) << e.what();
  }
}

TEST(KernelsThatStoreIntoOtherGpus, NeedPeerAccess) {
  for (const char* name : {"gemm-reduce-scatter", "gemm-reduce-scatter-add"}) {
    EXPECT_EQ(refusal(eight_on_two_sockets(name, true)), "");
    const std::string text = refusal(eight_on_two_sockets(name, false));
    EXPECT_NE(text.find("kernels of GPU 0 cannot store into GPU 4: there is no peer access (topology); "
                        "allowed: copies and collectives"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(refusal(eight_on_two_sockets("all-gather-gemm", false)), "") << "copies pass the host's memory";
}

TEST(AProgram, IsRefusedWhereItsArraysNeedMoreThanAGpuHas) {
  // Tables of 4 x 1,000 x 1 KiB and less than 1 MB of the rest.
  Config config = with_program(2, "embedding-all-to-all", {{"tables", 4}, {"rows", 1000}, {"batch", 16}});
  EXPECT_EQ(refusal(config), "") << "nobody says how much memory there is";
  config.gpus.memory_bytes = 5'000'000;
  EXPECT_EQ(refusal(config), "");
  config.gpus.memory_bytes = 4'100'000;
  const std::string text = refusal(config);
  EXPECT_NE(text.find("GPU 0: its arrays take "), std::string::npos) << text;
  EXPECT_NE(text.find("('e' 4.1 MB), and it has 4.1 MB (gpus.memory)"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line";
}

}  // namespace
}  // namespace t3sim
