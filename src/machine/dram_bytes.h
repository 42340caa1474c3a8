// Bytes that a GPU's DRAM has moved, by cause and direction (Figure 18).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/number.h"
#include "sim/request.h"

namespace t3sim {

class DramBytes {
 public:
  std::uint64_t& read(Traffic traffic) { return of(traffic).read; }
  std::uint64_t read(Traffic traffic) const { return of(traffic).read; }
  std::uint64_t& written(Traffic traffic) { return of(traffic).written; }
  std::uint64_t written(Traffic traffic) const { return of(traffic).written; }

  DramBytes& operator+=(const DramBytes& other) {
    for (std::size_t t = 0; t < of_.size(); ++t) {
      of_[t].read += other.of_[t].read;
      of_[t].written += other.of_[t].written;
    }
    return *this;
  }
  bool operator==(const DramBytes&) const = default;

 private:
  struct Directions {
    std::uint64_t read = 0, written = 0;  // updates count as written
    bool operator==(const Directions&) const = default;
  };
  Directions& of(Traffic traffic) { return of_[ordinal(traffic)]; }
  const Directions& of(Traffic traffic) const { return of_[ordinal(traffic)]; }

  std::array<Directions, kTraffics> of_;
};

// "gemm read 0 written 4096, rs ..."
std::string to_string(const DramBytes& bytes);

}  // namespace t3sim
