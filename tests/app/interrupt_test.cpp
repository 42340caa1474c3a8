// Ctrl-C during a run, and an output directory that is not ours.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "app/program.h"
#include "draws.h"
#include "in_folder.h"

namespace t3sim {
namespace {

namespace fs = std::filesystem;

class Interrupted : public InFolder {
 protected:
  // A run that has begun has a folder beside its result.
  static bool has_begun() {
    if (!fs::exists("made/for")) return false;
    return std::ranges::any_of(fs::directory_iterator("made/for"), [](const fs::directory_entry& entry) {
      return entry.path().filename().string().starts_with(".result");
    });
  }
  // Runs long enough to be interrupted, into "result", and interrupts it. Returns its exit status.
  static int run_and_interrupt(int signal) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const int status =
          std::freopen(".stdout", "w", stdout) && std::freopen(".stderr", "w", stderr)
              ? ::execl(T3SIM_BINARY, "t3sim", "run", "--model", "gpt-3", "--layer", "mlp-down", "--tp", "8",
                        "--machine", "paper", "-q", "-o", "made/for/result", static_cast<char*>(nullptr))
              : 127;
      ::_exit(status);
    }
    for (int waited = 0; waited < 500 && !has_begun(); ++waited)  // results that were there have not
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(pid, signal);
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(Interrupted, a_run_leaves_nothing_and_says_so) {
  EXPECT_EQ(run_and_interrupt(SIGINT), 1);
  EXPECT_EQ(content_of(".stderr"), "t3sim: interrupted: nothing was written to made/for/result\n");
  EXPECT_FALSE(fs::exists("made")) << "neither partial results nor folders made for them";
}

TEST_F(Interrupted, a_result_that_was_there_is_kept) {
  ASSERT_EQ(
      t3sim_with(
          "run --model llama3-8b --layer attn-out --tp 8 --tokens 512 --machine paper --scheme t3 -q -o "
          "made/for/result")
          .status,
      0);
  const std::string before = content_of("made/for/result/results.json");
  EXPECT_EQ(run_and_interrupt(SIGTERM), 1);
  EXPECT_EQ(
      content_of(".stderr"),
      "t3sim: interrupted: nothing was written to made/for/result; the result that was there is kept\n");
  EXPECT_EQ(content_of("made/for/result/results.json"), before);
  EXPECT_EQ(std::distance(fs::directory_iterator("made/for"), fs::directory_iterator()), 1);
}

TEST_F(Interrupted, replacing_a_result_is_said) {
  T3_SKIP_IF_SANITIZED();
  const std::string run =
      "run --model llama3-8b --layer attn-out --tp 8 --tokens 512 --machine paper --scheme t3 -q -o r";
  EXPECT_EQ(t3sim_with(run).out.find("is replaced"), std::string::npos);
  EXPECT_NE(t3sim_with(run).out.find("; the result that was there is replaced\n"), std::string::npos);
}

TEST_F(Interrupted, a_directory_that_holds_something_else_is_left_alone) {
  write_file("mine/thesis.tex", "text");
  const Outcome outcome = t3sim_with("run --model llama3-8b --layer attn-out --tp 8 --machine paper -o mine");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(content_of("mine/thesis.tex"), "text");
}

}  // namespace
}  // namespace t3sim
