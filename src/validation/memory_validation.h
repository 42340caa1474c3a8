// t3sim validate memory: the reference channel against DRAMsim3 and Ramulator 2.1 on the same traces, and
// against closed forms (validation/memory/README.md).
#pragma once

#include <string>
#include <vector>

#include "memctrl/config.h"

namespace t3sim {

// One quantity, ours beside what it is held against.
struct MemoryRow {
  std::string id;  // "a_seq_read.bandwidth"
  double ours = 0;
  double lowest = 0;  // of the references, or the closed form twice
  double highest = 0;
  double from = 0;  // what is accepted; both 0: only reported
  double to = 0;
  std::string unit;

  bool gate() const { return from != 0 || to != 0; }
  bool passed() const { return !gate() || (ours >= from && ours <= to); }
};

// What a trace costs to simulate, and what it cost the references.
struct MemorySpeed {
  std::string trace;
  double ours_requests_per_s = 0;  // median
  double lowest = 0, highest = 0;  // of the references' medians
};

struct MemoryValidation {
  std::vector<MemoryRow> rows;
  std::vector<MemorySpeed> speeds;
  std::vector<std::string> violations;  // found by the protocol checker, if any
  std::uint64_t commands_checked = 0;

  bool passed() const;
};

// `data`: folder with results.csv and the traces it names. Speed is measured `repeats` times.
MemoryValidation validate_memory(const MemoryConfig& memory, const std::string& data, unsigned repeats);

// summary.csv, speed.csv, and both as a page.
std::string memory_summary_csv(const MemoryValidation& validation);
std::string memory_speed_csv(const MemoryValidation& validation);
std::string memory_markdown(const MemoryValidation& validation);

}  // namespace t3sim
