// The machines that come with the program: their links, what they must say, and the tiles of real kernels.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "config/load.h"
#include "draws.h"
#include "machine/small_cluster.h"
#include "run/check_config.h"
#include "run/run_schemes.h"

namespace t3sim {
namespace {

const std::vector<std::string>& machines() {
  static const std::vector<std::string> files{"paper/machine.yaml",          "systems/accelsim-table1.yaml",
                                              "systems/h100.yaml",           "systems/h200.yaml",
                                              "systems/h200-x4.yaml",        "systems/qv100.yaml",
                                              "systems/b200.yaml",           "systems/a800-x8.yaml",
                                              "systems/a100-nvlink-x8.yaml", "systems/h800-x8.yaml"};
  return files;
}

config::Node document_of(const std::string& machine) {
  return config::load_file(std::string(T3SIM_SOURCE_DIR) + "/configs/" + machine).root;
}
Config machine_of(const std::string& machine, const std::vector<std::string>& settings) {
  config::Node root = document_of(machine);
  for (const std::string& setting : settings) config::apply_override(root, setting);
  Config config;
  check_config(config, config::read(root, config));
  return config;
}
// What is wrong with it; empty if nothing is.
std::string refusal(const config::Node& root) {
  try {
    Config config;
    const config::Sources sources = config::read(root, config);
    check_config(config, sources);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}
std::string refusal(const std::string& machine, const std::vector<std::string>& settings) {
  config::Node root = document_of(machine);
  for (const std::string& setting : settings) config::apply_override(root, setting);
  return refusal(root);
}

// One GPU without links runs under the scheme kernel.
bool has_links(const std::string& machine) { return machine != "systems/qv100.yaml"; }

class ShippedMachines : public testing::TestWithParam<std::string> {};

class LinkedMachines : public ShippedMachines {};

// 64 MiB around its GPUs, in steps of a chunk.
TEST_P(LinkedMachines, MoveDataByDmaAtTheRateOfTheirLinks) {
  T3_SKIP_IF_SANITIZED();
  for (const char* kind : {"reduce-scatter", "all-gather"}) {
    const Config config = machine_of(
        GetParam(), {"workload={m: 8192, n: 4096, k: 64}", fmt::format("collective.kind={}", kind)});
    Phase phase;
    const Collectives made = collectives(config);
    phase.collective = made.traffic;
    phase.tracked = made.by_dma;
    const LinkConfig& link = config.topology.link;
    const double steps = config.gpus.count - 1;
    const double payload =
        static_cast<double>(link.bandwidth_Bps) * 128 / (128 + static_cast<double>(link.header_bytes));
    const double chunk = static_cast<double>(64 << 20) / config.gpus.count;
    const double expected = steps * (chunk / payload * 1e6 + static_cast<double>(link.latency_ps) * 1e-6);
    EXPECT_NEAR(run_phase(config, phase).time_us, expected, 0.10 * expected) << kind;
  }
}

const config::Node* find(const config::Node& root, const std::string& path) {
  const std::size_t dot = path.find('.');
  const config::Entry* entry = root.find(path.substr(0, dot));
  if (!entry) return nullptr;
  return dot == path.npos ? &entry->value : find(entry->value, path.substr(dot + 1));
}
void remove(config::Node& root, const std::string& path) {
  const std::size_t dot = path.find('.');
  for (auto it = root.entries.begin(); it != root.entries.end(); ++it) {
    if (it->key != path.substr(0, dot)) continue;
    if (dot == path.npos)
      root.entries.erase(it);
    else
      remove(it->value, path.substr(dot + 1));
    return;
  }
}

TEST_P(ShippedMachines, AreRefusedByNameWithoutAnyOneKeyThatHasNoDefault) {
  // Said for settings that a user may choose: memory.reduction: atomic, memory.refresh.mode: per_bank.
  const std::set<std::string> of_other_settings{"memory.atomic_cycles", "memory.refresh.per_bank_cycles"};
  config::Node root = document_of(GetParam());
  config::apply_override(root, "workload={m: 1024, n: 1024, k: 64}");
  if (!has_links(GetParam())) config::apply_override(root, "schemes=kernel");
  ASSERT_EQ(refusal(root), "");
  std::size_t removed = 0;
  for (const config::KeyHelp& key : config::list_keys<Config>()) {
    if (key.value != "required" || !find(root, key.path) || of_other_settings.contains(key.path)) continue;
    if (!has_links(GetParam()) && key.path.starts_with("gpus.")) continue;
    config::Node without = root;
    remove(without, key.path);
    const std::string name = key.path.substr(key.path.rfind('.') + 1);
    EXPECT_NE(refusal(without).find("lacks " + name), std::string::npos)
        << key.path << ": " << refusal(without);
    ++removed;
  }
  EXPECT_GE(removed, 55U);
}

std::string name_of_file(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.find('/') + 1);
  name.resize(name.find('.'));
  std::erase(name, '-');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, ShippedMachines, testing::ValuesIn(machines()), name_of_file);
INSTANTIATE_TEST_SUITE_P(All, LinkedMachines,
                         testing::Values("paper/machine.yaml", "systems/accelsim-table1.yaml",
                                         "systems/h100.yaml", "systems/h200.yaml", "systems/h200-x4.yaml"),
                         name_of_file);

TEST(AMachineThatSaysLittle, IsToldAllThatItLacksAtOnce) {
  const std::string text =
      refusal(config::parse_yaml("workload: {m: 1024, n: 1024, k: 64}\ngpu: {cus: 8}\n", "a.yaml"));
  EXPECT_EQ(text.find("a.yaml: "), 0U) << text;
  EXPECT_NE(text.find("\n  a.yaml:2:6: gpu: lacks name, clock, "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  a.yaml: no dma: lacks engines, lines_per_cycle, buffer"), std::string::npos)
      << text;
  EXPECT_NE(text.find("memory.timing: lacks burst"), std::string::npos) << text;
  EXPECT_EQ(text.find("outer_"), std::string::npos) << "of a two-level topology only: " << text;
  EXPECT_EQ(text.find("cus"), std::string::npos) << text;
}

TEST(AMachineWithTwoLevels, MustSayItsOuterLinks) {
  const std::string text = refusal("paper/machine.yaml", {"workload={m: 1024, n: 1024, k: 64}",
                                                          "topology.kind=two-level", "gpus.model=explicit"});
  EXPECT_NE(text.find("topology: lacks node_size, outer_bandwidth, outer_latency"), std::string::npos)
      << text;
}

struct ShippedTopology {
  const char* file;
  std::vector<std::string> keys;  // of its kind
};
void PrintTo(const ShippedTopology& t, std::ostream* os) { *os << t.file; }
class ShippedTopologies : public testing::TestWithParam<ShippedTopology> {};

TEST_P(ShippedTopologies, AreRefusedByNameWithoutAnyOneKeyOfTheirKind) {
  const config::Node root = document_of(GetParam().file);
  ASSERT_EQ(refusal(root), "");
  for (const std::string& key : GetParam().keys) {
    config::Node without = root;
    remove(without, "topology." + key);
    const std::string name = key.substr(key.rfind('.') + 1);
    EXPECT_NE(refusal(without).find("lacks " + name), std::string::npos) << key << ": " << refusal(without);
  }
}
INSTANTIATE_TEST_SUITE_P(
    All, ShippedTopologies,
    testing::Values(ShippedTopology{"topologies/a100-pcie-x8.yaml",
                                    {"bandwidth", "latency", "pcie.sockets", "pcie.gpus_per_socket",
                                     "pcie.cards", "pcie.peer_access", "pcie.socket_bandwidth",
                                     "pcie.socket_latency", "pcie.memory_bandwidth", "pcie.memory_latency",
                                     "pcie.card_latency"}},
                    ShippedTopology{"topologies/h800-2x8.yaml", {"card.queue", "card.put_time", "node_size"}},
                    ShippedTopology{"topologies/torus-16.yaml", {"shape", "hop_latency"}},
                    ShippedTopology{"topologies/mi300x-8.yaml", {"kind"}}));

class RealTiles : public testing::TestWithParam<const char*> {};

TEST_P(RealTiles, RunOnHopperAWorkgroupACu) {
  const Config config = machine_of(
      "systems/h200.yaml",
      {"workload={m: 640, n: 768, k: 128}", "schemes=kernel", std::string("workload.tile=") + GetParam()});
  EXPECT_EQ(workgroups_per_cu(config.gpu, kernel_traits(config)), 1U);
  EXPECT_GT(run_kernel(config).time_us, 0);
}
INSTANTIATE_TEST_SUITE_P(Hopper, RealTiles,
                         testing::Values("160x256x64", "320x128x64", "192x192x64", "128x256x64",
                                         "256x128x64"),
                         [](const auto& p) { return "Tile" + std::string(p.param); });

TEST(Hopper, KeepsWorkgroupsFromTheLdsThatIsTheDrivers) {
  const std::vector<std::string> settings{"workload={m: 1024, n: 1024, k: 512}", "schemes=kernel"};
  std::vector<std::string> fits = settings, too_large = settings;
  fits.push_back("workload.tile=128x128x227");  // 227 KiB in two buffers
  too_large.push_back("workload.tile=128x128x228");
  EXPECT_EQ(refusal("systems/h200.yaml", fits), "");
  EXPECT_NE(
      refusal("systems/h200.yaml", too_large).find("233472 bytes of LDS; a CU has 2048, 262144 and 232448"),
      std::string::npos)
      << refusal("systems/h200.yaml", too_large);
}

TEST(Mirror, SaysWhatKeepsChunksFromBeingAlike) {
  const auto of_rows = [](unsigned rows) {
    return refusal("paper/machine.yaml",
                   {"gpus.model=mirror", fmt::format("workload={{m: {}, n: 1024, k: 64}}", rows)});
  };
  EXPECT_NE(
      of_rows(4000).find("4000 rows end within a tile of 128: the last of the 32 rows of tiles has 32 (a "
                         "multiple of 1024 rows, such as 4096, does not)"),
      std::string::npos)
      << of_rows(4000);
  EXPECT_NE(of_rows(1280).find("10 rows of 8 tiles do not divide by 8"), std::string::npos) << of_rows(1280);
}

}  // namespace
}  // namespace t3sim
