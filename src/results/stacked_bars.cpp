#include "results/stacked_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/number.h"

namespace t3sim {
namespace {

using Marks = std::array<const char*, 8>;
constexpr Marks kBlocks{"█", "▒", "░", "▚", "▓", "▞", "▤", "▥"};
constexpr Marks kAscii{"#", "=", ".", "o", "%", "+", "x", "~"};

double sum_of(const Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

// Ends of parts are rounded, not their lengths: a bar is as long as its sum.
std::string drawn(const Bar& bar, double scale, const Marks& marks) {
  std::string text;
  double sum = 0;
  long length = 0;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    sum += bar.parts[i];
    for (const long end = std::lround(sum * scale); length < end; ++length) text += marks[i % marks.size()];
  }
  return text;
}

}  // namespace

std::string stacked_bars(const std::string& title, const std::vector<std::string>& legend,
                         const std::vector<Bar>& bars, const TerminalStyle& style) {
  const Marks& marks = style.unicode ? kBlocks : kAscii;
  double longest = 0;
  std::size_t name_width = 0, label_width = 0;
  for (const Bar& bar : bars) {
    longest = std::max(longest, sum_of(bar));
    name_width = std::max(name_width, bar.name.size());
    label_width = std::max(label_width, bar.label.size());
  }
  if (!(longest > 0)) return "";
  constexpr std::size_t kShortest = 20;
  const std::size_t around = name_width + label_width + 2;
  const double scale = real(std::max(style.width, around + kShortest) - around) / longest;
  std::string text = title + ":";
  for (std::size_t i = 0; i < legend.size(); ++i)
    text += fmt::format("  {} {}", marks[i % marks.size()], legend[i]);
  text += "\n";
  for (const Bar& bar : bars)
    text += fmt::format("{:<{}} {} {}\n", bar.name, name_width, drawn(bar, scale, marks), bar.label);
  return text;
}

}  // namespace t3sim
