#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace t3sim::config {

// What a value of the file is not; the reader adds where it stands.
[[noreturn]] inline void invalid_value(std::string message) {
  throw std::invalid_argument(std::move(message));
}

}  // namespace t3sim::config
