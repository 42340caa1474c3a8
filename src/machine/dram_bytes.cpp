#include "machine/dram_bytes.h"

#include <fmt/format.h>

namespace t3sim {

std::string to_string(const DramBytes& bytes) {
  std::string text;
  for (int t = 0; t < kTraffics; ++t) {
    const auto traffic = static_cast<Traffic>(t);
    text += fmt::format("{}{} read {} written {}", t == 0 ? "" : ", ", to_string(traffic),
                        bytes.read(traffic), bytes.written(traffic));
  }
  return text;
}

}  // namespace t3sim
