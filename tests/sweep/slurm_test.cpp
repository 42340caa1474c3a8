// What a sweep makes of Slurm's answers. Slurm is played by scripts here; tests/slurm has a real one.
#include <gtest/gtest.h>

#include "sweep/slurm_queue.h"
#include "sweep/sweep_fixture.h"

namespace t3sim::sweep {
namespace {

namespace fs = std::filesystem;

TEST(SlurmTasks, tasks_of_a_job_array_last_about_as_long_as_asked) {
  Plan plan;
  for (std::size_t i = 0; i < 10; ++i) {
    plan.points.emplace_back();
    plan.points.back().work = i == 4 ? 100 : 10;
  }
  const std::vector<std::size_t> missing{0, 1, 2, 3, 4, 5, 6, 8, 9};
  // 30 s a task, a point of work 10 takes 10 s.
  EXPECT_EQ(cut_into_tasks(plan, missing, 30, 1.0),
            (std::vector<TaskPoints>{{0, 1, 2}, {3}, {4}, {5, 6, 8}, {9}}));
  EXPECT_EQ(cut_into_tasks(plan, missing, 1e6, 1.0).size(), 1u);
  EXPECT_EQ(cut_into_tasks(plan, missing, 0.001, 1.0).size(), 9u);
  Plan large;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < 100'000; ++i) {
    large.points.emplace_back();
    large.points.back().work = 1;
    all.push_back(i);
  }
  EXPECT_LE(cut_into_tasks(large, all, 1, 1.0).size(), kMostTasks);
}

class SlurmQueues : public Sweeps {
 protected:
  void SetUp() override {
    Sweeps::SetUp();
    path_ = ::getenv("PATH");
    ::setenv("PATH", (fs::absolute("bin").string() + ":" + path_).c_str(), 1);
    program("squeue", "cat queue");
    program("scontrol", "echo \"$*\" >>asked");
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    Sweeps::TearDown();
  }
  static void program(const std::string& name, const std::string& text) {
    write_file("bin/" + name, "#!/bin/sh\n" + text + "\n");
    fs::permissions("bin/" + name, fs::perms::owner_all);
  }
  SlurmQueue queue_ = SlurmQueue("7", [this](const std::string& text) { said_ += text + "\n"; });
  std::string said_;
  std::string path_;
};

TEST_F(SlurmQueues, tasks_run_wait_or_are_held_by_slurm) {
  write_file("queue",
             "7_0 RUNNING None\n"
             "7_1 COMPLETING None\n"
             "7_2 PENDING Resources\n"
             "7_3 PENDING launch failed requeued held\n"
             "7_4 PENDING launch_failed_requeued_held\n"
             "7_5 PENDING JobHeldUser\n");
  const QueueState state = queue_state("7");
  EXPECT_TRUE(state.known);
  EXPECT_EQ(state.running, 2u);
  EXPECT_EQ(state.waiting, 2u);
  EXPECT_EQ(state.why, "JobHeldUser");
  EXPECT_EQ(state.held, (std::vector<std::string>{"7_3", "7_4"}));
}

TEST_F(SlurmQueues, what_slurm_holds_after_a_failed_start_is_released_and_what_a_person_holds_is_not) {
  write_file("queue",
             "7_3 PENDING launch failed requeued held\n"
             "7_4 PENDING launch failed requeued held\n"
             "7_5 PENDING JobHeldUser\n");
  EXPECT_TRUE(queue_.ask());
  EXPECT_EQ(content_of("asked"), "release 7_3,7_4\n");
  EXPECT_EQ(said_, "1 tasks wait: JobHeldUser\nheld by Slurm after a failed start, released: 7_3 7_4\n");
}

TEST_F(SlurmQueues, a_task_that_is_held_again_waits_longer_each_time_and_is_given_up) {
  using namespace std::chrono_literals;
  write_file("queue", "7_3 PENDING launch failed requeued held\n");
  const SlurmQueue::Clock::time_point start{};
  std::vector<long> released, given_up;
  for (auto t = 0min; t <= 40min; ++t) {
    said_.clear();
    const bool hope = queue_.ask(start + t);
    EXPECT_EQ(hope, given_up.empty() && said_.find("still holds") == said_.npos);
    if (said_ == "held by Slurm after a failed start, released: 7_3\n") released.push_back(t.count());
    if (said_ == "task 7_3: Slurm still holds it after 5 releases; scontrol show job 7_3 says more\n")
      given_up.push_back(t.count());
  }
  EXPECT_EQ(released, (std::vector<long>{0, 1, 3, 7, 15}));
  EXPECT_EQ(given_up, (std::vector<long>{31}));
  write_file("queue", "7_2 RUNNING None\n7_3 PENDING launch failed requeued held\n");
  EXPECT_TRUE(queue_.ask(start + 41min));
}

TEST_F(SlurmQueues, an_empty_queue_has_nothing_left_and_a_silent_controller_may) {
  write_file("queue", "");
  EXPECT_FALSE(queue_.ask());
  program("squeue", "echo 'slurm_load_jobs error: Invalid job id specified'; exit 1");
  EXPECT_FALSE(queue_.ask());
  program("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller'; exit 1");
  EXPECT_TRUE(queue_.ask());
  EXPECT_TRUE(queue_.ask());
  program("squeue", "echo '7_2 RUNNING None'");
  EXPECT_TRUE(queue_.ask());
  EXPECT_EQ(said_, "Slurm does not answer; waiting\nSlurm answers again\n");
}

TEST_F(SlurmQueues, a_release_that_is_refused_is_said) {
  write_file("queue", "7_3 PENDING launch failed requeued held\n");
  program("scontrol", "echo 'Access/permission denied for job 7_3'; exit 1");
  EXPECT_TRUE(queue_.ask());
  EXPECT_EQ(said_,
            "held by Slurm after a failed start, not released: Access/permission denied for job 7_3\n");
}

}  // namespace
}  // namespace t3sim::sweep
