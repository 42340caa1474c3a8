#include <gtest/gtest.h>

#include "config/config_example.h"

namespace t3sim::example {
namespace {

TEST(ConfigWrite, the_resolved_file_holds_every_key) {
  EXPECT_EQ(config::write(Root{}), R"(name: unnamed
trace: ""
gpu:
  cus: 80
  clock: 1.4 GHz
  lds: 64 KiB
  efficiency: 0.75
gpus:
  count: 8
  model: mirror
  overrides: {}
capacity: paper
tile: 128x128x32
latency: 500 ns
links: []
presets: {}
schemes: [sequential, t3]
chunks: []
notes: []
functional: false
)");
}

Root full() {
  Root root;
  root.name = "a \"quoted\": text # with\tall\\ of it, é";
  root.trace = "/some/where else.gz";
  root.gpu.clock_hz = 1'234'567'891;
  root.gpu.efficiency = 0.1 + 0.2;
  root.gpu.lds = 65'537;
  root.gpus.overrides[3].cus = 4;
  root.gpus.overrides[7] = {};
  root.capacity = std::uint64_t{77};
  root.links = {{0, 1, config::kTB}, {1, 0, 12'345'678}};
  root.presets["null"] = {};
  root.presets["12"] = {};
  root.presets["a b"].cus = 2;
  root.notes = {"", "null", "true", "12", "a,b", "[x]", "- y", "plain"};
  root.chunks = {3, 1};
  return root;
}

TEST(ConfigWrite, reading_it_again_gives_the_same_text_and_values) {
  const std::string text = config::write(full());
  const Root again = read_root(text);
  EXPECT_EQ(config::write(again), text);
  EXPECT_EQ(again.name, full().name);
  EXPECT_EQ(again.trace, full().trace);
  EXPECT_EQ(again.gpu.efficiency, full().gpu.efficiency);
  EXPECT_EQ(again.gpu.clock_hz, full().gpu.clock_hz);
  EXPECT_EQ(again.notes, full().notes);
  EXPECT_EQ(again.presets.size(), 3u);
  EXPECT_EQ(again.gpus.overrides.at(7).cus, std::nullopt);
  EXPECT_EQ(again.links[1].bandwidth, 12'345'678u);
}

TEST(ConfigHelp, every_key_is_listed_with_kind_default_limits_and_meaning) {
  const std::vector<config::KeyHelp> keys = config::list_keys<Root>();
  const auto find = [&](const std::string& path) {
    for (const config::KeyHelp& key : keys)
      if (key.path == path) return key;
    return config::KeyHelp{};
  };
  EXPECT_EQ(find("gpu").kind, "section");
  EXPECT_EQ(find("gpu.clock").kind, "frequency");
  EXPECT_EQ(find("gpu.clock").value, "1.4 GHz");
  EXPECT_EQ(find("gpu.clock").allowed, "1 MHz to 10 GHz");
  EXPECT_EQ(find("gpu.clock").doc, "core clock");
  EXPECT_EQ(find("gpus.overrides.<key>.clock").kind, "frequency");
  EXPECT_EQ(find("gpus.overrides").allowed, "keys: 0 to 1023");
  EXPECT_EQ(find("links.<index>.to").doc, "receiving GPU");
  EXPECT_EQ(find("schemes").kind, "list of choice");
  EXPECT_EQ(find("schemes").value, "[sequential, t3]");
}

TEST(ConfigHelp, the_text_names_key_default_meaning_and_what_is_allowed) {
  const std::string text = config::help_text(config::list_keys<Root>());
  EXPECT_NE(text.find("gpu: a GPU"), std::string::npos);
  EXPECT_NE(text.find("gpu.cus"), std::string::npos);
  EXPECT_NE(text.find("1 to 4096 (count)"), std::string::npos);
}

}  // namespace
}  // namespace t3sim::example
