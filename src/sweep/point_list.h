// Sets of points as text: "3-17,20".
#pragma once

#include <string>
#include <vector>

namespace t3sim::sweep {

// Ascending. Throws InputError unless all are below `points`.
std::vector<std::size_t> parse_point_list(const std::string& text, std::size_t points);
std::string format_point_list(const std::vector<std::size_t>& ascending);

}  // namespace t3sim::sweep
