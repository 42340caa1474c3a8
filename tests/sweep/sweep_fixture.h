// Small sweeps in an empty folder, and ways to disturb them.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/program.h"
#include "base/error.h"
#include "in_folder.h"
#include "sweep/plan.h"
#include "sweep/store.h"

namespace t3sim::sweep {

// A machine on which a point takes milliseconds.
inline constexpr const char* kSmallMachine =
    "workload: {name: small, m: 512, n: 256, k: 64}\n"
    "gpus: {count: 4, model: mirror}\n"
    "gpu: {cus: 8}\n"
    "memory: {channels: 8}\n"
    "l2: {slices: 16, size: 1 MiB}\n"
    "schemes: [sequential, t3-mca]\n"
    "include: " T3SIM_SOURCE_DIR "/tests/machine.yaml\n";

// Eight points.
inline constexpr const char* kEightPoints =
    "base: small.yaml\n"
    "axes:\n"
    "  workload.k: [32, 64, 96, 128]\n"
    "  topology.bandwidth: [75 GB/s, 150 GB/s]\n";

class Sweeps : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write_file("small.yaml", kSmallMachine);
    write_file("sweep.yaml", kEightPoints);
  }

  static Plan plan_of(const std::string& text) {
    write_file("sweep.yaml", text);
    return make_plan(load_sweep("sweep.yaml"));
  }
  // What planning says of a sweep file that is wrong.
  static std::string refusal(const std::string& text) {
    try {
      plan_of(text);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }
  // The labels of the points.
  static std::vector<std::string> labels(const std::string& text) {
    std::vector<std::string> all;
    for (const Point& point : plan_of(text).points) all.push_back(point.label);
    return all;
  }
  // Runs sweep.yaml undisturbed into "calm".
  static void run_calmly() {
    const Outcome outcome = t3sim_with("sweep run sweep.yaml -o calm --quiet");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static void expect_same_tables(const std::string& directory) {
    EXPECT_EQ(content_of(directory + "/results.csv"), content_of("calm/results.csv"));
    EXPECT_TRUE(content_of(directory + "/results.sqlite") == content_of("calm/results.sqlite"));
  }
  // The result files of a directory.
  static std::vector<std::string> point_files(const std::string& directory) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory + "/points"))
      if (entry.path().extension().empty()) names.push_back(entry.path().string());
    return names;
  }
};

// t3sim with these arguments, in the background, leading a process group of its own. Its output goes to the
// file `log`.
class Background {
 public:
  Background(const std::vector<std::string>& arguments, const std::string& log) {
    std::vector<const char*> argv{T3SIM_BINARY};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setpgid(0, 0);
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execv(T3SIM_BINARY, const_cast<char* const*>(argv.data()));
    ::_exit(127);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background() {
    if (pid_ > 0) kill_all();
  }

  pid_t pid() const { return pid_; }

  // It, and all that it started. Returns whether it was still there.
  bool kill_all() {
    ::setpgid(pid_, pid_);  // as the child does; whoever comes first
    ::kill(-pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFSIGNALED(status);
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
};

inline void sleep_ms(unsigned ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

}  // namespace t3sim::sweep
