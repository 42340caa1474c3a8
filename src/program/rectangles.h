// Rectangles of one array in one memory.
#pragma once

#include <vector>

#include "program/program.h"

namespace t3sim::program {

bool overlap(const View& a, const View& b);
// Whether they are in the same memory, and overlap.
bool share_elements(const View& a, const View& b);
// Of two that overlap.
View intersection(const View& a, const View& b);

// What is left of a view when others are taken out of it, as rectangles.
class Rectangles {
 public:
  explicit Rectangles(const View& view) : left_{view} {}

  void subtract(const View& view);
  bool empty() const { return left_.empty(); }
  const View& first() const { return left_.front(); }

 private:
  std::vector<View> left_;
};

}  // namespace t3sim::program
