// Memory microbenchmarks measured on real GPUs against the same kernels on simulated ones.
#pragma once

#include <string>
#include <vector>

#include "machine/config.h"
#include "results/progress.h"

namespace t3sim {

// A measured row beside our number.
struct MembenchRow {
  std::string gpu, test, param, unit;
  double measured = 0;
  double ours = 0;
  double difference_pct = 0;
  bool gate = false;  // must be within kMembenchGatePct
  bool passed() const { return !gate || (difference_pct <= 7 && difference_pct >= -7); }
};
inline constexpr double kMembenchGatePct = 7;

struct MembenchValidation {
  std::vector<MembenchRow> rows;
  std::vector<std::string> not_simulated;  // rows left out, and why
  bool passed() const;
};

// `csv_files`: with the columns gpu, test, param, value, unit. `machines`: configurations; a row belongs to
// the machine whose gpu.name its GPU begins with. Streams of fewer than 264 blocks are left out, as they
// measure how many loads a thread has in flight; so are footprints near the L2's size, which depend on how
// its two halves share them. Throws InputError.
MembenchValidation validate_membench(const std::vector<std::string>& csv_files,
                                     const std::vector<Config>& machines, Progress& progress);

std::string membench_csv(const MembenchValidation& validation);
std::string membench_markdown(const MembenchValidation& validation);

}  // namespace t3sim
