// "did you mean": the names a typo was probably meant to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace t3sim {

// Insertions, deletions, replacements and swaps of neighbours that turn a into b; letter case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b);

// True when `distance` is small enough for a typo in a word of that length.
bool is_typo(std::size_t distance, std::size_t length);

// The nearest of `names`, the first of equals; empty if none is near enough to be a typo.
std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace t3sim
