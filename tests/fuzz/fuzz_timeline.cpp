#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  t3sim::fuzz::timeline({data, bytes});
  return 0;
}
