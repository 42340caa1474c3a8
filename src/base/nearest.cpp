#include "base/nearest.h"

#include <algorithm>
#include <numeric>

namespace t3sim {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool same(char a, char b) { return lower(a) == lower(b); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_ago, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], two_ago[j - 2] + 1);
    }
    two_ago = last;
    last = row;
  }
  return last[b.size()];
}

bool is_typo(std::size_t distance, std::size_t length) {
  return distance <= std::max<std::size_t>(1, length / 3) && distance < length;
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (best && distance >= best_distance) continue;
    best = &name;
    best_distance = distance;
  }
  return best && is_typo(best_distance, std::max(word.size(), best->size())) ? *best : std::string();
}

}  // namespace t3sim
