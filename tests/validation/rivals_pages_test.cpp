// The pages that go with t3sim validate rivals: the five papers' numbers, and which feature of a paper is where.
#include <gtest/gtest.h>

#include "base/csv.h"
#include "validation/rivals/features.h"

namespace t3sim::rivals {
namespace {

std::vector<std::string> ids_of(const std::string& file, const std::string& header) {
  CsvTable table(T3SIM_SOURCE_DIR "/validation/rivals/" + file);
  table.expect(header);
  std::vector<std::string> ids;
  while (table.next_row()) ids.push_back(table.text(0));
  return ids;
}

TEST(PublishedNumbers, AreAllInTheTableOnce) {
  const auto published = ids_of("published.csv", "id,paper,where,quantity,case,value,unit");
  EXPECT_GT(published.size(), 90U);
  EXPECT_EQ(published, ids_of("targets.csv", "id,paper,quantity,case,theirs,ours,verdict,why"));
}

// What a miss comes from, and what an undetermined one lacks.
TEST(PublishedNumbers, ThatAreNotHitSayWhy) {
  CsvTable table(T3SIM_SOURCE_DIR "/validation/rivals/targets.csv");
  table.expect("id,paper,quantity,case,theirs,ours,verdict,why");
  while (table.next_row()) EXPECT_TRUE(table.text(6) == "hit" || table.text(7).size() > 40) << table.text(0);
}

TEST(RivalsFeatures, HaveTestsThatThereAre) {
  const std::vector<Feature> features = read_features(T3SIM_SOURCE_DIR "/validation/rivals/features.csv");
  EXPECT_GT(features.size(), 20U);
  for (Feature feature : features) {
    feature.test_file = T3SIM_SOURCE_DIR "/" + feature.test_file;
    EXPECT_TRUE(broken_features({feature}, "true").empty()) << feature.feature << ": " << feature.test;
  }
}

TEST(RivalsFeatures, AreOnTheirPage) {
  const std::vector<Feature> features = read_features(T3SIM_SOURCE_DIR "/validation/rivals/features.csv");
  const std::string page = T3SIM_SOURCE_DIR "/docs/features.md";
  EXPECT_EQ(stale_page(features, page), "");
  EXPECT_NE(stale_page({features.begin() + 1, features.end()}, page), "");
  EXPECT_NE(stale_page(features, page + ".none"), "");
}

TEST(RivalsFeatures, AreBrokenByACommandOrATestThatThereIsNot) {
  const Feature good{
      "T3", "a feature", "list schemes", __FILE__, "RivalsFeatures.AreBrokenByACommandOrATestThatThereIsNot",
      ""};
  EXPECT_TRUE(broken_features({good}, "true").empty());
  EXPECT_EQ(broken_features({good}, "false").size(), 1U);
  Feature other = good;
  other.test = "RivalsFeatures.IsNoTest";
  EXPECT_EQ(broken_features({other}, "true").size(), 1U);
}

}  // namespace
}  // namespace t3sim::rivals
