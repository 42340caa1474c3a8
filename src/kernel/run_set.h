// A regular series of runs: what a trace stores instead of every single run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/program.h"

namespace t3sim {

// Runs i = 0 .. count-1 at address + i * stride, of `bytes` each, by wavefront first_wavefront + i / share.
struct RunSet {
  std::uint64_t address = 0;
  std::int64_t stride = 0;
  std::uint32_t bytes = 0;
  std::uint32_t count = 0;
  std::uint32_t share = 1;  // consecutive runs of one wavefront
  std::uint8_t first_wavefront = 0;
  bool streaming = false;
  bool update = false;

  void append_to(std::vector<Run>& runs) const {
    std::uint64_t at = address;
    std::uint8_t wavefront = first_wavefront;
    for (std::uint32_t i = 0, left = share; i < count;
         ++i, --left, at += static_cast<std::uint64_t>(stride)) {
      if (left == 0) {
        ++wavefront;
        left = share;
      }
      runs.push_back({at, bytes, wavefront, streaming, update});
    }
  }

  // The longest series that `runs`, which is not empty, begins with.
  static RunSet leading(std::span<const Run> runs);

  // All but the address.
  bool same_shape(const RunSet& other) const {
    return stride == other.stride && bytes == other.bytes && count == other.count && share == other.share &&
           first_wavefront == other.first_wavefront && streaming == other.streaming && update == other.update;
  }
};

}  // namespace t3sim
