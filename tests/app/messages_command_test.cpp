// t3sim run with gpus.model: message, and what is wrong with one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim {
namespace {

class Messages : public InFolder {};

TEST_F(Messages, OfAClusterAreWrittenAndTheSameFromTheirOwnConfigurationOnMoreThreads) {
  const Outcome first =
      t3sim_with("run --machine thetagpu --collective all-reduce --bytes 1MiB --explain -o a");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.out.find("all-reduce by ring, 32 GPUs, 1 MiB"), std::string::npos) << first.out;
  const Outcome again = t3sim_with("run a/config.yaml -j 2 -o b");
  ASSERT_EQ(again.status, 0) << again.err;
  for (const char* file : {"results.json", "links.csv", "stats.csv", "config.yaml"})
    EXPECT_EQ(content_of(std::string("a/") + file), content_of(std::string("b/") + file)) << file;
}

TEST_F(Messages, OfEveryClusterRun) {
  for (const char* cluster : {"torus-128", "lassen", "thetagpu"})
    for (const char* kind : {"all-reduce", "all-to-all", "all-gather"}) {
      const Outcome run =
          t3sim_with(std::string("run --json --bytes 1MiB --machine ") + cluster + " --collective " + kind);
      EXPECT_EQ(run.status, 0) << cluster << ' ' << kind << ": " << run.err;
      EXPECT_NE(run.out.find("\"errors\": 0"), std::string::npos) << run.out;
    }
}

// Calls one after the other take no less than the host takes to issue one; a call alone does.
TEST_F(Messages, InARowTakeAsLongAsTheHostAtLeast) {
  write_file(
      "in.yaml",
      "gpus: {count: 4, model: message}\n"
      "topology: {kind: switch, bandwidth: 25 GB/s, latency: 1 us}\n"
      "message: {call: 50 us, endpoint: {rate: 20 GB/s}, collectives: [{kind: all-gather, bytes: 4 KiB}, "
      "{kind: all-gather, bytes: 4 KiB, repeat: 2}]}\n");
  const Outcome run = t3sim_with("run in.yaml --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto second = run.out.find("\"time_us\": 50");
  ASSERT_NE(second, std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("\"time_us\": 50", second + 1), std::string::npos) << run.out;
}

TEST_F(Messages, AreNotComparedByAnEndpointOfAnEarlierState) {
  write_file("endpoint.yaml", "message: {endpoint: {machine: abc, sizes: [512]}}\n");
  const Outcome run = t3sim_with("tune endpoint endpoint.yaml --machine h200-x4 --check");
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("earlier state of this one"), std::string::npos) << run.err;
}

constexpr const char* kLinks = "topology: {kind: KIND, bandwidth: 25 GB/s, latency: 1 us, buffer: 64 KiB}\n";

struct Wrong {
  const char* kind;
  const char* rest;
  const char* says;
};
void PrintTo(const Wrong& w, std::ostream* os) { *os << w.says; }

class WrongMessages : public InFolder, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongMessages, GetOneLineAndStatusTwo) {
  std::string links = kLinks;
  links.replace(links.find("KIND"), 4, GetParam().kind);
  write_file("in.yaml", "gpus: {count: 4, model: message}\n" + links + GetParam().rest);
  const Outcome run = t3sim_with("run in.yaml -o r");
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
  EXPECT_TRUE(run.err.find("in.yaml:") != std::string::npos) << run.err;
  EXPECT_NE(run.err.find(GetParam().says), std::string::npos) << run.err;
  EXPECT_FALSE(std::filesystem::exists("r"));
}

constexpr Wrong kWrong[] = {
    {"switch",
     "message: {endpoint: {rate: 20 GB/s}, collectives: [{kind: all-gather, counts: [1, 2, 3, 4], expects: "
     "[1, 2, 5, 4]}]}\n",
     "GPU 2 brings 3 bytes, where 5 are expected"},
    {"switch", "message: {endpoint: {rate: 20 GB/s}, collectives: [{kind: all-gather, counts: [1, 2, 3]}]}\n",
     "3 counts; 4 GPUs need 4"},
    {"ring", "message: {endpoint: {rate: 20 GB/s}, collectives: [{kind: all-to-all, bytes: 1 MiB}]}\n",
     "there is no link from GPU 0 to GPU 2"},
    {"switch",
     "message: {endpoint: {machine: abc, rate: 20 GB/s}, collectives: [{kind: all-reduce, bytes: 1 MiB}]}\n",
     "is of another machine, or of an earlier state of this one"},
    {"switch", "message: {collectives: [{kind: all-reduce, bytes: 1 MiB}]}\n", "says neither sizes"},
    {"switch", "message: {endpoint: {rate: 20 GB/s}}\n", "is empty: this machine runs messages"},
    {"switch",
     "message: {endpoint: {rate: 20 GB/s}, collectives: [{kind: all-gather, counts: [1, 2, 3, 4], bytes: 11 "
     "B}]}\n",
     "by counts the full array has 10 bytes, bytes says 11: say one of them"},
    {"switch",
     "message: {endpoint: {rate: 20 GB/s}, collectives: [{kind: all-to-all, algorithm: tree, bytes: 1 "
     "MiB}]}\n",
     "there is none; allowed: direct, pairwise, bruck"},
    {"switch", "message: {endpoint: {rate: 20 GB/s}, collectives: [{kind: all-reduc, bytes: 1 MiB}]}\n",
     "all-reduce"},
    {"switch",
     "message: {endpoint: {rate: 20 GB/s}, collectives: [{kind: all-gather, bytes: 1 MB, root: 9}]}\n",
     "root 9"},
    {"switch", "message: {endpoint: {rate: 20 GB/s}, collectives: [{kind: all-gather, bytes: 1001 B}]}\n",
     "are not the same for each of 4 GPUs"},
    {"switch",
     "message: {endpoint: {rate: 20 GB/s, sizes: [512]}, collectives: [{kind: all-reduce, bytes: 1 MiB}]}\n",
     "0 times for 1 sizes"},
};
INSTANTIATE_TEST_SUITE_P(All, WrongMessages, testing::ValuesIn(kWrong));

}  // namespace
}  // namespace t3sim
