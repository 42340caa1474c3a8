#include "results/scheme_json.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

SchemeResult with_everything() {
  SchemeResult s;
  s.name = "t3";
  s.time_us = 1600.25;
  s.speedup = 1.5;
  s.phases = {{"fused_us", 1200}, {"ag_us", 400.25}};
  s.dram_bytes = {{"gemm_read", 3}, {"rs_write", 5}};
  s.link_bytes = 8;
  s.counters = {{"tracker", {{"peak_entries", std::uint64_t{2048}}, {"wait_us", 0.5}}},
                {"dma", {{"blocks", ~std::uint64_t{0}}}}};
  s.no_gap = "because";
  PhaseLimits fused;
  fused.dram_share = 0.25;
  fused.limited_by = "link";
  s.limits = {{"fused", fused}};
  s.limits.back().second.l2_hit_rate = 0.5;
  s.limits.emplace_back("ag", fused);
  GapResult gap;
  gap.bound_by = "gemm";
  gap.gap_ps = 700'000'000'001;
  gap.parts_ps = {{"link", 700'000'000'003}, {"unexplained", -2}};
  s.gap = gap;
  return s;
}

TEST(SchemeJson, ReadsBackWhatItHasWritten) {
  const nlohmann::ordered_json written = to_json(with_everything());
  const SchemeResult read = scheme_from_json("t3", nlohmann::ordered_json::parse(written.dump()));
  EXPECT_EQ(to_json(read).dump(), written.dump());
  EXPECT_EQ(read.gap->parts_ps, with_everything().gap->parts_ps);
  EXPECT_EQ(read.counters, with_everything().counters);
  EXPECT_EQ(read.limits, with_everything().limits);
}

TEST(SchemeJson, AlwaysHasTheTrackersBlock) {
  EXPECT_EQ(to_json(SchemeResult{}).at("tracker"), nlohmann::ordered_json::object());
}

TEST(SchemeJson, RefusesWhatIsNoResult) {
  for (const char* key : {"time_us", "phases", "dram_bytes"}) {
    nlohmann::ordered_json json = to_json(with_everything());
    json[key] = "text";
    EXPECT_THROW(scheme_from_json("t3", json), nlohmann::json::exception) << key;
    json.erase(key);
    EXPECT_THROW(scheme_from_json("t3", json), nlohmann::json::exception) << key;
  }
}

}  // namespace
}  // namespace t3sim
