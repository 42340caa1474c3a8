// SHA-256, so that a manifest's hashes can be compared with those of sha256sum.
#pragma once

#include <string>
#include <string_view>

namespace t3sim {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace t3sim
