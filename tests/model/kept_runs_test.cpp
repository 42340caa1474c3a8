// Finished runs that are committed: known by their sources and configuration.
#include "model/kept_runs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/sha256.h"
#include "config/config.h"
#include "in_folder.h"
#include "model/points.h"
#include "presets/machine.h"
#include "run/check_config.h"

namespace t3sim::model {
namespace {

Config small_gemm(int k) {
  config::Document document = config::load_file(presets::machine_path("h200-x4"));
  for (const char* assignment : {"program.file=decomposed-gemm", "program.parameters.m=128",
                                 "program.parameters.n=128", "program.parameters.pieces=1"})
    config::apply_override(document.root, assignment);
  config::apply_override(document.root, "program.parameters.k=" + std::to_string(k));
  Config config;
  const config::Sources sources = config::read(document.root, config);
  settle_config(config, sources);
  return config;
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

// Lines of six runs as other sources would have left them, or with other times.
std::string of_other_sources(bool wrong) {
  std::string text;
  for (int k = 64; k <= 6 * 64; k += 64) {
    Points one;
    one.add(small_gemm(k));
    one.run({.jobs = 1, .cache = "", .quiet = true});
    auto json = nlohmann::ordered_json::parse(one.kept_lines());
    json["sources"] = "others";
    json["ran_with"] = "before them";  // from whom these had taken it over
    json["run"] = sha256_hex("others" + config::write(small_gemm(k)));
    if (wrong)
      for (auto& [name, scheme] : json["result"]["schemes"].items()) scheme["time_us"] = 1.0;
    text += json.dump() + "\n";
  }
  return text;
}

TEST_F(KeptRunsTest, OfOtherSourcesAreTakenOverIfASampleIsTheSame) {
  for (const bool wrong : {false, true}) {
    Points points;
    for (int k = 64; k <= 6 * 64; k += 64) points.add(small_gemm(k));
    write_file("runs.jsonl", of_other_sources(wrong));
    const KeptRuns kept("runs.jsonl");
    EXPECT_EQ(kept.of_these_sources(), 0U);
    points.run({.jobs = 1, .cache = "", .quiet = true, .committed = &kept, .adopt = true});
    EXPECT_EQ(points.reused(), wrong ? 0U : 2U) << "four are run";
    for (PointId id = 0; id < points.size(); ++id)
      EXPECT_GT(points[id].schemes.begin()->second.time_us, 1.0) << "none of the wrong ones is taken";
    write_file("now.jsonl", points.kept_lines());
    const KeptRuns now("now.jsonl");
    EXPECT_EQ(now.of_these_sources(), 6U);
    EXPECT_EQ(now.taken_over(), wrong ? 0U : 2U);
    EXPECT_EQ(points.kept_lines().find("\"ran_with\":\"before them\"") == std::string::npos, wrong);
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
