// Sweeps of programs: parameters as axes.
#include <gtest/gtest.h>

#include <algorithm>

#include "sweep/sweep_fixture.h"
#include "sweep/worker.h"

namespace t3sim::sweep {
namespace {

class ProgramSweeps : public Sweeps {
 protected:
  static std::string sweep_of(const std::string& program, const std::string& rows) {
    return "base: small.yaml\n"
           "set: {gpus.count: 2, l2.kernel_boundary: keep, program.file: " +
           program +
           ", program.parameters.columns: 256}\n"
           "axes: {program.parameters.rows: " +
           rows + "}\n";
  }
  static constexpr const char* kProgram =
      "name: push\nparameters: {rows: 64, columns: 64}\nrequire: rows <= 4096\n"
      "arrays: {a: {rows: rows, columns: columns}, b: {rows: rows, columns: columns}}\n"
      "streams: {s: [{copy: {from: a, to: \"b@(rank + 1) % gpus\"}}]}\n";
};

TEST_F(ProgramSweeps, have_a_row_for_each_point_with_its_bytes) {
  write_file("push.yaml", kProgram);
  write_file("sweep.yaml", sweep_of("push.yaml", "[64, 256]"));
  const Outcome outcome = t3sim_with("sweep run sweep.yaml -o done --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string csv = content_of("done/results.csv");
  EXPECT_TRUE(
      csv.starts_with("point,program_parameters_rows,scheme,time_us,speedup,kernels_us,communication_us,"))
      << csv;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3) << csv;
  for (const char* part : {"\n0,64,push,", "\n1,256,push,", ",32768", ",131072"})
    EXPECT_NE(csv.find(part), std::string::npos) << part << "\n" << csv;
}

TEST_F(ProgramSweeps, check_every_point_before_the_first_runs) {
  write_file("push.yaml", kProgram);
  const std::string wrong = refusal(sweep_of("push.yaml", "[64, 8192]"));
  EXPECT_TRUE(wrong.starts_with("push.yaml:3:10: require: the program needs rows <= 4096; here")) << wrong;
  EXPECT_NE(wrong.find("point 1 of"), std::string::npos) << wrong;
  EXPECT_NE(refusal(sweep_of("pull", "[64]")).find("no program \"pull\""), std::string::npos);
}

// It would be kept under the name of what the program was.
TEST_F(ProgramSweeps, fail_points_whose_program_has_changed_since_they_were_planned) {
  write_file("push.yaml", kProgram);
  const Plan plan = plan_of(sweep_of("push.yaml", "[64]"));
  const Store store = Store::make("out");
  write_file("push.yaml", std::string(kProgram) + "# another\n");
  std::string why;
  work(store, plan, {0}, [&](const WorkerEvent& event) { why = event.why; });
  EXPECT_NE(why.find("push.yaml: changed since the sweep was planned"), std::string::npos) << why;
  EXPECT_FALSE(store.result(plan.points[0]).has_value());
}

TEST_F(ProgramSweeps, name_points_by_what_is_in_the_program) {
  write_file("push.yaml", kProgram);
  const std::string before = plan_of(sweep_of("push.yaml", "[64]")).points[0].key;
  write_file("other.yaml", kProgram);
  EXPECT_EQ(plan_of(sweep_of("other.yaml", "[64]")).points[0].key, before);
  write_file("push.yaml", std::string(kProgram) + "# a comment\n");
  EXPECT_NE(plan_of(sweep_of("push.yaml", "[64]")).points[0].key, before);
}

}  // namespace
}  // namespace t3sim::sweep
