// What may happen to a sweep overnight: killed, out of disk, nowhere to write.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstdio>
#include <fstream>
#include <random>

#include "draws.h"
#include "sweep/sweep_fixture.h"

namespace t3sim::sweep {
namespace {

namespace fs = std::filesystem;

class DisturbedSweeps : public Sweeps {
 protected:
  void TearDown() override {
    for (const std::string& mounted : mounts_) ::umount2(mounted.c_str(), MNT_DETACH);
    Sweeps::TearDown();
  }
  // A small disk of its own; false where this process may not have one.
  bool mount_disk(const std::string& folder, const char* options) {
    fs::create_directories(folder);
    if (::mount("t3sim-test", folder.c_str(), "tmpfs", 0, options) != 0) return false;
    mounts_.push_back(fs::absolute(folder).string());
    return true;
  }

  std::vector<std::string> mounts_;
};

TEST_F(DisturbedSweeps, killed_again_and_again_it_ends_with_the_same_bytes) {
  T3_SKIP_IF_SANITIZED();
  run_calmly();
  std::mt19937 random(7);
  unsigned killed = 0;
  int status = -1;
  for (int attempt = 0; attempt < 200 && status != 0; ++attempt) {
    Background sweep({"sweep", "run", "sweep.yaml", "-o", "killed", "-j2", "--resume"}, "log");
    if (attempt < 20) {
      sleep_ms(5 + static_cast<unsigned>(random() % 60));
      killed += sweep.kill_all();
    } else {
      status = sweep.wait();
    }
  }
  EXPECT_EQ(status, 0) << content_of("log");
  EXPECT_GT(killed, 0u);
  expect_same_tables("killed");
  EXPECT_EQ(point_files("killed").size(), 8u);
}

TEST_F(DisturbedSweeps, a_killed_worker_is_replaced) {
  run_calmly();
  Background sweep({"sweep", "run", "sweep.yaml", "-o", "out"}, "log");
  pid_t worker = 0;
  for (int i = 0; i < 15000 && worker == 0; ++i) {  // half a minute: a loaded machine is slow to start
    std::ifstream("/proc/" + std::to_string(sweep.pid()) + "/task/" + std::to_string(sweep.pid()) +
                  "/children") >>
        worker;
    sleep_ms(2);
  }
  ASSERT_GT(worker, 0) << content_of("log");
  ::kill(worker, SIGKILL);
  EXPECT_EQ(sweep.wait(), 0) << content_of("log");
  expect_same_tables("out");
}

TEST_F(DisturbedSweeps, a_full_disk_stops_it_and_loses_nothing) {
  T3_SKIP_IF_SANITIZED();
  run_calmly();
  // Room for the plan and a few points.
  if (!mount_disk("disk", "size=64k,mode=0777")) GTEST_SKIP() << "mounting a small disk needs root";
  const Outcome full = t3sim_with("sweep run sweep.yaml -o disk/out --quiet");
  EXPECT_EQ(full.status, 1);
  EXPECT_NE(full.err.find("cannot be written: "), std::string::npos) << full.err;
  ASSERT_EQ(::mount("t3sim-test", "disk", "tmpfs", MS_REMOUNT, "size=1m"), 0);
  const Outcome resumed = t3sim_with("sweep run sweep.yaml -o disk/out --quiet --resume");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  expect_same_tables("disk/out");
}

// The same without a disk of one's own: no file may grow beyond 12 KiB, which the tables do, and points do
// not.
TEST_F(DisturbedSweeps, files_that_cannot_grow_stop_it_and_lose_nothing) {
  run_calmly();
  const std::string command =
      std::string("trap '' XFSZ; ulimit -f 12; exec ") + T3SIM_BINARY + " sweep work out > log 2>&1";
  fs::create_directories("out/points");
  fs::copy_file("calm/plan.jsonl", "out/plan.jsonl");
  ASSERT_NE(std::system(("sh -c \"" + command + "\"").c_str()), 0);
  EXPECT_NE(content_of("log").find("cannot be written: "), std::string::npos) << content_of("log");
  EXPECT_FALSE(fs::exists("out/results.sqlite"));
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml -o out --quiet --resume").status, 0);
  expect_same_tables("out");
}

TEST_F(DisturbedSweeps, where_nothing_can_be_written_nothing_is_run) {
  write_file("file", "text");
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml -o file").err, "t3sim: -o file: is a file, not a directory\n");
  EXPECT_EQ(t3sim_with("sweep run sweep.yaml -o file/below").status, 2);
  const Outcome proc = t3sim_with("sweep run sweep.yaml -o /proc/t3sim");
  EXPECT_EQ(proc.status, 2);
  EXPECT_NE(proc.err.find("-o /proc/t3sim: "), std::string::npos) << proc.err;
  if (!mount_disk("locked", "ro")) return;
  const Outcome locked = t3sim_with("sweep run sweep.yaml -o locked/out");
  EXPECT_EQ(locked.status, 2);
  EXPECT_NE(locked.err.find("Read-only file system"), std::string::npos) << locked.err;
}

}  // namespace
}  // namespace t3sim::sweep
