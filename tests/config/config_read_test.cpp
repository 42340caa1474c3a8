#include <gtest/gtest.h>

#include "config/config_example.h"

namespace t3sim::example {
namespace {

TEST(ConfigRead, keys_that_are_not_said_keep_their_defaults) {
  const Root root = read_root("gpu: {clock: 1.1 GHz}\n");
  EXPECT_EQ(root.gpu.clock_hz, 1'100'000'000u);
  EXPECT_EQ(root.gpu.cus, 80u);
  EXPECT_EQ(root.name, "unnamed");
}

TEST(ConfigRead, every_kind_of_key_is_read) {
  const Root root = read_root(R"(
name: my case
gpu: {cus: 64, efficiency: 0.5, lds: 96 KiB}
gpus:
  count: 16
  model: explicit
  overrides: {3: {clock: 1.1 GHz}, 0: {}}
capacity: 2048
tile: 64x32x16
latency: 0.5 us
links: [{from: 0, to: 1}, {from: 1, to: 0, bandwidth: 1 TB/s}]
presets: {small gpu: {cus: 8}}
schemes: [t3-mca, sequential]
chunks: [1, 2]
notes: ["a: b", c]
functional: true
)");
  EXPECT_EQ(root.name, "my case");
  EXPECT_EQ(root.gpu.lds, 96u << 10);
  EXPECT_EQ(root.gpu.efficiency, 0.5);
  EXPECT_EQ(root.gpus.count, 16u);
  EXPECT_EQ(root.gpus.model, Model::explicit_);
  ASSERT_EQ(root.gpus.overrides.size(), 2u);
  EXPECT_EQ(root.gpus.overrides.at(3).clock_hz, 1'100'000'000u);
  EXPECT_EQ(root.gpus.overrides.at(0).clock_hz, std::nullopt);
  EXPECT_EQ(std::get<std::uint64_t>(root.capacity), 2048u);
  EXPECT_EQ(root.tile, (std::array<std::uint32_t, 3>{64, 32, 16}));
  EXPECT_EQ(root.latency_ps, 500'000u);
  ASSERT_EQ(root.links.size(), 2u);
  EXPECT_EQ(root.links[1].bandwidth, config::kTB);
  EXPECT_EQ(root.presets.at("small gpu").cus, 8u);
  EXPECT_EQ(root.schemes, (std::vector{Scheme::t3_mca, Scheme::sequential}));
  EXPECT_EQ(root.chunks, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(root.notes, (std::vector<std::string>{"a: b", "c"}));
  EXPECT_TRUE(root.functional);
}

TEST(ConfigRead, a_single_value_does_for_a_list_of_one) {
  EXPECT_EQ(read_root("schemes: t3-mca").schemes, std::vector{Scheme::t3_mca});
}

TEST(ConfigRead, a_section_without_keys_is_a_section_of_defaults) {
  EXPECT_EQ(read_root("gpu:\nname: x\n").gpu.cus, 80u);
}

TEST(ConfigErrors, an_unknown_key_names_the_nearest_key_of_its_section) {
  EXPECT_EQ(error_of("gpu:\n  clok: 1 GHz\n"),
            "a.yaml:2:3: unknown key \"gpu.clok\"; did you mean gpu.clock?");
  EXPECT_EQ(error_of("nmae: x\n"), "a.yaml:1:1: unknown key \"nmae\"; did you mean name?");
}

TEST(ConfigErrors, an_unknown_key_names_the_same_key_of_another_section) {
  EXPECT_EQ(error_of("name: x\ncus: 64\n"),
            "a.yaml:2:1: unknown key \"cus\"; did you mean gpu.cus or gpus.overrides.<key>.cus or "
            "presets.<key>.cus?");
}

TEST(ConfigErrors, an_unknown_key_like_no_other_lists_the_valid_keys) {
  EXPECT_EQ(error_of("gpu:\n  colour: red\n"),
            "a.yaml:2:3: unknown key \"gpu.colour\"; valid keys in gpu: cus, clock, lds, efficiency");
}

TEST(ConfigErrors, an_unknown_key_is_found_in_maps_and_lists) {
  EXPECT_EQ(error_of("gpus:\n  overrides:\n    3: {clocks: 1 GHz}\n"),
            "a.yaml:3:9: unknown key \"gpus.overrides.3.clocks\"; did you mean gpus.overrides.3.clock?");
  EXPECT_EQ(error_of("links:\n  - {from: 0, too: 1}\n"),
            "a.yaml:2:15: unknown key \"links.0.too\"; did you mean links.0.to?");
}

TEST(ConfigErrors, keys_joined_by_dots_are_explained) {
  EXPECT_EQ(error_of("gpu.cus: 64\n"),
            "a.yaml:1:1: unknown key \"gpu.cus\"; keys are nested here, not joined by dots (as in --set)");
}

TEST(ConfigErrors, a_duplicate_key_names_both_places) {
  EXPECT_EQ(error_of("gpu:\n  cus: 64\n  clock: 1 GHz\n  cus: 80\n"),
            "a.yaml:4:3: duplicate key \"cus\"; first said at line 2");
}

TEST(ConfigErrors, a_count_outside_its_limits_names_them) {
  EXPECT_EQ(error_of("gpu:\n  cus: 0\n"), "a.yaml:2:8: gpu.cus: 0 is too small; allowed: 1 to 4096");
  EXPECT_EQ(error_of("gpu: {cus: 5000}\n"), "a.yaml:1:12: gpu.cus: 5000 is too large; allowed: 1 to 4096");
  EXPECT_EQ(error_of("gpu: {cus: many}\n"),
            "a.yaml:1:12: gpu.cus: \"many\" is not a whole number; allowed: 1 to 4096");
  EXPECT_EQ(error_of("gpu: {cus: -1}\n"),
            "a.yaml:1:12: gpu.cus: \"-1\" is not a whole number; allowed: 1 to 4096");
}

TEST(ConfigErrors, a_count_too_large_for_its_field_is_refused_not_cut_off) {
  EXPECT_EQ(error_of("gpus: {count: 65544}\n"),
            "a.yaml:1:15: gpus.count: 65544 is too large; allowed: 2 to 65535");
}

TEST(ConfigErrors, a_wrong_unit_names_the_allowed_ones) {
  EXPECT_EQ(error_of("latency: 500\n"),
            "a.yaml:1:10: latency: 500 has no unit; allowed units: ps, ns, us, ms, s (e.g. 500 ns)");
  EXPECT_EQ(error_of("latency: 5 GB\n"),
            "a.yaml:1:10: latency: unknown unit \"GB\" of a time; allowed units: ps, ns, us, ms, s");
  EXPECT_EQ(error_of("latency: 2 ms\n"), "a.yaml:1:10: latency: 2 ms is too large; allowed: 0 to 1 ms");
}

TEST(ConfigErrors, a_wrong_choice_names_the_choices_and_the_nearest) {
  EXPECT_EQ(
      error_of("gpus: {model: miror}\n"),
      "a.yaml:1:15: gpus.model: \"miror\" is not allowed; allowed: mirror | explicit (did you mean mirror?)");
  EXPECT_EQ(error_of("capacity: big\n"),
            "a.yaml:1:11: capacity: \"big\" is not allowed; allowed: paper | unbounded | 1 to 1048576");
  EXPECT_EQ(error_of("capacity: 0\n"), "a.yaml:1:11: capacity: 0 is too small; allowed: 1 to 1048576");
  EXPECT_EQ(
      error_of("schemes: [t3, t4]\n"),
      "a.yaml:1:15: schemes.1: \"t4\" is not allowed; allowed: sequential | t3 | t3-mca (did you mean t3?)");
}

TEST(ConfigErrors, wrong_types_say_what_was_expected_and_found) {
  EXPECT_EQ(error_of("gpu: 80\n"), "a.yaml:1:6: gpu: expected keys and values below it, found \"80\"");
  EXPECT_EQ(error_of("gpu: {cus: [1]}\n"),
            "a.yaml:1:12: gpu.cus: expected a count, found a list; allowed: 1 to 4096");
  EXPECT_EQ(error_of("gpu: {cus: {a: 1}}\n"),
            "a.yaml:1:12: gpu.cus: expected a count, found keys and values; allowed: 1 to 4096");
  EXPECT_EQ(error_of("gpu:\n  cus:\nname: x\n"), "a.yaml:2:3: gpu.cus: has no value; allowed: 1 to 4096");
  EXPECT_EQ(error_of("functional: yes\n"),
            "a.yaml:1:13: functional: \"yes\" is not a flag; allowed: true | false");
  EXPECT_EQ(error_of("gpu: {efficiency: 1.5}\n"),
            "a.yaml:1:19: gpu.efficiency: 1.5 is too large; allowed: 0 to 1");
  EXPECT_EQ(error_of("gpu: {efficiency: nan}\n"),
            "a.yaml:1:19: gpu.efficiency: \"nan\" is not a number; allowed: 0 to 1");
  EXPECT_EQ(
      error_of("tile: 128x128\n"),
      "a.yaml:1:7: tile: \"128x128\" is not three lengths; allowed: three lengths like 128x128x32, each 1 to "
      "4096");
  EXPECT_EQ(error_of("chunks: {a: 1}\n"),
            "a.yaml:1:9: chunks: expected a list, found keys and values; allowed in it: 1 to 64");
  EXPECT_EQ(error_of("chunks: [[1]]\n"), "a.yaml:1:10: chunks.0: found a list; allowed: 1 to 64");
  EXPECT_EQ(error_of("links: {a: 1}\n"), "a.yaml:1:8: links: expected a list, found keys and values");
  EXPECT_EQ(error_of("gpus: {overrides: 3}\n"),
            "a.yaml:1:19: gpus.overrides: expected keys (0 to 1023) with values below them, found \"3\"");
  EXPECT_EQ(error_of("gpus: {overrides: {x: {}}}\n"),
            "a.yaml:1:20: gpus.overrides: key \"x\" is not a whole number; allowed: 0 to 1023");
}

TEST(ConfigErrors, invalid_yaml_names_its_place) {
  EXPECT_EQ(error_of("gpu: {cus: 1\n"), "a.yaml:2:1: not valid YAML: end of map flow not found");
  EXPECT_EQ(error_of("a: 1\n---\nb: 2\n"), "a.yaml: holds several YAML documents; expected one");
  EXPECT_EQ(error_of("? [a, b]\n: 1\n"), "a.yaml:1:3: a key must be a word");
}

TEST(ConfigErrors, aliases_that_never_end_are_refused) {
  EXPECT_EQ(error_of("a: &x {b: *x}\n"), "a.yaml:1:4: nested too deeply or too large");
}

TEST(ConfigErrors, checks_after_reading_name_the_place_of_a_key) {
  config::Node node = config::parse_yaml("gpu:\n  cus: 64\n", "a.yaml");
  config::apply_override(node, "tile=256x256x32");
  Root root;
  const config::Sources sources = config::read(node, root);
  EXPECT_TRUE(sources.said("tile"));
  EXPECT_STREQ(sources.error("tile", "needs 96 KiB").what(), "--set tile: needs 96 KiB");
  EXPECT_STREQ(sources.error("gpu.cus", "odd").what(), "a.yaml:2:8: gpu.cus: odd");
  EXPECT_STREQ(sources.error("gpu.lds", "too small").what(), "a.yaml:2:3: gpu.lds: too small");
  EXPECT_STREQ(sources.error("gpus.count", "too few").what(), "a.yaml: gpus.count: too few");
}

}  // namespace
}  // namespace t3sim::example
