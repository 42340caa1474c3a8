#include "runtime/phase_paces.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"
#include "runtime/alone.h"

namespace t3sim {

PhasePaces::PhasePaces(const Config& config, const program::Program& program)
    : commands_(program.gpus[0].commands), gemms_(commands_.size()), companies_(config, program) {}

void PhasePaces::note_gemm(std::uint32_t command, bool brief, const Paces::AllDram& alone) {
  gemms_[command] = {brief, alone};
}

Paces PhasePaces::of(const std::vector<std::uint32_t>& commands) {
  std::vector<Member> members;
  for (const std::uint32_t c : commands) members.push_back({c, gemms_[c].brief});
  return companies_.paces(members);
}

bool PhasePaces::waits_for_tail(std::uint32_t kernel, std::uint32_t gemm) {
  const Paces paces = of({gemm, kernel});
  if (paces.bytes_per_us[1] <= 0) return true;
  return paces.place_us[1] > 0 && !has_first_place(commands_[kernel], commands_[gemm]);
}

std::vector<double> PhasePaces::speeds(const std::vector<std::uint32_t>& commands, const Paces& paces) {
  std::vector<double> speeds;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    speeds.push_back(paces.bytes_per_us[i]);
    if (!gemm(commands[i])) continue;
    const double alone = of({commands[i]}).bytes_per_us[0];
    if (alone <= 0) throw CheckError(fmt::format("{}: alone it does not go on", commands_[commands[i]].name));
    speeds.back() /= alone;
  }
  return speeds;
}

PhasePaces::Going PhasePaces::side_by_side(const std::vector<std::uint32_t>& commands) {
  if (commands.empty()) return {};
  if (commands.size() == 1 && gemm(commands[0])) return {{1}, gemms_[commands[0]].alone};
  const Paces paces = of(commands);
  return {speeds(commands, paces), paces.dram};
}

bool PhasePaces::has_place_apart(std::uint32_t command, const std::vector<std::uint32_t>& commands) {
  if (!std::holds_alternative<program::Launch>(commands_[command].action) || gemm(command)) return false;
  return std::ranges::any_of(
      commands, [&](std::uint32_t other) { return gemm(other) && waits_for_tail(command, other); });
}

// A kernel that a short run beside the GEMM has waiting for a place has one here: in the GEMM's tail, or since before the GEMM.
// It goes on as without the GEMM, and all others as without it.
PhasePaces::Going PhasePaces::going(const std::vector<std::uint32_t>& commands) {
  std::vector<std::uint32_t> placed, others, no_gemms;
  for (const std::uint32_t c : commands) (has_place_apart(c, commands) ? placed : others).push_back(c);
  if (placed.empty()) return side_by_side(commands);
  for (const std::uint32_t c : commands)
    if (!gemm(c)) no_gemms.push_back(c);
  const Going of_placed = side_by_side(no_gemms), of_others = side_by_side(others);
  Going all{{}, of_others.dram};
  for (const std::uint32_t c : commands) {
    const bool apart = std::ranges::find(placed, c) != placed.end();
    const std::vector<std::uint32_t>& in = apart ? no_gemms : others;
    all.speed.push_back((apart ? of_placed : of_others)
                            .speed[static_cast<std::size_t>(std::ranges::find(in, c) - in.begin())]);
  }
  const Going by_themselves = side_by_side(placed);
  for (std::size_t t = 0; t < kTraffics; ++t) {
    all.dram[t].read += by_themselves.dram[t].read;
    all.dram[t].written += by_themselves.dram[t].written;
  }
  return all;
}

std::optional<Contention> PhasePaces::contention(const std::vector<std::uint32_t>& commands,
                                                 const std::vector<double>& speed) {
  std::vector<std::uint32_t> communication;
  double of_gemm = 0, pace = 0, pace_alone = 0;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (communicates(commands_[commands[i]].action))
      communication.push_back(commands[i]), pace += speed[i];
    else if (gemm(commands[i]) && of_gemm == 0)
      of_gemm = speed[i];
    else
      return std::nullopt;
  }
  if (communication.empty() || of_gemm == 0) return std::nullopt;
  for (const double alone : of(communication).bytes_per_us) pace_alone += alone;
  return Contention{1 / of_gemm, ratio(pace_alone, pace)};
}

}  // namespace t3sim
