// What is in the program by name: complete, and with its sources.
#include <gtest/gtest.h>

#include <sstream>

#include "config/library.h"
#include "config/load.h"
#include "presets/machine.h"
#include "presets/model.h"

namespace t3sim::presets {
namespace {

namespace library = config::library;

bool has_comment(const std::string& line) { return line.find(" # ") != line.npos; }

TEST(ModelFiles, SayWhereEveryNumberComesFrom) {
  for (const std::string& name : model_names()) {
    std::istringstream text{std::string(library::find(library::path_of("configs/models", name))->text)};
    for (std::string line; std::getline(text, line);)
      EXPECT_TRUE(line.starts_with("#") || line.starts_with("name:") || has_comment(line))
          << name << ": " << line;
  }
}

TEST(ModelFiles, AreThoseThatPeopleAskFor) {
  EXPECT_EQ(model_names(), (std::vector<std::string>{"deepseek-v3", "gpt-3", "llama3-405b", "llama3-70b",
                                                     "llama3-8b", "mega-gpt-2", "mixtral-8x22b",
                                                     "mixtral-8x7b", "mt-nlg", "palm", "t-nlg"}));
}

TEST(Machines, AreThePapersTheSystemsAndTheTopologies) {
  const std::vector<std::string> names = machine_names();
  for (const char* name : {"paper", "h100", "h200", "h200-x4", "b200", "mi300x-8"})
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  EXPECT_EQ(std::ranges::count(names, "hopper"), 0) << "what machines have in common is none";
}

TEST(Machines, AreDescribedInOneLine) {
  for (const Machine& machine : machines()) {
    EXPECT_FALSE(machine.summary.empty()) << machine.name;
    EXPECT_LE(machine.summary.size(), 110u) << machine.name << ": " << machine.summary;
  }
}

TEST(Library, IncludesWorkAmongItsFiles) {
  const config::Document document = config::load_file("<t3sim>/configs/systems/h200-x4.yaml");
  EXPECT_NE(config::find_value(document.root, "memory.timing.faw"), nullptr);
  EXPECT_EQ(document.files.size(), 4u);
  EXPECT_EQ(document.files.back().path, "<t3sim>/configs/memory/h200.yaml");
}

TEST(Library, SummariesEndWithTheFirstSentence) {
  EXPECT_EQ(library::summary({"", "# One GPU, of two\n# parts. More of it.\ngpu: {}\n"}),
            "One GPU, of two parts");
  EXPECT_EQ(library::summary({"", "gpu: {}\n"}), "");
}

}  // namespace
}  // namespace t3sim::presets
