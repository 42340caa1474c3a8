// t3sim validate rivals: which overlap wins on one machine and shape, by how much, and what stops it (validation/rivals/README.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/points.h"
#include "validation/rivals/cases.h"

namespace t3sim::rivals {

// What separates a run from the longer one of GEMM and communication, each alone. They add up to that. NaN: not told apart from
// another part, which has it.
struct Parts {
  double decomposition_us = 0;  // all kernels alone, one at a time, over the GEMM alone: pieces, and sums
  double lost_cus_us = 0;       // kernels on the CUs that collectives leave, over all of them
  double contention_us = 0;     // the rest of kernels beside others over alone
  double waiting_us = 0;        // launches whose workgroups poll: longer than alone
  double link_us =
      0;  // communication beside no kernel, over what no overlap could hide; stores that links hold up
  double hidden_us = 0;    // negative: communication that the ideal shows and that is behind kernels here
  double launch_us = 0;    // neither, nor a barrier: launches, starts of copies, signals
  double barriers_us = 0;  // neither, with a barrier at the front of a stream
  double tail_us = 0;      // until the last GPU has ended, after the mean one

  double sum_us() const;  // of those that are known
};

// Times in us; bytes of a GPU.
struct Row {
  std::string system, shape, method;
  double links = 1;  // bandwidth of the machine's links, times that of its file
  Pattern pattern = Pattern::scatter;
  std::string hardware;  // that the machine of today has not: "T3", "in-switch"; else empty
  std::string refused;   // why it cannot run there; else empty
  std::string program;   // the candidate that was fastest
  double us = 0, sample_error_us = 0;
  std::uint64_t link_bytes = 0, dram_bytes = 0;  // DRAM of sampled runs as far as they say
  double held_cus = 0;                           // by collectives, in the mean
  double gemm_us = 0, communication_us = 0;      // each alone
  double link_us = 0;                            // what has to be sent, at the links' full rate
  std::optional<Parts> parts;  // none of a formula over runs, nor where a sample does not say them
  std::vector<std::pair<std::string, double>> candidates;  // each with its us

  // Of the same machine, links and shape.
  bool beside(const Row& other) const {
    return system == other.system && shape == other.shape && links == other.links;
  }
  bool alone() const { return method.ends_with(" alone"); }
  bool ideal() const { return method.starts_with("ideal"); }  // a formula, which nothing runs
  bool of_both_alone() const { return method == kIdealOverlap; }
  bool wins_nothing() const { return method == "two-streams"; }  // which reduce another array than the GEMM's
  double bound_us() const { return gemm_us > link_us ? gemm_us : link_us; }
  double ideal_us() const { return gemm_us > communication_us ? gemm_us : communication_us; }
  // Flux, section 2.3: 1: all communication is hidden; 0: as one after the other.
  double efficiency() const { return 1 - (us - gemm_us) / communication_us; }
};

struct Choice {
  std::vector<std::string> systems, shapes, methods;  // names; empty: all, of shapes each system's usual ones
  std::vector<std::string> patterns;                  // "scatter", "gather", "exchange"; empty: all
  bool all = false;                                   // shapes that are not usual too
  bool finished = false;                              // of these, those whose runs are all committed
  bool parts = true;                                  // T3's GEMM alone, too, which its parts need
  std::vector<std::string> overrides;                 // "key=value" of every machine
  std::vector<double> links{1};  // each machine with links of so many times its bandwidth
};

struct Simulated {
  std::vector<Row> rows;
  std::string kept_lines;  // for model::KeptRuns
  std::size_t reused = 0, runs = 0;
};
// Throws InputError for names that are unknown, and where the one method that is asked for can run nowhere.
Simulated simulate(const Choice& choice, const model::PointOptions& options);

struct Report {
  std::string text;                 // for the terminal
  std::string runs_csv;             // a line a method, shape and machine
  std::string winners_csv;          // a line a shape and machine
  std::string candidates_csv;       // a line a candidate of a method
  std::vector<std::string> broken;  // checks that do not hold, a sentence each
  bool passed() const { return broken.empty(); }
};
Report report_of(const std::vector<Row>& rows);

// A sentence for each that does not hold: no time below the bound, the same bytes on links, parts that add up.
std::vector<std::string> broken_checks(const std::vector<Row>& rows);
// The ideal that gaps are counted from, which has none itself, of two rows that were run: it moves and holds what both do.
// `row` has the times of both already. Refused if one of them is.
void finish_ideal_overlap(Row& row, const Row& gemm, const Row& communication);
// T3's stages: the one that overlaps, and the zeros that it adds to, without what comes before and after it in all schemes.
double stage_us(const SchemeResult& scheme);
// Of the parts of a program whose kernels took that long: no CUs are lost where kernels beside others take less than these and
// the fewer CUs explain.
double lost_cus_us(const ProgramParts& of, double kernels_us);
// Of what is said where a configuration is refused: without files and places in them.
std::string reason(const std::string& said);
std::string machine_text(const Row& row);  // with its links, where they are others
const Row* sequential_of(const std::vector<Row>& rows, const Row& row);

}  // namespace t3sim::rivals
