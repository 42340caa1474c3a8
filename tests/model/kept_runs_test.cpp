// Finished runs that are committed: known by their sources and configuration.
#include "model/kept_runs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/sha256.h"
#include "config/config.h"
#include "in_folder.h"
#include "model/points.h"
#include "presets/machine.h"
#include "run/check_config.h"

namespace t3sim::model {
namespace {

Config run_of(const std::string& program, int k, const std::string& parameter) {
  config::Document document = config::load_file(presets::machine_path("h200-x4"));
  for (const std::string& assignment :
       {"program.file=" + program, std::string("program.parameters.m=96"),
        std::string("program.parameters.n=128"), "program.parameters.k=" + std::to_string(k),
        "program.parameters." + parameter})
    config::apply_override(document.root, assignment);
  Config config;
  const config::Sources sources = config::read(document.root, config);
  settle_config(config, sources);
  return config;
}

Config small_gemm(int k, int pieces = 1) {
  return run_of("decomposed-gemm", k, "pieces=" + std::to_string(pieces));
}

class KeptRunsTest : public InFolder {};

TEST_F(KeptRunsTest, AreNotRepeatedAndOthersAre) {
  Points first;
  const PointId run = first.add(small_gemm(64));
  first.run({.jobs = 1, .cache = "", .quiet = true});
  write_file("runs.jsonl", first.kept_lines());

  const KeptRuns kept("runs.jsonl");
  EXPECT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept.of_these_sources(), 1U);
  Points again;
  const PointId same = again.add(small_gemm(64)), other = again.add(small_gemm(128));
  again.run({.jobs = 1, .cache = "", .quiet = true, .committed = &kept});
  EXPECT_EQ(again.reused(), 1U);
  EXPECT_EQ(again[same].schemes.begin()->second.time_us, first[run].schemes.begin()->second.time_us);
  EXPECT_GT(again[other].schemes.begin()->second.time_us, 0);
}

TEST_F(KeptRunsTest, OfTheseSourcesAreKeptOnBesideNewOnes) {
  const std::string a = KeptRuns::line("1", "a", "{}"), b = KeptRuns::line("2", "b", "{}");
  const std::string other = "{\"run\":\"3\",\"sources\":\"others\",\"of\":\"c\",\"result\":{}}\n";
  write_file("runs.jsonl", other + b);
  const KeptRuns kept("runs.jsonl");
  EXPECT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept.with(a), a + b);
}

struct OfOthers {
  Config config;
  bool wrong = false;  // has other times than these sources'
};

// Lines of these runs as other sources would have left them.
std::string of_other_sources(const std::vector<OfOthers>& runs) {
  std::string text;
  for (const OfOthers& run : runs) {
    Points one;
    one.add(run.config);
    one.run({.jobs = 1, .cache = "", .quiet = true});
    auto json = nlohmann::ordered_json::parse(one.kept_lines());
    json["sources"] = "others";
    json["ran_with"] = "before them";  // from whom these had taken it over
    json["run"] = sha256_hex("others" + config::write(run.config));
    if (run.wrong)
      for (auto& [name, scheme] : json["result"]["schemes"].items()) scheme["time_us"] = 1.0;
    text += json.dump() + "\n";
  }
  return text;
}

// Runs them beside those lines, of which some may be taken over.
void run_beside(Points& points, const std::vector<OfOthers>& runs) {
  for (const OfOthers& run : runs) points.add(run.config);
  std::ofstream("runs.jsonl") << of_other_sources(runs);
  const KeptRuns kept("runs.jsonl");
  EXPECT_EQ(kept.of_these_sources(), 0U);
  points.run({.jobs = 1, .cache = "", .quiet = true, .committed = &kept, .adopt = true});
  for (PointId id = 0; id < points.size(); ++id)
    EXPECT_GT(points[id].schemes.begin()->second.time_us, 1.0) << "none of the wrong ones is taken";
}

TEST_F(KeptRunsTest, OfOtherSourcesAreTakenOverIfASampleIsTheSame) {
  for (const bool wrong : {false, true}) {
    std::vector<OfOthers> runs;
    for (const int pieces : {1, 2, 3, 4, 6, 8}) runs.push_back({small_gemm(64, pieces), wrong});
    Points points;
    run_beside(points, runs);
    EXPECT_EQ(points.reused(), wrong ? 0U : 2U) << "four are run";
    write_file("now.jsonl", points.kept_lines());
    const KeptRuns now("now.jsonl");
    EXPECT_EQ(now.of_these_sources(), 6U);
    EXPECT_EQ(now.taken_over(), wrong ? 0U : 2U);
    EXPECT_EQ(points.kept_lines().find("\"ran_with\":\"before them\"") == std::string::npos, wrong);
  }
}

TEST_F(KeptRunsTest, OfOtherSourcesAreNotTakenOverIfTheOnlyRunOfAGemmDiffers) {
  for (const int k : {128, 192}) {  // any of them might be in a sample by chance
    std::vector<OfOthers> runs;
    for (const int pieces : {1, 2, 3, 4, 6, 8}) runs.push_back({small_gemm(64, pieces)});
    runs.push_back({small_gemm(k), true});
    Points points;
    run_beside(points, runs);
    EXPECT_EQ(points.reused(), 0U);
  }
}

TEST_F(KeptRunsTest, OfOtherSourcesAreNotTakenOverIfTheOnlyRunOfAMethodDiffers) {
  std::vector<OfOthers> runs;
  for (const int pieces : {1, 2, 3, 4, 6, 8}) runs.push_back({small_gemm(64, pieces)});
  // Any of them might be in a sample by chance.
  for (const char* how : {"library=0", "library=1", "barrier=0", "gather=0"}) {
    std::vector<OfOthers> with_another = runs;
    with_another.push_back({run_of("gather-then-gemm", 64, how), true});
    Points points;
    run_beside(points, with_another);
    EXPECT_EQ(points.reused(), 0U);
  }
}

TEST_F(KeptRunsTest, ThatCannotBeReadAreNamedByLine) {
  write_file("broken.jsonl", KeptRuns::line("hash", "a run", "{}") + "{\"run\": 1}\n");
  try {
    const KeptRuns kept("broken.jsonl");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), "broken.jsonl:2: no finished run");
  }
}

TEST_F(KeptRunsTest, OfAFileThatIsNotThereAreNone) { EXPECT_EQ(KeptRuns("no such file").size(), 0U); }

}  // namespace
}  // namespace t3sim::model
