#include "program/rectangles.h"

#include <algorithm>

namespace t3sim::program {
namespace {

std::uint64_t end_row(const View& v) { return v.first_row + v.rows; }
std::uint64_t end_column(const View& v) { return v.first_column + v.columns; }

// `view` with other bounds, where they are not empty.
void add(std::vector<View>& all, View view, std::uint64_t first_row, std::uint64_t last_row,
         std::uint64_t first_column, std::uint64_t last_column) {
  if (first_row >= last_row || first_column >= last_column) return;
  view.first_row = first_row;
  view.rows = last_row - first_row;
  view.first_column = first_column;
  view.columns = last_column - first_column;
  all.push_back(view);
}

}  // namespace

bool overlap(const View& a, const View& b) {
  return a.first_row < end_row(b) && b.first_row < end_row(a) && a.first_column < end_column(b) &&
         b.first_column < end_column(a);
}

bool share_elements(const View& a, const View& b) {
  return a.array == b.array && a.gpu == b.gpu && a.copy == b.copy && overlap(a, b);
}

View intersection(const View& a, const View& b) {
  View common = a;
  common.first_row = std::max(a.first_row, b.first_row);
  common.rows = std::min(end_row(a), end_row(b)) - common.first_row;
  common.first_column = std::max(a.first_column, b.first_column);
  common.columns = std::min(end_column(a), end_column(b)) - common.first_column;
  return common;
}

void Rectangles::subtract(const View& view) {
  std::vector<View> left;
  for (const View& v : left_) {
    if (!overlap(v, view)) {
      left.push_back(v);
      continue;
    }
    const View cut = intersection(v, view);
    add(left, v, v.first_row, cut.first_row, v.first_column, end_column(v));
    add(left, v, end_row(cut), end_row(v), v.first_column, end_column(v));
    add(left, v, cut.first_row, end_row(cut), v.first_column, cut.first_column);
    add(left, v, cut.first_row, end_row(cut), end_column(cut), end_column(v));
  }
  left_ = std::move(left);
}

}  // namespace t3sim::program
