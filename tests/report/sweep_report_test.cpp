// The page of a sweep: what it is made from, and which directories are refused.
#include "report/sweep_data.h"

#include <gtest/gtest.h>

#include "draws.h"
#include "results/report_file.h"
#include "sweep/sweep_fixture.h"
#include "sweep/tables.h"

namespace t3sim::sweep {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

class SweepReports : public Sweeps {
 protected:
  void SetUp() override {
    Sweeps::SetUp();
    ASSERT_EQ(t3sim_with("sweep run sweep.yaml -o out --quiet").status, 0);
  }
  static std::string refusal() {
    try {
      report::sweep_data("out");
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }
  static std::string point_file(std::size_t index) {
    return "out/points/" + Store::open("out").plan()->points[index].key;
  }
  static void replace(const std::string& path, const std::string& text, const std::string& by) {
    std::string content = content_of(path);
    const std::size_t at = content.find(text);
    ASSERT_NE(at, content.npos) << text;
    write_file(path, content.replace(at, text.size(), by));
  }
};

TEST_F(SweepReports, the_data_are_the_table_and_the_points) {
  const Json data = report::sweep_data("out");
  EXPECT_EQ(data["axes"].dump(), R"(["workload_k","topology_bandwidth_GBps"])");
  EXPECT_EQ(data["points"].size(), 8U);
  EXPECT_EQ(data["points"][1]["values"].dump(), "[32.0,150.0]");
  EXPECT_EQ(data["rows"].size(), 16U);
  EXPECT_EQ(data["rows"][3][3], "t3-mca");
  EXPECT_EQ(data["phases"]["t3-mca"].dump(), R"(["fused_us","ag_us"])");
}

TEST_F(SweepReports, configurations_are_told_by_what_differs) {
  T3_SKIP_IF_SANITIZED();
  const Json data = report::sweep_data("out");
  std::string config;
  Json lines = data["config"];
  for (const auto& [line, text] : data["differs"][7].items()) lines[std::stoul(line)] = text;
  for (const Json& line : lines) config += line.get<std::string>() + "\n";
  EXPECT_EQ(config, Store::open("out").plan()->points[7].config);
  EXPECT_EQ(data["differs"][7].size(), 2U);
}

TEST_F(SweepReports, the_program_writes_the_page) {
  EXPECT_EQ(t3sim_with("report out").out, "out/report.html\n");
  EXPECT_TRUE(is_report("out/report.html"));
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml -o out --resume --quiet").status, 0);
}

// Its points are named by what the file held.
TEST_F(SweepReports, a_sweep_of_a_program_of_ones_own_has_one) {
  write_file(
      "push.yaml",
      "name: push\nparameters: {rows: 64}\narrays: {a: {rows: rows, columns: 64}, b: {rows: rows, columns: "
      "64}}\nstreams: {s: [{copy: {from: a, to: \"b@(rank + 1) % gpus\"}}]}\n");
  write_file("mine.yaml",
             "base: small.yaml\nset: {gpus.count: 2, l2.kernel_boundary: keep, program.file: push.yaml}\n"
             "axes: {program.parameters.rows: [64, 128]}\n");
  ASSERT_EQ(t3sim_with("sweep run mine.yaml -o mine --quiet").status, 0);
  EXPECT_EQ(report::sweep_data("mine")["points"].size(), 2U);
}

TEST_F(SweepReports, a_failed_point_is_told_with_the_reason) {
  fs::remove(point_file(2));
  write_file(point_file(2) + ".failed", "no progress");
  Store store = Store::open("out");
  const Plan plan = store.plan().value();
  Results(store, plan).write_tables();
  const Json data = report::sweep_data("out");
  EXPECT_EQ(data["points"][2]["failed"], "no progress");
  EXPECT_EQ(data["rows"].size(), 14U);
}

TEST_F(SweepReports, missing_points_are_refused) {
  fs::remove(point_file(2));
  fs::remove(point_file(3));
  EXPECT_EQ(refusal(),
            "out: incomplete, 2 of 8 points are missing: t3sim sweep run --resume goes on with it");
}

TEST_F(SweepReports, a_changed_point_is_refused) {
  replace(point_file(2), "\"speedup\":1.0", "\"speedup\":9.0");
  EXPECT_EQ(refusal(), point_file(2) + ": changed or cut off since it was written (its hash is wrong)");
}

TEST_F(SweepReports, a_changed_table_is_refused) {
  replace("out/results.csv", ",sequential,", ",sequential,9");
  EXPECT_NE(refusal().find("out/results.csv: changed since it was written"), std::string::npos);
  fs::remove("out/results.csv");
  EXPECT_NE(refusal().find("out/results.csv: missing"), std::string::npos);
}

TEST_F(SweepReports, a_changed_plan_is_refused) {
  const std::string whole = content_of("out/plan.jsonl");
  replace("out/plan.jsonl", "cus: 8", "cus: 9");
  EXPECT_NE(
      refusal().find("out/plan.jsonl: not a plan of this t3sim: cut off, or changed since it was written"),
      std::string::npos);
  write_file("out/plan.jsonl", whole.substr(0, whole.size() / 2));
  EXPECT_NE(refusal().find("cut off, or changed"), std::string::npos);
}

TEST_F(SweepReports, a_sweep_of_another_version_is_refused) {
  replace("out/plan.jsonl", "\"program\":\"", "\"program\":\"0.0.1 x, before ");
  EXPECT_NE(refusal().find("out: run with t3sim 0.0.1, and this is "), std::string::npos);
}

}  // namespace
}  // namespace t3sim::sweep
