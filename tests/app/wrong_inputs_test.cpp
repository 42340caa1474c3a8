// What is wrong gets one line that says where and what to do, status 2, and nothing on disk.
#include "app/wrong_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim {
namespace {

namespace fs = std::filesystem;

class WrongInputs : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write_file("ok.yaml", "include: " T3SIM_SOURCE_DIR
                          "/tests/machine.yaml\nworkload: {m: 512, n: 256, k: 64}\ngpus: {count: 4}\n");
    write_file("shapes.csv", "workload.m,workload.q\n512,1\n");
    write_file("bad.gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03this is no gzip data", 31));
    write_file("cut.t3t", "t3sim");
  }
  static std::set<std::string> files() {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator("."))
      if (!entry.path().filename().string().starts_with(".std")) names.insert(entry.path().string());
    return names;
  }
  static void expect_one_line(const std::string& arguments, const std::string& says) {
    const std::set<std::string> before = files();
    const Outcome outcome = t3sim_with(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
    EXPECT_EQ(files(), before);
  }
  // A file's message says its line, too, unless what is wrong is that something is in no line.
  static void expect_line_of_file(const std::string& says) {
    static const std::regex place(R"((in\.yaml|shapes\.csv)(:\d+:\d+|:\d+|: line \d+): )");
    const std::string message = content_of(".stderr");
    const bool lacks = message.find("missing") != message.npos || message.find("says no") != message.npos;
    EXPECT_TRUE(lacks || std::regex_search(message, place)) << says << "\n" << message;
  }
  static void expect_refused(const std::vector<WrongGroup>& groups) {
    for (const WrongGroup& group : groups)
      for (const auto& [input, says] : group.inputs) {
        SCOPED_TRACE(input);
        if (group.arguments) write_file("in.yaml", std::string(group.before) + input);
        expect_one_line(group.arguments ? group.arguments : input, says);
        if (group.arguments) expect_line_of_file(says);
        fs::remove("in.yaml");
      }
  }
};

TEST_F(WrongInputs, OnTheCommandLineGetOneLine) { expect_refused(wrong_command_lines()); }
TEST_F(WrongInputs, InConfigurationsGetOneLineWithTheirPlace) { expect_refused(wrong_configurations()); }
TEST_F(WrongInputs, InProgramsAndCollectivesGetOneLineWithTheirPlace) { expect_refused(wrong_programs()); }
TEST_F(WrongInputs, InSweepsAndTracesGetOneLineWithTheirPlace) { expect_refused(wrong_sweeps_and_traces()); }

TEST_F(WrongInputs, AreMoreThan120OfWhichEachIsWrongInItsOwnWay) {
  std::set<std::string> messages;
  std::size_t inputs = 0;
  for (const auto& groups :
       {wrong_command_lines(), wrong_configurations(), wrong_programs(), wrong_sweeps_and_traces()})
    for (const WrongGroup& group : groups)
      for (const WrongInput& wrong : group.inputs) {
        ++inputs;
        EXPECT_TRUE(messages.insert(wrong.says).second) << "twice: " << wrong.says;
      }
  EXPECT_GE(inputs, 125u);
}

}  // namespace
}  // namespace t3sim
