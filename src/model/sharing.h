// Collectives that run at the same time, as flows over the links that they share.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/schedule.h"

namespace t3sim::model {

class Sharing {
 public:
  // `time`: alone on idle links, of which it takes so much. `shares` must outlive it.
  void add(std::uint32_t operation, Picoseconds now, Picoseconds time, const LinkShares& shares);
  // Of the first that ends if none is added; the largest number if there is none.
  Picoseconds next_end() const;
  // Takes out those that have ended by then.
  std::vector<std::uint32_t> end_at(Picoseconds now);

 private:
  struct Flow {
    std::uint32_t operation;
    double left;       // of its time alone, ps
    double speed = 1;  // of that when alone
    const LinkShares* shares;
  };
  void advance(Picoseconds now);
  void share();

  std::vector<Flow> flows_;
  Picoseconds at_ = 0;
};

}  // namespace t3sim::model
