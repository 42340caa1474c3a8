// Imports kernels and keeps what came out.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "trace/import/accelsim/import.h"
#include "trace/temporary.h"
#include "trace/trace_kernel.h"

namespace t3sim::testing_support {

using accelsim::ImportOptions;
using accelsim::ImportSummary;

inline const std::filesystem::path kSamples =
    std::filesystem::path(T3SIM_SOURCE_DIR) / "tests/trace/data/accelsim";

struct Imported {
  ImportSummary summary;
  std::unique_ptr<TraceKernel> kernel;

  std::vector<Group> groups(std::uint32_t workgroup = 0) const {
    std::vector<Group> groups;
    const auto program = kernel->program(workgroup, nullptr);
    for (Group group; program->next(group);) groups.push_back(group);
    return groups;
  }
  // Sectors of all loads or all stores in the trace.
  std::uint64_t sectors(bool stores) const {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < kernel->workgroups(); ++i)
      for (const Group& group : groups(i))
        for (const auto& run : stores ? group.stores : group.loads) bytes += run.bytes;
    return bytes / kSectorBytes;
  }
};

inline Imported import_file(const TemporaryFolder& folder, const std::filesystem::path& kernel,
                            const accelsim::IssueModel& model = {}) {
  ImportOptions options;
  options.model = model;
  options.source = "test";
  options.date = "2026-11-21";
  Imported imported;
  imported.summary = import_kernel(kernel, folder / "out.t3t", options);
  imported.kernel = std::make_unique<TraceKernel>(folder / "out.t3t");
  return imported;
}

inline Imported import_text(const TemporaryFolder& folder, const std::string& text,
                            const accelsim::IssueModel& model = {}) {
  return import_file(folder, write_file(folder / "kernel.traceg", text), model);
}

}  // namespace t3sim::testing_support
