// A layer of a model on a machine, all by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/program.h"
#include "draws.h"
#include "in_folder.h"

namespace t3sim {
namespace {

class ByName : public InFolder {
 protected:
  static std::string refusal(const std::string& arguments) {
    const Outcome outcome = t3sim_with(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    return outcome.err;
  }
};

constexpr const char* kSmall = "--model llama3-8b --layer attn-out --tp 8 --tokens 1024 --machine paper";

TEST_F(ByName, a_layer_runs_and_says_its_gemm_first) {
  const Outcome outcome =
      t3sim_with(std::string("run ") + kSmall + " --scheme sequential,t3 -o result --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find(
                "Llama 3 8B attn-out TP8: M 1024 = tokens x N 4096 = hidden x K 512 = 32 heads x 128 / 8 "
                "GPUs\n\nLlama 3 8B attn-out TP8: M 1024 x N 4096 x K 512 on 8 GPUs\n"),
            0u)
      << outcome.out;
  EXPECT_TRUE(std::filesystem::exists("result/results.json"));
}

TEST_F(ByName, its_configuration_gives_the_same_results_byte_for_byte) {
  T3_SKIP_IF_SANITIZED();
  ASSERT_EQ(t3sim_with(std::string("run ") + kSmall + " --scheme t3 -o first --quiet").status, 0);
  ASSERT_EQ(t3sim_with("run first/config.yaml -o second --quiet").status, 0);
  for (const char* name : {"results.json", "stats.csv", "config.yaml"})
    EXPECT_EQ(content_of(std::string("first/") + name), content_of(std::string("second/") + name)) << name;
}

TEST_F(ByName, config_prints_what_would_run) {
  EXPECT_EQ(t3sim_with(std::string("config ") + kSmall + " --set workload.m=512").out.find("tokens"),
            std::string::npos)
      << "sizes that are not the layer's are not explained as if they were";
  const Outcome outcome = t3sim_with(std::string("config ") + kSmall);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  write_file("mine.yaml", outcome.out);
  EXPECT_EQ(t3sim_with("config mine.yaml").out, outcome.out.substr(outcome.out.find('\n') + 1));
  EXPECT_NE(outcome.out.find("  k: 512\n"), std::string::npos);
}

TEST_F(ByName, a_file_can_come_from_standard_input_and_use_a_machine_by_name) {
  write_file("mine.yaml", "workload: {name: mine, m: 512, n: 512, k: 64}\nschemes: [t3]\n");
  const Outcome piped = [] {
    const int status = std::system(
        (std::string("cat mine.yaml | ") + T3SIM_BINARY + " config - --machine paper >.stdout 2>.stderr")
            .c_str());
    return Outcome{WEXITSTATUS(status), content_of(".stdout"), content_of(".stderr")};
  }();
  ASSERT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(piped.out, t3sim_with("config mine.yaml --machine paper").out);
}

TEST_F(ByName, every_complete_machine_takes_a_layer_or_says_why_not) {
  for (const char* machine : {"paper", "h100", "h200", "h200-x4", "b200", "mi300x-8"}) {
    const Outcome outcome =
        t3sim_with(std::string("config --model llama3-70b --layer mlp-down --tp 8 --machine ") + machine);
    EXPECT_EQ(outcome.status, 0) << machine << ": " << outcome.err;
  }
  const std::string without_links = "config --model llama3-70b --layer mlp-down --tp 8 --machine qv100";
  EXPECT_EQ(refusal(without_links),
            "t3sim: config: this machine has no links: only --scheme kernel runs on it\n");
  EXPECT_EQ(t3sim_with(without_links + " --scheme kernel").status, 0);
}

TEST_F(ByName, what_can_be_named_is_listed) {
  EXPECT_NE(t3sim_with("list models").out.find("\nllama3-70b "), std::string::npos);
  EXPECT_NE(t3sim_with("list models").out.find("  mlp-down "), std::string::npos);
  EXPECT_NE(t3sim_with("list machines").out.find("\nb200 "), std::string::npos);
  EXPECT_NE(t3sim_with("list schemes").out.find("\nt3-mca "), std::string::npos);
  EXPECT_NE(t3sim_with("list sweeps").out.find("figure-16 "), std::string::npos);
  EXPECT_EQ(refusal("list modles"), "t3sim: list: unknown list \"modles\"; did you mean models?\n");
}

TEST_F(ByName, every_scheme_that_is_listed_is_explained) {
  const std::string list = t3sim_with("list schemes").out;
  for (std::size_t at = 0; at < list.size(); at = list.find('\n', at) + 1)
    EXPECT_GT(list.find('\n', at) - at, 30u) << list.substr(at, 20);
}

TEST_F(ByName, a_sweep_is_planned_by_name) {
  const Outcome outcome = t3sim_with("sweep plan figure-16");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("figure-16: 16 points"), std::string::npos);
}

TEST_F(ByName, names_that_are_missing_or_wrong_are_refused_in_one_line) {
  EXPECT_EQ(refusal("run --layer mlp-down --machine paper"),
            "t3sim: run: --layer needs --model (see t3sim run --help)\n");
  EXPECT_EQ(refusal("run --machine paper --tp 8"),
            "t3sim: run: --tp and --tokens need --model (see t3sim run --help)\n");
  EXPECT_EQ(refusal("run --model llama3-70b --layer mlp-down --tp 8")
                .find("t3sim: run: --model needs --machine: one of "
                      "paper, "),
            0u);
  EXPECT_EQ(refusal("run --model llama3-70b --machine paper")
                .find("t3sim: run: --model needs --layer: one of attn-out"),
            0u);
  EXPECT_EQ(refusal("run --model llama3-70b --layer mlp-down --tp 8 --machine h10"),
            "t3sim: --machine: unknown machine \"h10\"; did you mean h100?\n");
  EXPECT_EQ(refusal("run --model llama3-70b --layer mlp-down --tp 6 --machine h100"),
            "t3sim: --tp 6: 28672 (ffn) cannot be split over 6 GPUs; the nearest that can: 4 or 7\n");
}

TEST_F(ByName, a_dry_run_writes_nothing_and_says_events_and_memory_within_a_factor_of_two) {
  T3_SKIP_IF_SANITIZED();
  for (const std::string machine : {"paper", "h100"}) {
    const std::string arguments =
        "run --model llama3-8b --layer attn-out --tp 8 --tokens 256 --scheme sequential,t3 -j 1 -q "
        "--machine " +
        machine;
    const Outcome dry = t3sim_with(arguments + " --dry-run --json");
    ASSERT_EQ(dry.status, 0) << dry.err;
    EXPECT_FALSE(std::filesystem::exists("r"));
    const auto said = nlohmann::json::parse(dry.out);
    ASSERT_EQ(t3sim_with(arguments + " -o r").status, 0);
    const auto manifest = nlohmann::json::parse(content_of("r/manifest.json"));
    double events = 0;
    for (const auto& [scheme, n] : manifest["simulated_events"].items()) events += n.get<double>();
    const auto ratio = [](double a, double b) { return std::max(a / b, b / a); };
    EXPECT_LT(ratio(said["events"], events), 2) << machine;
#ifndef __SANITIZE_ADDRESS__  // which takes memory of its own
    EXPECT_LT(ratio(said["memory_bytes"], manifest["peak_memory_bytes"]), 2) << machine;
#endif
    std::filesystem::remove_all("r");
  }
}

TEST_F(ByName, a_program_can_read_the_results_from_standard_output) {
  T3_SKIP_IF_SANITIZED();
  const Outcome outcome = t3sim_with(std::string("run ") + kSmall + " --scheme t3 --json -q");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("{\n  \"schema\": 1,"), 0u);
  EXPECT_EQ(outcome.out.substr(outcome.out.size() - 2), "}\n");
  EXPECT_EQ(outcome.err.find("Llama 3 8B attn-out TP8: "), 0u);
}

}  // namespace
}  // namespace t3sim
