// The limits of results.json are what stats.csv gives, counted again from its rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMachine =
    "workload: {name: small, m: 1024, n: 512, k: 256}\n"
    "gpus: {count: 4}\n"
    "gpu: {cus: 8, clock: 1.4 GHz, matrix_flops_per_cycle: 1024}\n"
    "memory: {channels: 8}\n"
    "l2: {slices: 16, size: 1 MiB}\n"
    "schemes: [sequential, t3, t3-mca]\n"
    "include: " T3SIM_SOURCE_DIR "/tests/machine.yaml\n";
constexpr double kPeakFlops = 8 * 1024 * 1.4e9, kPeakDram = 8 * 32 * 1e9;  // 8 channels of 32 bytes a ns

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) all.push_back(field);
  return all;
}

// Counters of one phase on one GPU, by component and name.
struct Counters {
  std::map<std::string, std::map<std::string, double>> of;

  double get(const std::string& component, const std::string& name) const {
    const auto found = of.find(component);
    return found == of.end() || !found->second.contains(name) ? 0 : found->second.at(name);
  }
  double sum(const std::string& components, const std::string& name) const {
    double sum = 0;
    for (const auto& [component, counters] : of)
      if (component.starts_with(components)) sum += get(component, name);
    return sum;
  }
  double number(const std::string& components) const {
    return static_cast<double>(
        std::ranges::count_if(of, [&](const auto& c) { return c.first.starts_with(components); }));
  }
  double time() const { return get("gpu", "phase_time"); }

  std::string busiest_port() const {
    std::string port = "link.out";
    for (const auto& [component, counters] : of)
      if (component.starts_with("link.out") && get(component, "busy") > get(port, "busy")) port = component;
    return port;
  }
  std::string idle_cause() const {
    const std::string port = busiest_port();
    if (get(port, "busy") == 0) return "nothing_to_send";
    std::string cause = "none";
    double most = 0;
    for (const auto& [name, us] : of.at(port))
      if (name.starts_with("idle_") && us > most) cause = name.substr(5), most = us;
    return cause;
  }
};

// By phase of a scheme, in order; of the GPU that took longest.
std::vector<Counters> phases_of(const std::string& scheme) {
  std::vector<std::string> names;
  std::map<std::pair<std::string, std::string>, Counters> all;
  std::istringstream in(content_of("out/stats.csv"));
  for (std::string line; std::getline(in, line);) {
    const auto f = fields(line);
    if (f[5] != scheme) continue;
    if (std::ranges::find(names, f[6]) == names.end()) names.push_back(f[6]);
    all[{f[6], f[0]}].of[f[1]][f[2]] = std::stod(f[3]);
  }
  std::vector<Counters> phases;
  for (const std::string& name : names) {
    phases.emplace_back();
    for (const auto& [key, counters] : all)
      if (key.first == name && (phases.back().of.empty() || counters.time() > phases.back().time()))
        phases.back() = counters;
  }
  return phases;
}

void expect_within_a_percent(const Json& limits, const char* key, double expected) {
  EXPECT_NEAR(limits.at(key).get<double>(), expected, 0.01 * expected) << key << " of " << limits;
}

void expect_limits_of(const Json& limits, const Counters& c) {
  const double matrix = c.get("kernel", "time_matrix_useful") / c.time();
  expect_within_a_percent(limits, "matrix_share", matrix);
  expect_within_a_percent(limits, "tflops", matrix * kPeakFlops / 1e12);
  expect_within_a_percent(limits, "link_share", c.get(c.busiest_port(), "busy") / c.time());
  EXPECT_EQ(limits.at("link_idle_cause"), c.idle_cause());
  const double dram = (c.sum("channel", "compute_bytes") + c.sum("channel", "communication_bytes")) /
                      (c.time() + c.get("gpu", "write_back_after_phase")) * 1e6;
  expect_within_a_percent(limits, "dram_GBps", dram / 1e9);
  expect_within_a_percent(limits, "dram_share", dram / kPeakDram);
  const double read = c.sum("l2", "read_bytes");
  if (read == 0)
    EXPECT_TRUE(limits.at("l2_hit_rate").is_null());
  else
    expect_within_a_percent(limits, "l2_hit_rate", c.sum("l2", "hit_bytes") / read);
  const double empty = c.get("kernel", "place_launch") + c.get("kernel", "place_no_workgroup");
  expect_within_a_percent(limits, "cus_busy", c.number("cu[") * (c.get("kernel", "time") - empty) / c.time());
  EXPECT_GT(limits.at("limited_share").get<double>(), 0);
  EXPECT_LE(limits.at("limited_share").get<double>(), 1.000001);
}

