#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/error.h"

namespace t3sim::report {

// Throws InputError: what lies at `where` is no result to report.
[[noreturn]] inline void refuse(const std::string& where, std::string_view why) {
  throw InputError(fmt::format("{}: {}", where, why));
}

}  // namespace t3sim::report
