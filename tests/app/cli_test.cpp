#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>

#include "app/cli.h"
#include "app/program.h"
#include "base/error.h"
#include "in_folder.h"

namespace t3sim {
namespace {

namespace fs = std::filesystem;

// A problem that runs in no time.
constexpr const char* kTiny =
    "workload: {name: tiny, m: 1024, n: 256, k: 64}\n"
    "gpus: {count: 4}\n"
    "schemes: [sequential, t3]\n"
    "include: " T3SIM_SOURCE_DIR "/tests/machine.yaml\n";

class CommandLine : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write_file("tiny.yaml", kTiny);
  }
  // Status 2, one line on standard error, nothing on standard output and no new file.
  static std::string refusal(const std::string& arguments) {
    const Outcome outcome = t3sim_with(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_FALSE(fs::exists("result"));
    return outcome.err;
  }
};

TEST_F(CommandLine, help_lists_the_commands) {
  const Outcome outcome = t3sim_with("--help");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("\n  run "), std::string::npos);
  EXPECT_NE(outcome.out.find("Exit status: 0 done;"), std::string::npos);
}

TEST_F(CommandLine, every_listed_command_has_a_help_of_its_own) {
  const std::string help = t3sim_with("--help").out;
  std::size_t line = help.find("Commands:\n") + 10;
  for (; help.compare(line, 2, "  ") == 0; line = help.find('\n', line) + 1) {
    const std::string name = help.substr(line + 2, help.find(' ', line + 2) - line - 2);
    const Outcome outcome = t3sim_with(name + " --help");
    EXPECT_EQ(outcome.status, 0) << name;
    EXPECT_NE(outcome.out.find("Usage: t3sim " + name), std::string::npos) << name;
  }
}

TEST_F(CommandLine, the_version_names_build_and_commit) {
  const Outcome outcome = t3sim_with("--version");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out.find("t3sim "), 0u);
  EXPECT_NE(outcome.out.find("commit "), std::string::npos);
}

TEST_F(CommandLine, every_key_of_the_configuration_is_listed) {
  const Outcome outcome = t3sim_with("run --help-config");
  EXPECT_EQ(outcome.status, 0);
  for (const char* key : {"workload.m", "gpus.count", "topology.bandwidth", "gpu.cus", "schemes"})
    EXPECT_NE(outcome.out.find(key), std::string::npos) << key;
}

TEST_F(CommandLine, without_a_command_it_explains_itself_and_fails) {
  const Outcome outcome = t3sim_with("");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("Usage: t3sim COMMAND"), std::string::npos);
}

TEST_F(CommandLine, a_mistyped_command_or_option_is_corrected) {
  EXPECT_EQ(refusal("rnu"), "t3sim: unknown command \"rnu\"; did you mean run?\n");
  EXPECT_EQ(refusal("run tiny.yaml --explian"),
            "t3sim: run: unknown option \"--explian\"; did you mean --explain? (see t3sim run --help)\n");
  EXPECT_EQ(refusal("run tiny.yaml --sch t3"),
            "t3sim: run: unknown option \"--sch\" (see t3sim run --help)\n");
  EXPECT_EQ(refusal("--verbose"),
            "t3sim: unknown option \"--verbose\" before a command (see t3sim --help)\n");
}

TEST_F(CommandLine, wrong_arguments_are_refused_in_one_line) {
  EXPECT_EQ(refusal("run"),
            "t3sim: run: no configuration named, nor a model and a machine (see t3sim run --help)\n");
  EXPECT_EQ(refusal("run tiny.yaml other.yaml"), "t3sim: run: too many arguments (see t3sim run --help)\n");
  EXPECT_EQ(refusal("run nowhere.yaml -o result"), "t3sim: nowhere.yaml: no such file\n");
  EXPECT_EQ(refusal("run tiny.yaml --set gpu.cus -o result"),
            "t3sim: --set gpu.cus: expected path.to.key=value, e.g. --set gpu.cus=64\n");
  EXPECT_EQ(refusal("run tiny.yaml --set gpu.cus=0 -o result"),
            "t3sim: --set gpu.cus: 0 is too small; allowed: 1 to 1024\n");
  EXPECT_EQ(
      refusal("run tiny.yaml --set topology.latency=500 -o result"),
      "t3sim: --set topology.latency: 500 has no unit; allowed units: ps, ns, us, ms, s (e.g. 500 ns)\n");
  EXPECT_EQ(refusal("run tiny.yaml --scheme t3,t4 -o result")
                .find("t3sim: --scheme: schemes.1: \"t4\" is not allowed"),
            0u);
}

TEST_F(CommandLine, mistakes_in_a_file_are_named_by_line_and_column) {
  write_file("bad.yaml", std::string(kTiny) + "gpu:\n  cuss: 64\n");
  EXPECT_EQ(refusal("run bad.yaml -o result"),
            "t3sim: bad.yaml:6:3: unknown key \"gpu.cuss\"; did you mean gpu.cus?\n");
  write_file("bad.yaml", std::string(kTiny) + "gpus: {count: 8}\n");
  EXPECT_EQ(refusal("run bad.yaml -o result"),
            "t3sim: bad.yaml:5:1: duplicate key \"gpus\"; first said at line 2\n");
  write_file("bad.yaml", "");
  EXPECT_EQ(refusal("run bad.yaml -o result"),
            "t3sim: bad.yaml: the file is empty; expected keys and values\n");
}

