// t3sim validate rivals: which overlap wins on one machine and shape, by how much, and what stops it (validation/rivals/README.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/points.h"
#include "validation/rivals/cases.h"

namespace t3sim::rivals {

// Times in us.
struct Row {
  std::string system, shape, method;
  Pattern pattern = Pattern::scatter;
  std::string refused;  // why it cannot run there; else empty
  std::string program;  // the candidate that was fastest
  double us = 0, sample_error_us = 0;
  std::uint64_t link_bytes = 0, dram_bytes = 0;  // of a GPU; DRAM of sampled runs as far as they say
  double gemm_us = 0, communication_us = 0;      // each alone
  double link_us = 0;                            // what has to be sent, at the links' full rate
  // What happens beside the GEMM's own time; they add up to us - gemm_us. None where the run does not say (T3's stages).
  struct Parts {
    double kernels_us =
        0;  // longer than the GEMM alone: pieces, contention, CUs that are taken, waiting tiles
    double exposed_us = 0;  // communication beside no kernel
    double idle_us = 0;     // neither: launches, barriers, waiting
  };
  std::optional<Parts> parts;

  double ideal_us() const { return gemm_us > communication_us ? gemm_us : communication_us; }
  // Flux, section 2.3: 1: all communication is hidden; 0: as one after the other.
  double efficiency() const { return 1 - (us - gemm_us) / communication_us; }
};

struct Choice {
  std::vector<std::string> systems, shapes;  // names; empty: all, of shapes the usual ones
  bool all = false;                          // shapes that are not usual too
  std::vector<std::string> overrides;        // "key=value" of every machine
};

// Throws InputError for names that are unknown.
std::vector<Row> simulate(const Choice& choice, const model::PointOptions& options);

struct Report {
  std::string text;                 // for the terminal
  std::string runs_csv;             // a line a method, shape and machine
  std::vector<std::string> broken;  // checks that do not hold, a sentence each
  bool passed() const { return broken.empty(); }
};
Report report_of(const std::vector<Row>& rows);

}  // namespace t3sim::rivals
