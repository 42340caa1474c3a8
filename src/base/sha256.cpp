#include "base/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <new>

namespace t3sim {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, 32> hash{};
  if (EVP_Digest(bytes.data(), bytes.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw std::bad_alloc();  // the only way in which it can fail
  std::string hex;
  for (const unsigned byte : hash) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

}  // namespace t3sim
