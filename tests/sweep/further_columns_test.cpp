// `collect`, `columns` and `invalid` of a sweep file.
#include "sweep/further_columns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/csv.h"
#include "sweep/sweep_fixture.h"

namespace t3sim::sweep {
namespace {

class FurtherColumnsOfSweeps : public Sweeps {
 protected:
  static constexpr const char* kTwoPoints = "base: small.yaml\naxes: {workload.k: [32, 64]}\n";

  static void run(const std::string& more, const std::string& directory = "out") {
    write_file("sweep.yaml", kTwoPoints + more);
    const Outcome outcome = t3sim_with("sweep run sweep.yaml --quiet -o " + directory);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  // A cell of the row of a point and scheme.
  static double cell(const std::string& scheme, const std::string& column) {
    CsvTable table{std::filesystem::path("out/results.csv")};
    while (table.next_row())
      if (table.text(table.column("scheme")) == scheme) return table.real(table.column(column));
    return -1;
  }
};

TEST_F(FurtherColumnsOfSweeps, are_not_there_unless_asked_for) {
  run("");
  CsvTable table{std::filesystem::path("out/results.csv")};
  for (const char* name : {"gap_us", "fused_matrix_share", "link_out_busy"})
    EXPECT_FALSE(table.has_column(name)) << name;
}

TEST_F(FurtherColumnsOfSweeps, collected_counters_are_those_of_stats) {
  run("collect: [link.out.bytes, link.out.busy@fused, cu.load_bytes]\n");
  EXPECT_EQ(cell("t3-mca", "link_out_bytes"), cell("t3-mca", "link_bytes"));
  ASSERT_EQ(t3sim_with("run small.yaml --set workload.k=32 -q -o one").status, 0);
  const std::string busy = t3sim_with("stats one --scheme t3-mca --counter link.out.busy").out;
  EXPECT_NE(busy.find(fmt::format("{:.10g}", cell("t3-mca", "link_out_busy_fused"))), std::string::npos)
      << busy;
}

TEST_F(FurtherColumnsOfSweeps, gap_and_limits_are_those_of_results_json) {
  run("collect: [gap, limits]\n");
  EXPECT_GT(cell("t3-mca", "fused_matrix_share"), 0);
  EXPECT_LE(cell("t3-mca", "fused_matrix_share"), 1);
  const double parts = cell("t3-mca", "gap_us");
  CsvTable table{std::filesystem::path("out/results.csv")};
  double sum = 0;
  for (const std::string& name : table.columns())
    if (name.starts_with("gap_") && name != "gap_us") sum += cell("t3-mca", name);
  EXPECT_NEAR(sum, parts, 1e-5);
}

TEST_F(FurtherColumnsOfSweeps, derived_columns_are_worked_out_of_the_row) {
  run("collect: [link.out.busy]\n"
      "columns: {share: link_out_busy / time_us, per_k: time_us / workload_k, twice: 2 * share}\n");
  EXPECT_DOUBLE_EQ(cell("t3-mca", "share"), cell("t3-mca", "link_out_busy") / cell("t3-mca", "time_us"));
  EXPECT_DOUBLE_EQ(cell("sequential", "per_k"), cell("sequential", "time_us") / 32);
  EXPECT_DOUBLE_EQ(cell("sequential", "twice"), 2 * cell("sequential", "share"));
}

TEST_F(FurtherColumnsOfSweeps, what_is_collected_belongs_to_the_point) {
  run("collect: [link.out.busy]\n");
  write_file("sweep.yaml", std::string(kTwoPoints) + "collect: [link.out.bytes]\n");
  EXPECT_NE(t3sim_with("sweep run sweep.yaml -o out --resume --quiet").out.find("(0 of them before)"),
            std::string::npos);
  write_file("sweep.yaml",
             std::string(kTwoPoints) + "collect: [link.out.bytes, gap]\ncolumns: {x: 2 * time_us}\n");
  EXPECT_NE(t3sim_with("sweep run sweep.yaml -o out --resume --quiet").out.find("(2 of them before)"),
            std::string::npos)
      << "nothing new is counted";
}

TEST_F(FurtherColumnsOfSweeps, wrong_ones_are_refused_with_their_place) {
  const std::string before = kTwoPoints;
  EXPECT_EQ(refusal(before + "collect: [link.out.bussy]\n"),
            "sweep.yaml:3:11: collect: unknown counter \"link.out.bussy\"; did you mean link.out.busy?");
  EXPECT_EQ(refusal(before + "collect: gap\n"),
            "sweep.yaml:3:10: collect: expected a list of counters, found \"gap\"");
  EXPECT_EQ(refusal(before + "collect: [gap, gap]\n"), "sweep.yaml:3:16: collect: gap is said twice");
  EXPECT_EQ(refusal(before + "columns: {x: time_us +}\n"),
            "sweep.yaml:3:14: columns: x: expected a column, a number, -, not, min, max or (, found the end");
  EXPECT_EQ(refusal(before + "columns: {x: time_us < 3}\n"),
            "sweep.yaml:3:14: columns: x: \"<\" gives no number");
  EXPECT_EQ(refusal(before + "columns: {a-b: time_us}\n"),
            "sweep.yaml:3:11: columns: \"a-b\" is no name; allowed: letters, digits and _");
}

TEST_F(FurtherColumnsOfSweeps, impossible_points_are_left_out_counted_and_listed_where_the_sweep_says_so) {
  const std::string text = "base: small.yaml\naxes: {workload.tile: [128x128x32, 128x128x4096]}\n";
  EXPECT_NE(refusal(text).find("bytes of LDS"), std::string::npos);
  write_file("sweep.yaml", text + "invalid: skip\n");
  const Outcome plan = t3sim_with("sweep plan sweep.yaml");
  EXPECT_EQ(plan.status, 0);
  EXPECT_NE(plan.err.find("left out: workload.tile=128x128x4096: "), std::string::npos) << plan.err;
  EXPECT_NE(plan.err.find("1 points, all of them valid; 1 cannot be run (invalid: skip)"), std::string::npos)
      << plan.err;
  const Outcome run = t3sim_with("sweep run sweep.yaml --quiet -o out");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("1 points cannot be run and are left out"), std::string::npos);
  EXPECT_NE(t3sim_with("sweep status out").out.find("left out          workload.tile=128x128x4096: "),
            std::string::npos);
  EXPECT_EQ(refusal(text + "invalid: ignore\n"),
            "sweep.yaml:3:10: invalid: \"ignore\" is not allowed; allowed: refuse, skip");
}

TEST(DerivedColumns, NamesWithoutAValueLeaveTheCellEmpty) {
  const auto value = [](std::string_view name) { return name == "a" ? std::optional(3.0) : std::nullopt; };
  EXPECT_EQ(evaluate({"x", "2 * a + 1"}, value), 7.0);
  EXPECT_EQ(evaluate({"x", "max(a, 5) - -a"}, value), 8.0);
  EXPECT_EQ(evaluate({"x", "a + b"}, value), std::nullopt);
  EXPECT_EQ(evaluate({"x", "a / 0"}, value), std::nullopt);
}

}  // namespace
}  // namespace t3sim::sweep
