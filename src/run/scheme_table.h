// Schemes as small descriptions over shared phases (DESIGN: schemes), for the collective of the
// configuration.
#pragma once

#include <string>
#include <vector>

#include "machine/phase.h"
#include "run/collectives.h"

namespace t3sim {

struct SchemePhase {
  Phase phase;
  std::string name;         // for people and stats.csv
  std::string time_key;     // of results.json
  bool overlapped = false;  // only the longest of these counts
};

// A scheme: the phases that its numbers come from. Its time is the sum of those that are not overlapped and
// the longest of those that are.
struct Scheme {
  SchemeId id;
  bool computed = false;  // a formula over runs of other schemes
  std::vector<SchemePhase> phases;
};

class SchemeTable {
 public:
  // Throws InputError when the collective's plan cannot be.
  explicit SchemeTable(const Config& config);

  Scheme scheme(SchemeId id) const;
  const Collectives& collectives() const { return collectives_; }
  // Are there phases beside those of GEMM and collective?
  bool has_other_traffic() const;
  // What --explain prints.
  std::string explanation() const;
  // Key under which the exchange is reported: "rs", "ag" or "a2a".
  std::string exchange_key() const;

 private:
  SchemePhase gemm() const;
  SchemePhase kernel() const;
  SchemePhase fused(ArbitrationKind arbitration) const;
  SchemePhase by_dma() const;
  ArbitrationKind policy(ArbitrationKind of_scheme) const;
  Phase phase(PhaseKind kind) const;

  // Puts a phase that writes zeros before each that adds to memory.
  void add_zeroing(Scheme& scheme) const;
  std::shared_ptr<const KernelPlan> zeros_before(const Phase& phase) const;
  SchemePhase local_kernel(std::shared_ptr<const KernelPlan> steps, const char* name, const char* key) const;
  void make_local_kernels();

  const Config& config_;
  Collectives collectives_;
  // Null where there is none.
  std::shared_ptr<const KernelPlan> zeros_fused_, zeros_dma_, zeros_gemm_;
  std::shared_ptr<const KernelPlan> following_, following_fused_, following_dma_;
};

}  // namespace t3sim
