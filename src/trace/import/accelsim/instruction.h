// One line of an Accel-Sim kernel trace: an instruction of a warp.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/number.h"
#include "base/text_source.h"

namespace t3sim::accelsim {

inline constexpr unsigned kWarpLanes = 32;
inline constexpr std::uint16_t kZeroRegister = 255;  // RZ: never waits, never pends

// How the lines of a file are written.
struct LineFormat {
  unsigned tracer_version = 5;  // before 3, lines begin with thread block and warp
  bool has_line_info = false;   // lines begin with the number of a source line
};

// Registers of an instruction, at most as many as a line may have.
class Registers {
 public:
  static constexpr unsigned kMax = 16;
  void clear() { count_ = 0; }
  bool full() const { return count_ == kMax; }
  void add(std::uint16_t number) { numbers_[count_++] = number; }
  const std::uint16_t* begin() const { return numbers_.data(); }
  const std::uint16_t* end() const { return numbers_.data() + count_; }

 private:
  std::array<std::uint16_t, kMax> numbers_{};
  unsigned count_ = 0;
};

struct Instruction {
  std::string_view opcode;  // lasts as long as the line
  std::uint32_t mask = 0;   // active lanes
  Registers destinations, sources;
  bool has_addresses = false;
  std::array<std::uint64_t, kWarpLanes> addresses{};  // of the active lanes, lowest lane first
  std::uint64_t immediate = 0;

  unsigned active() const { return narrow<unsigned>(__builtin_popcount(mask)); }
};

// Reads `line`, the last one of `source`, which also reports what is wrong with it.
void parse_instruction(std::string_view line, const LineFormat& format, const TextSource& source,
                       Instruction& instruction);

}  // namespace t3sim::accelsim
