#include "sweep/point_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "config/units.h"

namespace t3sim::sweep {

std::vector<std::size_t> parse_point_list(const std::string& text, std::size_t points) {
  std::vector<std::size_t> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string range = text.substr(begin, end - begin);
    const std::size_t dash = std::min(range.find('-'), range.size());
    try {
      const std::uint64_t first = config::parse_whole(range.substr(0, dash));
      const std::uint64_t last = dash < range.size() ? config::parse_whole(range.substr(dash + 1)) : first;
      if (last < first) throw std::invalid_argument("the range ends before it begins");
      if (last >= points) throw std::invalid_argument(fmt::format("there are points 0 to {}", points - 1));
      for (std::uint64_t i = first; i <= last; ++i) all.push_back(i);
    } catch (const std::invalid_argument& e) {
      throw InputError(fmt::format("--points {}: \"{}\": {}; expected e.g. 3-17,20", text, range, e.what()));
    }
    begin = end + 1;
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string format_point_list(const std::vector<std::size_t>& ascending) {
  std::string text;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t end = i + 1;
    while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end - i == 1 ? fmt::format("{}", ascending[i])
                         : fmt::format("{}-{}", ascending[i], ascending[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace t3sim::sweep
