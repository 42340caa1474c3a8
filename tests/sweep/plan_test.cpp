#include <gtest/gtest.h>

#include "draws.h"
#include "sweep/sweep_fixture.h"

namespace t3sim::sweep {
namespace {

using Texts = std::vector<std::string>;

class Plans : public Sweeps {};

TEST_F(Plans, the_last_axis_varies_fastest) {
  EXPECT_EQ(labels("base: small.yaml\naxes:\n  gpus.count: [2, 4]\n  workload.k: [32, 64]\n"),
            (Texts{"gpus.count=2, workload.k=32", "gpus.count=2, workload.k=64",
                   "gpus.count=4, workload.k=32", "gpus.count=4, workload.k=64"}));
}

TEST_F(Plans, zipped_axes_go_together) {
  EXPECT_EQ(labels("base: small.yaml\n"
                   "axes: {gpus.count: [2, 4], workload.k: [32, 64]}\n"
                   "zip: [gpus.count, workload.k]\n"),
            (Texts{"gpus.count=2, workload.k=32", "gpus.count=4, workload.k=64"}));
  EXPECT_EQ(refusal("base: small.yaml\n"
                    "axes: {gpus.count: [2, 4], workload.k: [32]}\n"
                    "zip: [[gpus.count, workload.k]]\n"),
            "sweep.yaml:3:20: zip: workload.k has 1 values, but gpus.count has 2");
  EXPECT_EQ(refusal("base: small.yaml\naxes: {gpus.count: [2, 4]}\nzip: [gpus.count, workload.k]\n"),
            "sweep.yaml:3:19: zip: no axis \"workload.k\"; axes: gpus.count");
}

TEST_F(Plans, a_table_gives_several_keys_at_once) {
  write_file("shapes.csv", "workload.m,workload.n\n512,256\n# no shape\n1024, 512\n");
  EXPECT_EQ(labels("base: small.yaml\naxes:\n  shapes: {file: shapes.csv}\n"),
            (Texts{"workload.m=512, workload.n=256", "workload.m=1024, workload.n=512"}));
  write_file("shapes.csv", "workload.m,workload.nn\n512,256\n");
  EXPECT_EQ(refusal("base: small.yaml\naxes:\n  shapes: {file: shapes.csv}\n"),
            "shapes.csv:1:12: unknown key \"workload.nn\"; did you mean workload.n?");
  write_file("shapes.csv", "workload.m,workload.n\n512\n");
  EXPECT_EQ(refusal("base: small.yaml\naxes:\n  shapes: {file: shapes.csv}\n"),
            "shapes.csv:2:1: 1 values, but the first line names 2 keys");
}

TEST_F(Plans, presets_set_several_keys_and_later_axes_override_them) {
  const Plan plan = plan_of(
      "base: small.yaml\n"
      "presets:\n"
      "  a: {workload.m: 1024, gpus: {count: 2}}\n"
      "  b: {workload.m: 512, gpus.count: 4}\n"
      "axes: {preset: [a, b], workload.k: [32, 64]}\n");
  ASSERT_EQ(plan.points.size(), 4u);
  EXPECT_EQ(plan.points[1].label, "preset=a, workload.k=64");
  EXPECT_EQ(plan.points[1].values, (Texts{"a", "1024", "2", "64"}));
  EXPECT_EQ(plan.points[1].command,
            "t3sim run small.yaml --set workload.m=1024 --set gpus.count=2 --set workload.k=64");
}

TEST_F(Plans, conditions_leave_points_out_before_they_are_checked) {
  const Plan plan =
      plan_of("base: small.yaml\naxes: {workload.m: [512, 500, 1024]}\nwhere: workload.m % 512 == 0\n");
  EXPECT_EQ(plan.points.size(), 2u);
  EXPECT_EQ(plan.left_out, 1u);
  EXPECT_EQ(refusal("base: small.yaml\naxes: {workload.m: [512]}\nwhere: workload.m > 512\n"),
            "sweep.yaml:3:8: `where` leaves none of the 1 points");
}

TEST_F(Plans, columns_carry_units_in_their_names) {
  const Plan plan = plan_of(
      "base: small.yaml\naxes: {topology.bandwidth: [75 GB/s], topology.latency: [1 us], gpu.clock: [1.4 "
      "GHz], "
      "l2.size: [1 MiB], gpus.model: [mirror]}\n");
  Texts names;
  for (const PlanColumn& column : plan.columns) names.push_back(column.name);
  EXPECT_EQ(names, (Texts{"topology_bandwidth_GBps", "topology_latency_ns", "gpu_clock_GHz", "l2_size_bytes",
                          "gpus_model"}));
  EXPECT_EQ(plan.points[0].values, (Texts{"75", "1000", "1.4", "1048576", "mirror"}));
  EXPECT_FALSE(plan.columns.back().numeric);
}

TEST_F(Plans, what_is_wrong_names_file_line_and_point) {
  EXPECT_EQ(refusal("base: small.yaml\naxes:\n  workload.kk: [32]\n"),
            "sweep.yaml:3:3: unknown key \"workload.kk\"; did you mean workload.k?");
  EXPECT_EQ(refusal("base: small.yaml\naxes: {gpus: [4]}\n"),
            "sweep.yaml:2:8: gpus: is a section; an axis is one of the keys in it, or a preset");
  EXPECT_EQ(refusal("base: small.yaml\naxes:\n  gpus.count: [4, 300]\n"),
            "small.yaml: gpus.count: 300 is too large; allowed: 2 to 255, more with gpus.model: message "
            "(said at sweep.yaml:3:19); point 1 of sweep.yaml:2:1: "
            "gpus.count=300");
  const std::string impossible = refusal("base: small.yaml\naxes:\n  workload.m: [512, 640]\n");
  EXPECT_NE(impossible.find("mirror would not be exact: chunks are not alike"), std::string::npos)
      << impossible;
  EXPECT_NE(impossible.find("; point 1 of sweep.yaml:2:1: workload.m=640"), std::string::npos) << impossible;
  EXPECT_EQ(refusal("base: small.yaml\npresets: {small: {workload.m: 512}}\naxes: {preset: [smal]}\n"),
            "sweep.yaml:3:17: unknown preset \"smal\"; did you mean small?");
  EXPECT_EQ(refusal("base: small.yaml\npresets: {small: {workload.m: 512, workload.n: 0}}\n"),
            "sweep.yaml:2:48: workload.n: 0 is too small; allowed: 1 to 16777216");
  EXPECT_EQ(refusal("base: small.yaml\naxis: {}\n"),
            "sweep.yaml:2:1: unknown key \"axis\" of a sweep file; did you mean axes?");
  EXPECT_EQ(refusal("axes: {}\n"),
            "sweep.yaml:1:1: a sweep file needs `base`: the configuration that it varies");
  EXPECT_EQ(refusal("base: smal.yaml\n"), "sweep.yaml:1:7: base: smal.yaml: no such file");
  EXPECT_EQ(refusal("base: small.yaml\nschemes: [t4]\n").find("sweep.yaml:2:11: schemes"), 0u);
}

TEST_F(Plans, a_point_is_said_once_and_presets_before_they_are_named) {
  EXPECT_EQ(refusal("base: small.yaml\naxes: {gpus.count: [2, 4], workload.k: [32, 64, 32]}\n"),
            "the same values as point 0; point 2 of sweep.yaml:2:1: gpus.count=2, workload.k=32");
  EXPECT_EQ(refusal("base: small.yaml\naxes: {preset: [a]}\n"),
            "sweep.yaml:2:17: unknown preset \"a\"; the sweep has no `presets`");
}

TEST_F(Plans, a_plan_reads_back_from_its_text) {
  const Plan plan = plan_of(kEightPoints);
  EXPECT_EQ(plan_text(parse_plan(plan_text(plan))), plan_text(plan));
  EXPECT_THROW(parse_plan("{}"), std::runtime_error);
  const std::string text = plan_text(plan);
  EXPECT_THROW(parse_plan(text.substr(0, text.rfind('\n', text.size() - 2) + 1)), std::runtime_error);
}

TEST_F(Plans, a_points_key_follows_from_what_decides_its_result) {
  const Plan a = plan_of("base: small.yaml\naxes: {workload.k: [32, 64]}\n");
  const Plan b = plan_of("base: small.yaml\naxes: {gpus.count: [4], workload.k: [64, 96]}\n");
  EXPECT_EQ(a.points[1].key, b.points[0].key);
  EXPECT_NE(a.points[0].key, a.points[1].key);
}

TEST_F(Plans, a_scheme_of_the_users_own_counts_by_its_content) {
  write_file("mine.yaml",
             "name: x\nstages: [{launch: gemm}, {collective: exchange}, {collective: all-gather}]\n");
  write_file("sweep.yaml", "base: small.yaml\nschemes: [mine.yaml]\naxes: {workload.k: [64]}\n");
  const std::string before = make_plan(load_sweep("sweep.yaml")).points[0].key;
  EXPECT_EQ(make_plan(load_sweep("sweep.yaml")).points[0].key, before);
  std::ofstream("mine.yaml", std::ios::app) << "# changed\n";
  EXPECT_NE(make_plan(load_sweep("sweep.yaml")).points[0].key, before);
}

// The point's command, run by itself, has the very configuration that the plan has.
TEST_F(Plans, a_points_command_repeats_it) {
  write_file("sub/sweep.yaml",
             "base: ../small.yaml\n"
             "set: {topology: {latency: 700 ns}, workload.name: it's a test}\n"
             "axes: {topology.bandwidth: [0.15 TB/s], workload.k: [96]}\nschemes: [t3]\n");
  const Plan plan = make_plan(load_sweep("sub/sweep.yaml"));
  const std::string& command = plan.points[0].command;
  ASSERT_EQ(command.find("t3sim run "), 0u);
  const Outcome outcome = t3sim_with(command.substr(6) + " -o alone --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(content_of("alone/config.yaml"), plan.points[0].config);
}

TEST_F(Plans, the_sweeps_that_come_with_the_program_are_valid) {
  unsigned sweeps = 0;
  for (const auto& entry : std::filesystem::directory_iterator(T3SIM_SOURCE_DIR "/sweeps")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_NO_THROW(make_plan(load_sweep(entry.path().string()))) << entry.path();
    ++sweeps;
  }
  EXPECT_GE(sweeps, 5u);
}

TEST_F(Plans, of_a_thousand_points_are_made_whole) {
  T3_SKIP_IF_SANITIZED();
  const Plan plan = plan_of(
      "base: small.yaml\naxes: {workload.k: {from: 32, to: 3200, step: 32}, gpus.count: [2, 4], "
      "topology.bandwidth: {from: 50 GB/s, to: 250 GB/s, step: 50 GB/s}}\nwhere: workload.k > 0\n");
  EXPECT_EQ(plan.points.size(), 1000u);
}

}  // namespace
}  // namespace t3sim::sweep
