#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  t3sim::fuzz::accelsim_kernel({data, bytes});
  return 0;
}
