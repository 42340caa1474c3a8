// Kernel traces in Accel-Sim's format, written by hand.
#pragma once

#include <string>
#include <vector>

namespace t3sim::testing_support {

// Instructions by warp.
using WarpTexts = std::vector<std::string>;

inline std::string accelsim_head(unsigned blocks, unsigned warps, unsigned tracer_version = 5,
                                 unsigned line_info = 0) {
  return "-kernel name = hand_written\n-kernel id = 1\n-grid dim = (" + std::to_string(blocks) +
         ",1,1)\n-block dim = (" + std::to_string(32 * warps) +
         ",1,1)\n-shmem = 4096\n-nregs = 32\n-binary version = 70\n-cuda stream id = 0\n"
         "-shmem base_addr = 0x00007fff00000000\n-local mem base_addr = 0x00007ffe00000000\n-nvbit version = "
         "1.5.5\n"
         "-accelsim tracer version = " +
         std::to_string(tracer_version) + "\n-enable lineinfo = " + std::to_string(line_info) +
         "\n\n#traces format = [line_num] PC mask dest_num ...\n\n";
}

inline std::string accelsim_block(const WarpTexts& warps) {
  std::string text = "#BEGIN_TB\n\nthread block = 0,0,0\n";
  for (std::size_t w = 0; w < warps.size(); ++w) {
    std::size_t lines = 0;
    for (const char c : warps[w]) lines += c == '\n';
    text += "\nwarp = " + std::to_string(w) + "\ninsts = " + std::to_string(lines) + "\n" + warps[w];
  }
  return text + "\n#END_TB\n";
}

// A block of one warp and nothing else.
inline std::string accelsim_kernel(const std::string& instructions) {
  return accelsim_head(1, 1) + accelsim_block({instructions});
}

}  // namespace t3sim::testing_support
