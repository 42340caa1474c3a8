// t3sim sweep run, as a user calls it: undisturbed, resumed, beside others.
#include <gtest/gtest.h>

#include <algorithm>

#include "draws.h"
#include "sweep/sweep_fixture.h"

namespace t3sim::sweep {
namespace {

namespace fs = std::filesystem;

class SweepRuns : public Sweeps {
 protected:
  static std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
};

TEST_F(SweepRuns, any_number_of_jobs_gives_the_same_tables) {
  run_calmly();
  EXPECT_EQ(lines_of(content_of("calm/results.csv")), 1 + 8 * 2u);
  const Outcome outcome = t3sim_with("sweep run sweep.yaml -o three -j3");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("sweep: 8 of 8 points done (0 of them before), 0 failed, 0 missing; "), 0u);
  expect_same_tables("three");
}

TEST_F(SweepRuns, without_o_the_sweep_is_named_by_its_file) {
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml --quiet").status, 0);
  EXPECT_TRUE(fs::exists("out/sweep/results.csv"));
  const Outcome status = t3sim_with("sweep status sweep.yaml");
  EXPECT_EQ(status.status, 0);
  EXPECT_EQ(status.out, "sweep: 8 points: 8 done, 0 running, 0 failed, 0 missing\n");
}

TEST_F(SweepRuns, what_is_there_is_not_overwritten_without_resume) {
  run_calmly();
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml -o calm").err,
            "t3sim: -o calm: holds a sweep with 8 of 8 points done; --resume goes on with it\n");
  write_file("other/notes.txt", "mine");
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml -o other").err,
            "t3sim: -o other: holds \"notes.txt\", which t3sim sweep did not write: name a new or empty "
            "directory\n");
}

TEST_F(SweepRuns, the_directory_of_another_sweep_is_left_alone) {
  run_calmly();
  write_file("other.yaml", "base: small.yaml\naxes: {workload.k: [32]}\n");
  for (const char* how : {"", " --resume"})
    EXPECT_EQ(t3sim_with(std::string("sweep run other.yaml -o calm") + how).err,
              "t3sim: -o calm: holds another sweep, sweep; name a new or empty directory for other\n");
  EXPECT_EQ(t3sim_with("sweep status calm").out, "sweep: 8 points: 8 done, 0 running, 0 failed, 0 missing\n");
}

TEST_F(SweepRuns, a_changed_sweep_keeps_the_points_it_still_has) {
  run_calmly();
  write_file("sweep.yaml",
             "base: small.yaml\naxes:\n  workload.k: [64, 32]\n  topology.bandwidth: [150 GB/s, 200 GB/s]\n");
  const Outcome outcome = t3sim_with("sweep run sweep.yaml -o calm --resume");
  EXPECT_NE(outcome.out.find("4 of 4 points done (2 of them before)"), std::string::npos) << outcome.out;
  EXPECT_EQ(lines_of(content_of("calm/results.csv")), 1 + 4 * 2u);
}

TEST_F(SweepRuns, nothing_is_run_or_written_if_one_point_is_impossible) {
  write_file("sweep.yaml", "base: small.yaml\naxes:\n  workload.m: [512, 640]\n");
  const Outcome outcome = t3sim_with("sweep run sweep.yaml -o result");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(lines_of(outcome.err), 1u);
  EXPECT_FALSE(fs::exists("result"));
}

TEST_F(SweepRuns, a_half_written_or_damaged_point_is_run_again_and_no_other) {
  run_calmly();
  fs::copy("calm", "torn", fs::copy_options::recursive);
  const std::vector<std::string> files = point_files("torn");
  ASSERT_EQ(files.size(), 8u);
  fs::resize_file(files[0], fs::file_size(files[0]) / 2);
  fs::resize_file(files[1], 0);
  std::string damaged = content_of(files[2]);
  damaged[damaged.size() / 2] ^= 4;
  write_file(files[2], damaged);
  fs::copy_file(files[4], files[3], fs::copy_options::overwrite_existing);  // another point's
  fs::remove("torn/results.sqlite");
  EXPECT_EQ(t3sim_with("sweep status torn").out, "sweep: 8 points: 4 done, 0 running, 0 failed, 4 missing\n");
  const Outcome outcome = t3sim_with("sweep run sweep.yaml -o torn --resume -j2");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("8 of 8 points done (4 of them before)"), std::string::npos) << outcome.out;
  expect_same_tables("torn");
}

