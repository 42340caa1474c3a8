// Rows of tables that a kernel reads, drawn at random: those of embedding bags.
#pragma once

#include <cstdint>
#include <vector>

namespace t3sim {

// Bags take turns by table: bag b is one of table b / (bags / tables).
struct BagSpec {
  std::uint64_t rows = 1;     // of each table
  std::uint32_t tables = 1;   // one behind the other
  std::uint32_t bags = 1;     // of all tables
  std::uint32_t pooling = 1;  // rows of a bag
  double skew = 0;            // Zipf's exponent; 0: uniform
  std::uint64_t seed = 1;
};

// Uniform, or by Zipf's law: the row of rank r has probability r^-skew; which row has which rank is shuffled, differently
// for each table.
class DrawnRows {
 public:
  explicit DrawnRows(const BagSpec& spec);
  // The i-th row of a bag, numbered through all tables.
  std::uint64_t row(std::uint32_t bag, std::uint32_t i) const;

 private:
  std::uint64_t ranked(std::uint64_t rank, std::uint32_t table) const;

  BagSpec spec_;
  std::vector<double> cumulative_;  // by rank: probability of this one and all before
};

}  // namespace t3sim
