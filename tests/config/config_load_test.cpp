#include <gtest/gtest.h>

#include "base/sha256.h"
#include "config/config_example.h"
#include "in_folder.h"

namespace t3sim::example {
namespace {

class ConfigFiles : public InFolder {
 protected:
  static Root load(const std::string& path) {
    Root root;
    config::read(config::load_file(path).root, root);
    return root;
  }
  static std::string load_error(const std::string& path) {
    return message_of([&] { load(path); });
  }
};

TEST_F(ConfigFiles, the_including_file_overrides_key_by_key) {
  write_file("base/machine.yaml", "name: base\ngpu: {cus: 64, clock: 1 GHz}\nschemes: [t3]\n");
  write_file("case.yaml",
             "include: base/machine.yaml\nname: mine\ngpu: {clock: 2 GHz}\nschemes: [sequential]\n");
  const Root root = load("case.yaml");
  EXPECT_EQ(root.name, "mine");
  EXPECT_EQ(root.gpu.cus, 64u);
  EXPECT_EQ(root.gpu.clock_hz, 2'000'000'000u);
  EXPECT_EQ(root.schemes, std::vector{Scheme::sequential});
}

TEST_F(ConfigFiles, of_several_includes_the_later_one_wins) {
  write_file("a.yaml", "name: a\ngpu: {cus: 1}\n");
  write_file("b.yaml", "name: b\n");
  write_file("case.yaml", "include: [a.yaml, b.yaml]\n");
  EXPECT_EQ(load("case.yaml").name, "b");
  EXPECT_EQ(load("case.yaml").gpu.cus, 1u);
}

TEST_F(ConfigFiles, includes_are_seen_from_the_including_file) {
  write_file("x/y/inner.yaml", "name: inner\n");
  write_file("x/outer.yaml", "include: y/inner.yaml\n");
  write_file("case.yaml", "include: x/outer.yaml\n");
  EXPECT_EQ(load("case.yaml").name, "inner");
}

TEST_F(ConfigFiles, every_file_is_listed_with_its_hash) {
  write_file("a.yaml", "name: a\n");
  write_file("case.yaml", "include: a.yaml\n");
  const config::Document document = config::load_file("case.yaml");
  ASSERT_EQ(document.files.size(), 2u);
  EXPECT_EQ(document.files[0].path, "case.yaml");
  EXPECT_EQ(document.files[1].path, "a.yaml");
  EXPECT_EQ(document.files[1].sha256, sha256_hex("name: a\n"));
}

TEST_F(ConfigFiles, an_error_in_an_included_file_names_that_file) {
  write_file("x/a.yaml", "gpu:\n  cus: 0\n");
  write_file("case.yaml", "include: x/a.yaml\n");
  EXPECT_EQ(load_error("case.yaml"), "x/a.yaml:2:8: gpu.cus: 0 is too small; allowed: 1 to 4096");
}

TEST_F(ConfigFiles, a_cycle_of_includes_is_refused) {
  write_file("a.yaml", "include: b.yaml\n");
  write_file("b.yaml", "name: b\ninclude: ./a.yaml\n");
  EXPECT_EQ(load_error("a.yaml"), "b.yaml:2:10: include: a.yaml includes itself");
}

TEST_F(ConfigFiles, the_same_file_may_be_included_twice_side_by_side) {
  write_file("base.yaml", "name: base\n");
  write_file("a.yaml", "include: base.yaml\n");
  write_file("case.yaml", "include: [a.yaml, base.yaml]\n");
  EXPECT_EQ(load("case.yaml").name, "base");
}

TEST_F(ConfigFiles, a_missing_file_says_so) {
  write_file("case.yaml", "name: x\ninclude: nowhere.yaml\n");
  EXPECT_EQ(load_error("none.yaml"), "none.yaml: no such file");
  EXPECT_EQ(load_error("case.yaml"), "case.yaml:2:10: include: nowhere.yaml: no such file");
  EXPECT_EQ(load_error("."), ".: is a directory, not a file");
}

TEST_F(ConfigFiles, an_include_that_is_no_file_name_is_refused) {
  write_file("case.yaml", "include: {a: b}\n");
  EXPECT_EQ(load_error("case.yaml"),
            "case.yaml:1:10: include: expected a file name or a list of them, found keys and values");
}

TEST_F(ConfigFiles, an_empty_file_is_refused) {
  write_file("empty.yaml", "");
  write_file("comment.yaml", "# nothing here\n");
  EXPECT_EQ(load_error("empty.yaml"), "empty.yaml: the file is empty; expected keys and values");
  EXPECT_EQ(load_error("comment.yaml"), "comment.yaml: the file is empty; expected keys and values");
}

TEST_F(ConfigFiles, a_file_that_is_a_list_is_refused) {
  write_file("list.yaml", "- a\n- b\n");
  EXPECT_EQ(load_error("list.yaml"), "list.yaml:1:1: expected keys and values, found a list");
}

TEST_F(ConfigFiles, a_file_name_is_seen_from_the_file_that_says_it) {
  write_file("x/case.yaml", "trace: t/gemm.gz\n");
  EXPECT_EQ(load("x/case.yaml").trace, (folder_ / "x/t/gemm.gz").string());
}

TEST(ConfigSet, a_value_on_the_command_line_overrides_the_file) {
  EXPECT_EQ(read_root("gpu: {cus: 8}", {"gpu.cus=16"}).gpu.cus, 16u);
  EXPECT_EQ(read_root("name: x", {"gpu.cus=16", "gpu.cus=17"}).gpu.cus, 17u);
  EXPECT_EQ(read_root("name: x", {"latency=1 us"}).latency_ps, config::kUs);
  EXPECT_EQ(read_root("name: x", {"name=a: b = c"}).name, "a: b = c");
}

TEST(ConfigSet, maps_and_lists_can_be_set_as_a_whole_or_in_part) {
  EXPECT_EQ(read_root("name: x", {"schemes=[t3-mca]"}).schemes, std::vector{Scheme::t3_mca});
  EXPECT_EQ(read_root("name: x", {"gpus.overrides.3.cus=4"}).gpus.overrides.at(3).cus, 4u);
  const Root root = read_root("gpus: {overrides: {1: {cus: 2}}}", {"gpus.overrides={3: {cus: 4}}"});
  EXPECT_EQ(root.gpus.overrides.size(), 2u);
  EXPECT_EQ(read_root("links: [{from: 1}, {from: 2}]", {"links.1.to=5"}).links[1].to, 5u);
}

TEST(ConfigSet, errors_name_the_option) {
  EXPECT_EQ(error_of("name: x", {"gpu.cus=0"}), "--set gpu.cus: 0 is too small; allowed: 1 to 4096");
  EXPECT_EQ(error_of("name: x", {"gpu.clok=1 GHz"}),
            "--set gpu.clok: unknown key \"gpu.clok\"; did you mean gpu.clock?");
  EXPECT_EQ(error_of("name: x", {"gpu.cus="}), "--set gpu.cus: has no value; allowed: 1 to 4096");
  EXPECT_EQ(error_of("name: x", {"gpu.cus"}),
            "--set gpu.cus: expected path.to.key=value, e.g. --set gpu.cus=64");
  EXPECT_EQ(error_of("name: x", {"=3"}), "--set =3: expected path.to.key=value, e.g. --set gpu.cus=64");
  EXPECT_EQ(error_of("name: x", {"gpu..cus=3"}),
            "--set gpu..cus=3: expected path.to.key=value, e.g. --set gpu.cus=64");
  EXPECT_EQ(error_of("links: [{from: 1}]", {"links.1.to=5"}),
            "--set links.1.to: no element 1 in a list of 1");
  EXPECT_EQ(error_of("name: x", {"gpu={cus: 0}"}),
            "--set gpu:1:7: gpu.cus: 0 is too small; allowed: 1 to 4096");
}

}  // namespace
}  // namespace t3sim::example
