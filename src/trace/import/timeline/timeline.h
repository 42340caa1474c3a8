// A kernel's timeline measured on a real GPU: when each tile started, left its main loop and had stored its
// output.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernel/gemm.h"

namespace t3sim {

struct TimedTile {
  std::uint32_t tile_row = 0, tile_col = 0;
  std::uint32_t cu = 0;
  std::uint64_t start_ns = 0, mainloop_end_ns = 0, end_ns = 0;  // from the kernel's first start
};

struct Timeline {
  std::string case_name;
  std::vector<TimedTile> tiles;  // in order of dispatch

  std::uint64_t end_ns() const;             // of the last store
  std::uint32_t workgroups_per_cu() const;  // the most that ran on a CU at a time
};

// The rows of one case of a CSV file with the columns case, wg, tile_m, tile_n, cu, start_ns,
// mainloop_end_ns, end_ns. An empty name means the only case there is. Throws InputError.
Timeline read_timeline(const std::filesystem::path& path, const std::string& case_name);
// The names of its cases.
std::vector<std::string> timeline_cases(const std::filesystem::path& path);

// Shape, tile, order, wavefronts and buffers of a case, from a CSV file with the columns case, M, N, K, BM,
// BN, BK, group_m, warps, stages.
GemmSpec read_timeline_gemm(const std::filesystem::path& path, const std::string& case_name);

}  // namespace t3sim
