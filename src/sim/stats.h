// Counters: a component counts in plain fields and names them once, at the end, in its report(). Name, unit and
// meaning stand beside what is counted and nowhere else (docs/extending.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sim/series.h"
#include "sim/time.h"

namespace t3sim {

// What a component says of a counter.
struct Counter {
  static constexpr std::size_t kNotInResults = ~std::size_t{0};

  std::string_view component;  // "l2[12]"
  std::string_view name;
  std::string_view unit;  // "bytes", "cycles", "us", "1", ...
  std::string_view meaning;
  std::size_t place_in_results = kNotInResults;  // in the component's block of results.json
};
using CounterValue = std::variant<std::uint64_t, double>;

// Receives every counter.
class StatsSink {
 public:
  virtual ~StatsSink() = default;
  virtual void add(const Counter& counter, CounterValue value) = 0;

  void count(std::string_view component, std::string_view name, std::uint64_t value, std::string_view unit,
             std::string_view meaning = {}) {
    add({component, name, unit, meaning}, value);
  }
  void real(std::string_view component, std::string_view name, double value, std::string_view unit,
            std::string_view meaning = {}) {
    add({component, name, unit, meaning}, value);
  }
};

// A sink for the counters of one component.
class Counters {
 public:
  // `in_results`: the names of those that results.json has too, in its order.
  Counters(StatsSink& sink, std::string component, const TimeBase& time,
           std::span<const std::string_view> in_results = {})
      : sink_(sink), component_(std::move(component)), time_(time), in_results_(in_results) {}

  void count(std::string_view name, std::uint64_t value, std::string_view meaning) {
    add(name, value, "1", meaning);
  }
  void bytes(std::string_view name, std::uint64_t value, std::string_view meaning) {
    add(name, value, "bytes", meaning);
  }
  void time(std::string_view name, Tick value, std::string_view meaning) {
    add(name, time_.to_us(value), "us", meaning);
  }
  // Each of `parts` alike has this much of it.
  void mean_time(std::string_view name, Tick sum, std::uint64_t parts, std::string_view meaning) {
    add(name, time_.to_us(sum) / static_cast<double>(parts), "us", meaning);
  }
  void add(std::string_view name, CounterValue value, std::string_view unit, std::string_view meaning) {
    std::size_t place = 0;
    while (place < in_results_.size() && in_results_[place] != name) ++place;
    sink_.add({component_, name, unit, meaning, place < in_results_.size() ? place : Counter::kNotInResults},
              value);
  }

 private:
  StatsSink& sink_;
  std::string component_;
  const TimeBase& time_;
  std::span<const std::string_view> in_results_;
};

}  // namespace t3sim
