// Which backend is the fastest, by operation, number of GPUs and bytes: a table, as `t3sim tune backends` fills it from runs or
// from measurements (section V.F of MCR-DL). It holds for one machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "message/collective.h"

namespace t3sim::model {

class BackendTable {
 public:
  // `machine`: network_hash(); "measured" if times are not of a machine of ours.
  explicit BackendTable(std::string machine) : machine_(std::move(machine)) {}

  void add(message::Kind kind, std::uint32_t world, std::uint64_t bytes, const std::string& backend,
           double us);
  const std::string& machine() const { return machine_; }

  // The fastest where times between two tuned sizes lie on a line (both on logarithmic scales). `extrapolate`: outside of the
  // sizes the nearest counts. Throws InputError for what the table has not.
  const std::string& best(message::Kind kind, std::uint32_t world, std::uint64_t bytes,
                          bool extrapolate) const;
  // The one that is the fastest at most sizes: mixing by operation alone.
  const std::string& best_of_operation(message::Kind kind, std::uint32_t world) const;

  struct Point {
    message::Kind kind;
    std::uint32_t world;
    std::uint64_t bytes;
    bool operator<(const Point& o) const {
      return std::tie(kind, world, bytes) < std::tie(o.kind, o.world, o.bytes);
    }
  };
  using Times = std::map<std::string, double>;  // us, by backend
  const std::map<Point, Times>& points() const { return points_; }
  // Of equal times the first name.
  static const std::string& fastest(const Times& times);

  std::string csv() const;
  // Throws InputError with the place in the file.
  static BackendTable read(const std::string& path);

 private:
  std::string machine_;
  std::map<Point, Times> points_;
};

// "all-reduce" or, as measurements have it, "all_reduce". Throws InputError.
message::Kind kind_named(const std::string& name);

}  // namespace t3sim::model
