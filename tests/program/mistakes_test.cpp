// Texts with mistakes that nobody thought of: refused in one line, or right, never worse.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "program/library.h"
#include "program_text.h"

namespace t3sim::program {
namespace {

// A character taken away, doubled or replaced, or two words exchanged.
std::string disturbed(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::size_t at = below(text.size());
  switch (below(4)) {
    case 0:
      return text.erase(at, 1);
    case 1:
      return text.insert(at, 1, text[at]);
    case 2:
      text[at] = "0129-+*/%()[]{},:@?.\"' rankgpus"[below(31)];
      return text;
    default: {
      const std::string part = text.substr(at, below(12));
      return text.insert(below(text.size()), part);
    }
  }
}

using Parameters = std::map<std::string, std::int64_t>;

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(T3SIM_SOURCE_DIR) + "/programs/" + name + ".yaml");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ProgramMistakes, GetOneLineOrAreNone) {
  std::mt19937 random(1);
  int refused = 0, accepted = 0;
  for (const std::string& name : program_library::names())
    for (int i = 0; i < 30; ++i) {
      const Parameters parameters = name.starts_with("embedding") ? Parameters{{"batch", 64}}
                                    : name.starts_with("gemv")
                                        ? Parameters{{"m", 2048}, {"k", 1024}}
                                        : Parameters{{"m", 2048}, {"n", 256}, {"k", 1024}};
      const std::string message = refusal(disturbed(text_of(name), random), 2, parameters);
      EXPECT_EQ(message.find('\n'), message.npos) << message;
      (message == "(accepted)" ? accepted : refused)++;
    }
  EXPECT_GT(refused, 50);
  EXPECT_GT(accepted, 50);
}

}  // namespace
}  // namespace t3sim::program
