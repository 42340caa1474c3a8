// The layout of src/ is the architecture: what a room includes is what CMakeLists.txt lets it link, and the links
// have no cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace t3sim {
namespace {

using Rooms = std::map<std::string, std::set<std::string>>;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The rooms that each room links, from lines "t3_room(name t3_other ...)".
Rooms linked(const std::string& cmake) {
  Rooms rooms;
  const std::string call = "\nt3_room(";
  for (auto at = cmake.find(call); at != std::string::npos; at = cmake.find(call, at + 1)) {
    const auto begin = at + call.size();
    std::istringstream words(cmake.substr(begin, cmake.find(')', begin) - begin));
    std::string name, library;
    words >> name;
    rooms[name];
    while (words >> library)
      if (library.starts_with("t3_")) rooms[name].insert(library.substr(3));
  }
  return rooms;
}

// The rooms that a source text includes headers of.
std::set<std::string> included(const std::string& text) {
  std::set<std::string> rooms;
  std::istringstream lines(text);
  const std::string include = "#include \"";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(include)) rooms.insert(line.substr(include.size(), line.find('/') - include.size()));
  return rooms;
}

Rooms included_by_room(const std::filesystem::path& source) {
  Rooms rooms;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    const std::string room = entry.path().lexically_relative(source).begin()->string();
    rooms[room].merge(included(text_of(entry.path())));
  }
  for (auto& [room, others] : rooms) others.erase(room);
  return rooms;
}

// What differs, a line each.
std::vector<std::string> differences(const Rooms& linked, const Rooms& included) {
  std::vector<std::string> lines;
  for (const auto& [room, others] : included) {
    if (!linked.contains(room)) lines.push_back("src/" + room + " is no room of CMakeLists.txt");
    for (const std::string& other : others)
      if (!linked.contains(room) || !linked.at(room).contains(other))
        lines.push_back(room + " includes " + other + " without linking it");
  }
  for (const auto& [room, others] : linked)
    for (const std::string& other : others)
      if (!included.contains(room) || !included.at(room).contains(other))
        lines.push_back(room + " links " + other + " without including it");
  return lines;
}

// Rooms in an order in which each links earlier ones only; shorter than `rooms` if there is a cycle.
std::vector<std::string> ground_up(const Rooms& rooms) {
  std::vector<std::string> order;
  std::set<std::string> placed;
  for (bool found = true; found;) {
    found = false;
    for (const auto& [room, others] : rooms) {
      if (placed.contains(room) || !std::ranges::includes(placed, others)) continue;
      order.push_back(room);
      placed.insert(room);
      found = true;
    }
  }
  return order;
}

const std::filesystem::path kRoot = T3SIM_SOURCE_DIR;

TEST(Rooms, IncludeWhatTheyLinkAndLinkWhatTheyInclude) {
  const Rooms links = linked(text_of(kRoot / "CMakeLists.txt"));
  ASSERT_GT(links.size(), 10u);
  EXPECT_EQ(differences(links, included_by_room(kRoot / "src")), std::vector<std::string>{});
}

TEST(Rooms, AreStackedWithoutACycle) {
  const Rooms links = linked(text_of(kRoot / "CMakeLists.txt"));
  EXPECT_EQ(ground_up(links).size(), links.size());
}

TEST(Rooms, AForbiddenIncludeIsFound) {
  const Rooms links{{"base", {}}, {"gpu", {"base"}}};
  const Rooms includes{{"base", included("#include \"gpu/compute_unit.h\"\n#include <vector>\n")},
                       {"gpu", included("#include \"base/error.h\"\n")}};
  EXPECT_EQ(differences(links, includes), std::vector<std::string>{"base includes gpu without linking it"});
}

TEST(Rooms, ALinkThatNothingUsesIsFound) {
  EXPECT_EQ(differences({{"base", {}}, {"gpu", {"base"}}}, {{"base", {}}, {"gpu", {}}}),
            std::vector<std::string>{"gpu links base without including it"});
}

TEST(Rooms, ACycleIsFound) { EXPECT_TRUE(ground_up({{"a", {"b"}}, {"b", {"a"}}}).empty()); }

}  // namespace
}  // namespace t3sim