TEST_F(CommandLine, a_directory_that_cannot_be_written_is_refused_before_the_run) {
  write_file("file", "text");
  EXPECT_EQ(refusal("run tiny.yaml -o file"), "t3sim: -o file: is a file, not a directory\n");
  EXPECT_EQ(refusal("run tiny.yaml -o file/result"),
            "t3sim: -o file/result: cannot be written: Not a directory\n");
  write_file("mine/notes.txt", "text");
  EXPECT_EQ(
      refusal("run tiny.yaml -o mine"),
      "t3sim: -o mine: holds \"notes.txt\", which t3sim did not write: name a new or empty directory\n");
  EXPECT_EQ(content_of("file") + content_of("mine/notes.txt"), "texttext");
}

TEST_F(CommandLine, a_run_writes_the_files_of_the_contract) {
  const Outcome outcome = t3sim_with("run tiny.yaml -o result --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("Files in result:"), std::string::npos);
  for (const char* name :
       {"results.json", "stats.csv", "series.csv", "timeline.csv", "config.yaml", "manifest.json"})
    EXPECT_TRUE(fs::exists(fs::path("result") / name)) << name;
  EXPECT_EQ(content_of("result/stats.csv").find("gpu,component,name,value,unit"), 0u);
}

TEST_F(CommandLine, the_resolved_configuration_gives_the_same_results_byte_for_byte) {
  ASSERT_EQ(t3sim_with("run tiny.yaml --set gpu.cus=8 --scheme t3 -o first --quiet").status, 0);
  ASSERT_EQ(t3sim_with("run first/config.yaml -o second --quiet").status, 0);
  for (const char* name : {"results.json", "stats.csv", "series.csv", "timeline.csv", "config.yaml"})
    EXPECT_EQ(content_of(std::string("first/") + name), content_of(std::string("second/") + name)) << name;
}

TEST_F(CommandLine, standard_output_that_cannot_be_written_is_a_failure) {
  const int status = std::system((std::string(T3SIM_BINARY) + " --help >/dev/full 2>.stderr").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(content_of(".stderr"), "t3sim: standard output cannot be written\n");
}

// The exit status and the message of an action that throws.
template <class Error>
std::pair<int, std::string> outcome_of(const Error& error) {
  ::testing::internal::CaptureStderr();
  const int status = exit_status_of([&]() -> int { throw error; });
  return {status, ::testing::internal::GetCapturedStderr()};
}

TEST(ExitStatus, tells_how_a_run_failed) {
  using Pair = std::pair<int, std::string>;
  EXPECT_EQ(outcome_of(InputError("a.yaml:1:2: wrong")), Pair(2, "t3sim: a.yaml:1:2: wrong\n"));
  EXPECT_EQ(outcome_of(CheckError("4 bytes lost")),
            Pair(1, "t3sim: a check of the simulator failed: 4 bytes lost\n"));
  EXPECT_EQ(outcome_of(NoProgressError("GPU 0 waits for GPU 1")), Pair(3, "t3sim: GPU 0 waits for GPU 1\n"));
  EXPECT_EQ(outcome_of(std::runtime_error("disk full")), Pair(1, "t3sim: disk full\n"));
  EXPECT_EQ(outcome_of(std::bad_alloc()), Pair(1, "t3sim: out of memory\n"));
}

TEST(ExitStatus, a_message_about_input_is_one_line_whatever_the_input_held) {
  EXPECT_EQ(outcome_of(InputError("unknown key \"a\nb\033[2J\"")).second, "t3sim: unknown key \"a b [2J\"\n");
}

TEST_F(CommandLine, a_buffer_that_caps_the_links_is_warned_of_once_with_the_rate_it_allows) {
  const Outcome outcome = t3sim_with("run tiny.yaml --set topology.buffer=16KiB -o result --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(
      outcome.err,
      "topology.buffer: 16384 bytes let link.out carry 16.4 GB/s of its 75.0 GB/s of payload, as credits are "
      "away for 1001.7 ns; auto gives it 262144 bytes\n");
  EXPECT_NE(content_of("result/results.json").find("let link.out carry 16.4 GB/s"), std::string::npos);
}

TEST_F(CommandLine, an_all_gather_is_nowhere_a_reduction) {
  const Outcome outcome = t3sim_with(
      "run tiny.yaml --set collective.kind=all-gather --set collective.gemm=consumer --scheme sequential,t3 "
      "--explain "
      "-o result --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const std::string& text :
       {outcome.out, content_of("result/results.json"), content_of("result/timeline.csv")})
    for (const char* word : {"RS", "rs_read", "rs_us", "(nmc)", "near_memory", "near memory", "reduc"})
      EXPECT_EQ(text.find(word), std::string::npos) << word << " in\n" << text.substr(0, 2000);
}

}  // namespace
}  // namespace t3sim
