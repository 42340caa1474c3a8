// docs/programs.md: what it shows is right.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "program_text.h"

namespace t3sim::program {
namespace {

// The blocks of YAML in the page.
std::vector<std::string> examples() {
  std::ifstream file(std::string(T3SIM_SOURCE_DIR) + "/docs/programs.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string open = "```yaml\n";
  std::vector<std::string> all;
  for (auto at = page.find(open); at != page.npos; at = page.find(open, at + 1)) {
    const auto begin = at + open.size();
    all.push_back(page.substr(begin, page.find("```", begin) - begin));
  }
  return all;
}

TEST(ProgramDocs, TheFirstExampleIsFreeOfFaults) {
  ASSERT_EQ(examples().size(), 4U);
  for (const std::uint32_t gpus : {2U, 8U}) EXPECT_EQ(refusal(examples()[0], gpus), "(accepted)");
}

TEST(ProgramDocs, PartsOfProgramsFitWhatTheyAreSaidOf) {
  const std::string matrices =
      "a: {rows: 1024, columns: 1024}, b: {rows: 1024, columns: 1024}, c: {rows: 1024, columns: 1024}";
  EXPECT_EQ(refusal("name: x\narrays: {" + matrices + ", w: {rows: 1024, columns: 1024}}\n" + examples()[1]),
            "(accepted)");
  EXPECT_EQ(refusal("name: x\nlet: {rows: 128, mine: 4, tiles: 8}\narrays: {" + matrices +
                    "}\nsignals: {here: {count: tiles, value: 1}}\nstreams:\n  x:\n" + examples()[2]),
            "(accepted)");
  EXPECT_EQ(refusal("name: x\nlet: {mine: 512}\narrays: {" + matrices +
                    ", parts: {rows: 512, columns: 1024, copies: 2}, sum: {rows: 512, columns: "
                    "1024}}\nstreams:\n  x:\n" +
                    examples()[3]),
            "(accepted)");
}

}  // namespace
}  // namespace t3sim::program
