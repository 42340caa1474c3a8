// Reads an Accel-Sim kernel trace (traceg) thread block by thread block, as a stream.
#pragma once

#include <array>
#include <string>

#include "base/number.h"
#include "base/text_source.h"
#include "trace/import/accelsim/instruction.h"

namespace t3sim::accelsim {

struct KernelHeader {
  std::string name;
  std::array<std::uint32_t, 3> grid{}, block{};   // x, y, z
  std::uint64_t shared_memory_bytes = 0;          // a thread block
  std::uint32_t registers = 0;                    // a thread
  std::uint64_t shared_base = 0, local_base = 0;  // of their windows in the generic address space
  LineFormat format;

  std::uint64_t thread_blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  std::uint64_t threads() const { return std::uint64_t{block[0]} * block[1] * block[2]; }
  std::uint32_t warps() const { return narrow<std::uint32_t>((threads() + kWarpLanes - 1) / kWarpLanes); }
};

class KernelReader {
 public:
  // Reads the head. Throws InputError with file and line, as everything here does.
  explicit KernelReader(const std::filesystem::path& path);

  const KernelHeader& header() const { return header_; }
  const TextSource& source() const { return source_; }

  // The next thread block: visitor.begin_warp(warp), then visitor.instruction(instruction) for each of its
  // instructions, warp by warp. False, without a call, at the end of the file.
  template <class Visitor>
  bool next_block(Visitor& visitor) {
    if (!begin_block()) return false;
    std::uint32_t warp = 0, instructions = 0;
    while (next_warp(warp, instructions)) {
      visitor.begin_warp(warp);
      for (; instructions > 0; --instructions) {
        parse_instruction(line("instruction"), header_.format, source_, instruction_);
        visitor.instruction(instruction_);
      }
    }
    return true;
  }

 private:
  void read_head();
  void read_head_line(std::string_view line);
  void check_head() const;
  bool begin_block();
  // The head of the next warp; false at the end of the block.
  bool next_warp(std::uint32_t& warp, std::uint32_t& instructions);
  // The next line that is not empty, which must be there.
  std::string_view line(const char* what);
  std::uint32_t value_after(std::string_view line, std::string_view key);

  TextSource source_;
  KernelHeader header_;
  Instruction instruction_;
};

}  // namespace t3sim::accelsim