class LimitsOfStats : public InFolder {
 protected:
  static Json run(const std::string& arguments) {
    write_file("machine.yaml", kMachine);
    write_file("uneven.yaml",
               "gpus: {model: explicit, overrides: {2: {link_bandwidth: 20 GB/s}}}\ninclude: machine.yaml\n");
    EXPECT_EQ(t3sim_with("run " + arguments + " --quiet -o out").status, 0) << content_of(".stderr");
    return Json::parse(content_of("out/results.json"))["schemes"];
  }
  static void expect_limits_of_all_phases(const std::string& arguments) {
    const Json schemes = run(arguments);
    for (const auto& [scheme, result] : schemes.items()) {
      const std::vector<Counters> phases = phases_of(scheme);
      ASSERT_EQ(phases.size(), result["limits"].size()) << scheme;
      auto counters = phases.begin();
      for (const auto& [phase, limits] : result["limits"].items()) {
        SCOPED_TRACE(arguments + ": " + scheme + " " + phase);
        EXPECT_TRUE(result["phases"].contains(phase + "_us"));
        expect_limits_of(limits, *counters++);
      }
    }
  }
};

TEST_F(LimitsOfStats, AreThoseOfAMirroredRing) { expect_limits_of_all_phases("machine.yaml"); }

TEST_F(LimitsOfStats, AreThoseOfTheSlowestOfExplicitGpus) { expect_limits_of_all_phases("uneven.yaml"); }

TEST_F(LimitsOfStats, AreThoseOfThePortThatIsBusiest) {
  expect_limits_of_all_phases(
      "machine.yaml --set topology.kind=fully-connected --set collective.algorithm=direct");
}

TEST_F(LimitsOfStats, AreThoseOfLinksWithSmallBuffers) {
  expect_limits_of_all_phases("machine.yaml --set topology.buffer='4 KiB'");
}

TEST_F(LimitsOfStats, AreGivenToComputedSchemesByThePhasesThatTheyAreMadeFrom) {
  const Json schemes = run("machine.yaml --scheme sequential,ideal-overlap,ideal-rs-nmc");
  EXPECT_EQ(schemes["ideal-overlap"]["limits"], schemes["sequential"]["limits"]);
  EXPECT_EQ(schemes["ideal-rs-nmc"]["limits"]["gemm"], schemes["sequential"]["limits"]["gemm"]);
  EXPECT_NE(schemes["ideal-rs-nmc"]["limits"]["rs"], schemes["sequential"]["limits"]["rs"]);
}

TEST_F(LimitsOfStats, SayWhyTheGapHasNoPartsWhereTheL2KeepsItsContents) {
  const Json t3 = run("machine.yaml --set l2.kernel_boundary=keep")["t3"];
  EXPECT_FALSE(t3.contains("gap"));
  EXPECT_TRUE(t3["no_gap"].get<std::string>().starts_with("l2.kernel_boundary: keep: "));
  EXPECT_TRUE(t3.contains("limits"));
  EXPECT_NE(
      t3sim_with("run machine.yaml --set l2.kernel_boundary=keep -o out2")
          .out.find(
              "\nt3, t3-mca: the gap to ideal-overlap is not given in parts (l2.kernel_boundary: keep: "),
      std::string::npos);
}

}  // namespace
}  // namespace t3sim
