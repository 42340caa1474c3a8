#include "results/timeline/trace_options.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/error.h"
#include "config/units.h"

namespace t3sim {

void set_window(TraceOptions& options, std::string_view window) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("--timeline-window \"{}\": {}", window, why));
  };
  const std::size_t dots = window.find("..");
  if (dots == window.npos) refuse("wants two times since the start of a scheme: \"100 us..300 us\"");
  const std::string_view from = window.substr(0, dots), to = window.substr(dots + 2);
  options.from_ps = 0;
  options.to_ps = ~std::uint64_t{0};
  try {
    if (!from.empty()) options.from_ps = config::parse_quantity(config::kTime, from);
    if (!to.empty()) options.to_ps = config::parse_quantity(config::kTime, to);
  } catch (const std::invalid_argument& e) {
    refuse(e.what());
  }
  if (options.from_ps >= options.to_ps) refuse("ends before it begins");
}

}  // namespace t3sim