TEST_F(SweepRuns, two_sweeps_at_once_share_the_points) {
  T3_SKIP_IF_SANITIZED();
  run_calmly();
  Background one({"sweep", "run", "sweep.yaml", "-o", "both", "--resume"}, "one.log");
  Background two({"sweep", "run", "sweep.yaml", "-o", "both", "--resume"}, "two.log");
  EXPECT_EQ(one.wait(), 0) << content_of("one.log");
  EXPECT_EQ(two.wait(), 0) << content_of("two.log");
  expect_same_tables("both");
}

TEST_F(SweepRuns, a_second_sweep_that_differs_is_refused) {
  const Store store = Store::make("busy");
  const std::optional<FileLock> driver = FileLock::take(store.file("driver"), true, "elsewhere 4711");
  store.write_plan(plan_of("base: small.yaml\n"));
  write_file("sweep.yaml", kEightPoints);
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml -o busy --resume").err,
            "t3sim: -o busy: another sweep is being run here by elsewhere 4711\n");
}

TEST_F(SweepRuns, workers_side_by_side_run_every_point_once) {
  run_calmly();
  fs::create_directories("shared/points");
  fs::copy_file("calm/plan.jsonl", "shared/plan.jsonl");
  Background one({"sweep", "work", "shared"}, "one.log");
  Background two({"sweep", "work", "shared", "--points", "2-7"}, "two.log");
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(two.wait(), 0);
  std::istringstream told(content_of("one.log") + content_of("two.log"));
  std::size_t starts = 0;
  for (std::string line; std::getline(told, line);) starts += line.starts_with("start ");
  EXPECT_EQ(starts, 8u);
  expect_same_tables("shared");
}

TEST_F(SweepRuns, a_failed_point_is_named_with_the_command_that_repeats_it) {
  ASSERT_EQ(t3sim_with("trace gen --m 512 --n 256 --k 64 --tile 128x128x32 -o good.t3t").status, 0);
  std::string trace = content_of("good.t3t");
  trace[trace.size() - 100] ^= 1;  // its header is sound
  write_file("bad.t3t", trace);
  write_file("sweep.yaml", "base: small.yaml\naxes:\n  workload.trace: [bad.t3t, good.t3t]\n");
  const Outcome outcome = t3sim_with("sweep run sweep.yaml -o result");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("point 0 failed (workload.trace=bad.t3t): "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("\n  to repeat it: t3sim run small.yaml --set workload.trace="),
            std::string::npos);
  EXPECT_NE(outcome.out.find("1 of 2 points done (0 of them before), 1 failed, 0 missing"),
            std::string::npos);
  EXPECT_EQ(lines_of(content_of("result/results.csv")), 1 + 2u);
  const Outcome status = t3sim_with("sweep status result");
  EXPECT_EQ(status.status, 1);
  EXPECT_EQ(status.out.find("failed        0  workload.trace=bad.t3t: "), 0u) << status.out;
  write_file("bad.t3t", content_of("good.t3t"));
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml -o result --resume").status, 0);
  EXPECT_EQ(lines_of(content_of("result/results.csv")), 1 + 4u);
}

TEST_F(SweepRuns, a_planned_directory_of_another_program_is_refused_by_workers_and_planned_anew) {
  run_calmly();
  std::string plan = content_of("calm/plan.jsonl");
  const std::size_t at = plan.find("\"program\":\"") + 11;
  plan.replace(at, 1, "9");
  write_file("calm/plan.jsonl", plan);
  const Outcome work = t3sim_with("sweep work calm");
  EXPECT_EQ(work.status, 2);
  EXPECT_NE(work.err.find("planned by t3sim 9"), std::string::npos) << work.err;
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml -o calm --resume --quiet").status, 0);
  EXPECT_EQ(t3sim_with("sweep work calm").status, 0);
}

TEST_F(SweepRuns, wrong_use_is_refused) {
  EXPECT_EQ(t3sim_with("sweep rnu").err, "t3sim: sweep: unknown \"rnu\"; did you mean run?\n");
  EXPECT_EQ(t3sim_with("sweep run").status, 2);
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml -j0").status, 2);
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml --detach").err, "t3sim: sweep run: --detach needs --slurm\n");
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml --sbatch=-x").err, "t3sim: sweep run: --sbatch needs --slurm\n");
  EXPECT_EQ(t3sim_with("sweep status nowhere -o nowhere").err,
            "t3sim: nowhere: no sweep was planned here (no plan.jsonl)\n");
}

}  // namespace
}  // namespace t3sim::sweep
