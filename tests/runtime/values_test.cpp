// Functional mode of programs: what they compute.
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "draws.h"
#include "program/check.h"
#include "program/dependences.h"
#include "program/evaluate.h"
#include "program/library.h"
#include "runtime/hand_program.h"
#include "runtime/load_program.h"
#include "runtime/random_program.h"

namespace t3sim {
namespace {

constexpr std::uint32_t kPrograms = 500;

Config functional_machine(std::uint32_t gpus) {
  Config config = program_machine(gpus);
  config.run.functional = true;
  config.workload.tile = {64, 64, 32};
  config.workload.wavefronts = 4;
  return config;
}

// Machines differ in what changes the order of things.
Config machine_of(std::uint64_t seed) {
  Config config = functional_machine(static_cast<std::uint32_t>(2 + seed % 7));
  config.run.seed = seed;
  config.gpu.cus = seed % 3 == 0 ? 4 : 8;
  if (seed % 4 == 1) config.l2.remote_writes = RemoteWrites::memory;
  if (seed % 5 == 1) config.topology.link.bulk_packet_bytes = 256;
  if (seed % 4 == 3) config.topology.kind = TopologyKind::fully_connected;
  if (seed % 6 == 1) config.topology.link.latency_ps = 3'000'000;
  if (seed % 6 == 2) config.commands.issue_ps = 2'000'000;
  if (seed % 7 == 3) config.l2.size_bytes = 128 << 10;
  return config;
}

program::Program evaluated(const std::string& yaml, const Config& config) {
  program::Setting setting;
  setting.gpus = config.gpus.count;
  setting.cus = static_cast<std::uint32_t>(config.gpu.cus);
  setting.kernel = machine_kernels(config);
  return program::evaluate(program::read_text(yaml, "random.yaml"), setting);
}

// "": all elements are as the interpreter has them.
std::string first_difference(RandomProgram& random, const Config& config, const program::Program& program) {
  const ProgramResult result = run_program(config, program);
  random.carry_out([&](const program::View& element) { return result.values->before(element); });
  for (std::uint32_t g = 0; g < config.gpus.count; ++g)
    for (std::uint32_t a = 0; a < random.arrays().size(); ++a)
      for (std::uint32_t copy = 0; copy < random.arrays()[a].copies; ++copy)
        for (std::uint32_t r = 0; r < random.arrays()[a].rows; ++r)
          for (std::uint32_t c = 0; c < random.arrays()[a].columns; ++c) {
            const std::int32_t is = result.values->now({a, g, copy, r, 1, c, 1});
            const std::int32_t right = random.value({g, a, copy, r, 1, c, 1});
            if (is != right)
              return "x" + std::to_string(a) + "@" + std::to_string(g) + "[row " + std::to_string(r) +
                     ", column " + std::to_string(c) + ", copy " + std::to_string(copy) + "] is " +
                     std::to_string(is) + ", not " + std::to_string(right);
          }
  return "";
}

TEST(RandomPrograms, ComputeTheRightValues) {
  for (std::uint64_t seed = 1; seed <= draws(kPrograms); ++seed) {
    const Config config = machine_of(seed);
    RandomProgram random(seed, config.gpus.count);
    const std::string yaml = random.text();
    SCOPED_TRACE("seed " + std::to_string(seed));
    try {
      const program::Program program = evaluated(yaml, config);
      check(program);
      check_dependences(program);
      ASSERT_EQ(first_difference(random, config, program), "") << yaml;
    } catch (const std::exception& e) {
      FAIL() << e.what() << "\n" << yaml;
    }
  }
}

bool is_refused(const program::Program& program) {
  try {
    check(program);
    check_dependences(program);
  } catch (const InputError&) {
    return true;
  }
  return false;
}

// Where a missing wait matters the program is refused before the run; run all the same, many give wrong values.
TEST(RandomPrograms, WithAMissingWaitAreRefused) {
  std::uint32_t refused = 0, wrong = 0, accepted = 0;
  for (std::uint64_t seed = 1; seed <= draws(100U); ++seed) {
    const Config config = machine_of(seed);
    RandomProgram random(seed, config.gpus.count);
    if (random.waits() == 0) continue;
    const std::string yaml = random.text(1 + static_cast<std::uint32_t>(seed) % random.waits());
    const program::Program program = evaluated(yaml, config);
    const bool is_wrong = !first_difference(random, config, program).empty();
    if (is_refused(program)) {
      ++refused;
      wrong += is_wrong;
    } else {  // another wait orders the same
      ++accepted;
      EXPECT_FALSE(is_wrong) << "seed " << seed << ": a wrong value, and the checker sees no race\n" << yaml;
    }
  }
  std::printf("%u refused, of which %u compute a wrong value when they run; %u accepted\n", refused, wrong,
              accepted);
  EXPECT_GT(refused, draws(50U));
  EXPECT_GE(wrong, draws(100U) / 5);
}

// Shipped programs keep their promises, also where rows do not divide among GPUs.
class ShippedValues : public testing::TestWithParam<std::string> {};

Config shipped_machine(const std::string& name, std::uint32_t gpus, std::uint32_t m) {
  Config config = functional_machine(gpus);
  config.gpu.cus = 16;
  config.program.file = name;
  config.program.parameters = {{"m", m}, {"n", 128}, {"k", 128}};
  if (name.starts_with("all-gather-gemm")) config.program.parameters["rows"] = 64;
  if (name == "gemm-reduce-scatter-beside")
    for (const char* side : {"rows", "columns"}) config.program.parameters[side] = 32;
  else if (name.starts_with("gemm-reduce"))
    config.program.parameters["align"] = 64;
  if (name == "gather") config.program.parameters.erase("n");
  if (name.starts_with("ficco") && name.find("fused") != name.npos) config.program.parameters["chunks"] = 2;
  return config;
}

TEST_P(ShippedValues, AreAsPromised) {
  for (const std::uint32_t gpus : {2U, 4U}) {
    const Config config = shipped_machine(GetParam(), gpus, 256);
    const ProgramResult result = run_program(config, load_program(config));
    EXPECT_GT(result.checked_elements, 0U) << gpus << " GPUs";
  }
}

TEST(TilesThatAreHandedOnBesideAGemm, AddUpOnAnyNumberOfGpus) {
  for (const std::uint32_t gpus : {3U, 8U, 16U}) {
    const Config config = shipped_machine("gemm-reduce-scatter-beside", gpus, gpus * 64);
    EXPECT_EQ(run_program(config, load_program(config)).checked_elements, gpus * 64 * 128);
  }
}

TEST(FluxsOwnPrograms, AreAsPromisedOnAnyNumberOfGpus) {
  const std::string name = T3SIM_SOURCE_DIR "/validation/flux/user-buffers-";
  for (const std::uint32_t gpus : {2U, 3U, 8U, 16U}) {
    Config config = shipped_machine(name + "all-gather-gemm.yaml", gpus, gpus * 16);
    EXPECT_EQ(run_program(config, load_program(config)).checked_elements, gpus * gpus * 16 * 128);
    config = shipped_machine(name + "gemm-reduce-scatter.yaml", gpus, gpus * 16);
    config.program.parameters.insert(
        {{"splits", 2}, {"rows", 8}, {"sms", 4}, {"last_sms", 8}, {"cus", config.gpu.cus}});
    EXPECT_EQ(run_program(config, load_program(config)).checked_elements, gpus * 16 * 128);
  }
  for (const std::uint32_t gpus : {2U, 3U, 8U}) {
    Config config =
        shipped_machine(T3SIM_SOURCE_DIR "/validation/flux/gemm-reduce-scatter-ampere.yaml", gpus, gpus * 64);
    config.program.parameters["align"] = 64;
    EXPECT_EQ(run_program(config, load_program(config)).checked_elements, gpus * 64 * 128);
  }
  for (const std::uint32_t gpus : {4U, 6U, 8U}) {
    Config config = shipped_machine(name + "all-gather-gemm.yaml", gpus, gpus * 16);
    config.program.parameters["together"] = 2;
    EXPECT_EQ(run_program(config, load_program(config)).checked_elements, gpus * gpus * 16 * 128);
  }
}

TEST(FluxsRings, AreAsPromisedOnAnyNumberOfGpus) {
  const std::string ring = T3SIM_SOURCE_DIR "/validation/flux/ring-";
  for (const std::uint32_t gpus : {2U, 3U, 8U, 16U}) {
    Config config =
        shipped_machine(ring + "all-gather-gemm.yaml", gpus, gpus * 64 - 16);  // the last rows are fewer
    config.program.parameters["rows"] = 64;
    EXPECT_EQ(run_program(config, load_program(config)).checked_elements, gpus * (gpus * 64 - 16) * 128);
    config = shipped_machine(ring + "gemm-reduce-scatter.yaml", gpus, gpus * 64);
    for (const char* side : {"rows", "columns"}) config.program.parameters[side] = 32;
    EXPECT_EQ(run_program(config, load_program(config)).checked_elements, gpus * 64 * 128);
  }
}

TEST(FluxsProgramsOverTwoNodes, AreAsPromised) {
  const std::string over = T3SIM_SOURCE_DIR "/validation/flux/two-node-";
  for (const char* name : {"all-gather-gemm", "gemm-reduce-scatter", "gemm-reduce-scatter-ampere"}) {
    Config config = shipped_machine(over + name + ".yaml", 4, 512);
    config.topology.kind = TopologyKind::pcie_tree;
    config.topology.pcie = {1, 2, 1, true, 40'000'000'000, 200'000, 100'000'000'000, 300'000, {}, 800'000};
    config.topology.outer_bandwidth_Bps = 25'000'000'000;
    config.topology.outer_latency_ps = 2'000'000;
    config.topology.card = {128, 100'000, 0, CardPuts::gpu};
    auto& parameters = config.program.parameters;
    parameters.insert({{"local", 2}, {"rows", 64}});
    if (std::string(name) != "all-gather-gemm")
      parameters.insert({{"columns", 64}, {"cus", config.gpu.cus}, {"adders", 4}});
    const ProgramResult result = run_program(config, load_program(config));
    EXPECT_EQ(result.checked_elements, 512 * 128 * (std::string(name) == "all-gather-gemm" ? 4 : 1)) << name;
  }
}

std::vector<std::string> programs_that_promise() {
  std::vector<std::string> names;
  for (const std::string& name : program_library::names())
    if (program_library::read(name).root.find("promises")) names.push_back(name);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Programs, ShippedValues, testing::ValuesIn(programs_that_promise()), test_name);

// cuBLAS's C += AB: the CUs read C, or the L2 adds. Both compute the same; in the second case no CU loads C.
TEST(SlicesOfK, AreAddedByTheCusOrByTheL2) {
  std::map<std::uint64_t, double> read_bytes;
  for (const std::uint64_t waiting : {0U, 1U, 4U}) {
    Config config = functional_machine(2);
    config.l2.waiting_add_sectors = waiting;
    config.l2.size_bytes = 128 << 10;
    config.workload.kernel = "nvjet_sm90_hsh_128x128_64x4_1x2_h_badd_coopA_NNT";
    config.program.file = "decomposed-gemm";
    config.program.parameters = {{"m", 512}, {"n", 256}, {"k", 256}, {"pieces", 4}, {"along_k", 1}};
    const ProgramResult result = run_program(config, load_program(config));
    EXPECT_GT(result.checked_elements, 0U) << waiting;
    read_bytes[waiting] = real(result.gpus[0].dram.read(Traffic::gemm));
  }
  EXPECT_GT(read_bytes[1], 0.9 * read_bytes[0]);  // C is still fetched
  EXPECT_DOUBLE_EQ(read_bytes[1], read_bytes[4]);
}

TEST(AWrongPromise, IsACheckErrorThatNamesTheElement) {
  Config config = functional_machine(2);
  const std::string yaml =
      "name: p\narrays: {a: {rows: 64, columns: 64}, b: {rows: 64, columns: 64}, c: {rows: 64, columns: "
      "64}}\n"
      "streams: {s: [{launch: {gemm: {a: a, b: b, c: c}, tile: 64x64x32, wavefronts: 4}}]}\n"
      "promises: {c: b times a}\n";
  try {
    run_program(config, evaluated(yaml, config));
    FAIL() << "b times a is not a times b";
  } catch (const CheckError& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, 39), "random.yaml:4: row 0, column 0 of c on ");
    EXPECT_NE(std::string(e.what()).find("promised is b times a"), std::string::npos);
  }
}

}  // namespace
}  // namespace t3sim
