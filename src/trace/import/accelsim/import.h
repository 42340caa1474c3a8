// Imports kernels that Accel-Sim's tracer recorded on a real GPU.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/import/accelsim/block_builder.h"
#include "trace/trace_header.h"

namespace t3sim::accelsim {

struct ImportOptions {
  IssueModel model;
  std::string name;  // for the head of the trace: the kernel's own if empty
  std::string source;
  std::string date;
  // The GEMM that the kernel is known to be: its stores are then those of tiles (declared_gemm.h).
  std::optional<GemmSpec> gemm;
  // Called now and then with the bytes of the file read so far and in all.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
};

struct ImportSummary {
  BlockCounts counts;
  std::uint64_t thread_blocks = 0;
  std::uint64_t text_bytes = 0;  // of the trace, decompressed
};

// The kernel files that a kernelslist.g names, in order. A file that is not there under its name is looked
// for with .gz and .xz behind it.
std::vector<std::filesystem::path> kernels_of_list(const std::filesystem::path& list);

// `kernel` is a .traceg file, plain or packed. Memory: below 200 MB, whatever its size. Throws InputError.
ImportSummary import_kernel(const std::filesystem::path& kernel, const std::filesystem::path& trace,
                            const ImportOptions& options);

}  // namespace t3sim::accelsim
