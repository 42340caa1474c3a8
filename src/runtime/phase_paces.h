// How fast commands of a phase go on together (runtime/phases.h): what short runs of them say, and who has a place apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/sampling.h"
#include "runtime/seen_companies.h"

namespace t3sim {

class PhasePaces {
 public:
  // Both outlive it.
  PhasePaces(const Config& config, const program::Program& program);

  // Commands under way, in any order: what is left of each becomes less at this speed, bytes per us or, of a GEMM, us of its own
  // time per us.
  struct Going {
    std::vector<double> speed;
    Paces::AllDram dram{};  // of all of them
  };
  // A GEMM is under way: whether it is brief (Member), and what it moves by itself. Before any company with it is asked for.
  void note_gemm(std::uint32_t command, bool brief, const Paces::AllDram& alone);

  // By a short run of them, or of such as them.
  Paces of(const std::vector<std::uint32_t>& commands);
  // Throws CheckError if a GEMM among them does not go on by itself.
  Going going(const std::vector<std::uint32_t>& commands);
  // Beside the GEMM this kernel finds no place before all workgroups of the GEMM have one.
  bool waits_for_tail(std::uint32_t kernel, std::uint32_t gemm);
  // What they cost each other, if they are one GEMM and communication, and nothing else.
  std::optional<Contention> contention(const std::vector<std::uint32_t>& commands,
                                       const std::vector<double>& speed);

  const SeenCompanies& companies() const { return companies_; }

 private:
  struct Gemm {
    bool brief = false;
    Paces::AllDram alone{};
  };

  const program::GemmBody* gemm(std::uint32_t command) const { return gemm_of(commands_[command]); }
  std::vector<double> speeds(const std::vector<std::uint32_t>& commands, const Paces& paces);
  Going side_by_side(const std::vector<std::uint32_t>& commands);
  bool has_place_apart(std::uint32_t command, const std::vector<std::uint32_t>& commands);

  const std::vector<program::Command>& commands_;  // of GPU 0
  std::vector<Gemm> gemms_;                        // by command
  SeenCompanies companies_;
};

}  // namespace t3sim
