// A GEMM small enough to look at every group and sector of its workgroups.
#pragma once

#include <map>
#include <vector>

#include "kernel/gemm_kernel.h"

namespace t3sim {

inline GemmSpec small_gemm(GemmShape shape = {300, 200, 100}) {
  GemmSpec spec;
  spec.shape = shape;
  spec.place(0);
  return spec;
}

inline std::vector<Group> groups_of(KernelSource& kernel, std::uint32_t workgroup) {
  std::vector<Group> groups;
  const auto program = kernel.program(workgroup, nullptr);
  for (Group group; program->next(group);) groups.push_back(group);
  return groups;
}

inline std::vector<Group> all_groups(KernelSource& kernel) {
  std::vector<Group> all;
  for (std::uint32_t i = 0; i < kernel.workgroups(); ++i)
    for (Group& group : groups_of(kernel, i)) all.push_back(std::move(group));
  return all;
}

// Sectors of the runs, and how often each comes.
inline void count_sectors(const std::vector<Run>& runs, std::map<std::uint64_t, std::uint32_t>& count) {
  for (const Run& run : runs)
    for (std::uint64_t at = run.address; at < run.address + run.bytes; at += kSectorBytes) ++count[at];
}

}  // namespace t3sim
