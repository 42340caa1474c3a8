// A workgroup's groups as bytes (traces/FORMAT.md, "Group"). What repeats from group to group costs next to
// nothing: numbers are written when they change, run sets as the distance from the set in the same place one
// group earlier.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/number.h"
#include "kernel/program.h"
#include "kernel/run_set.h"
#include "trace/varint.h"

namespace t3sim {

// Runs of one group, loads or stores: a limit that keeps a damaged file from filling memory.
inline constexpr std::uint32_t kMaxRunsPerGroup = 1U << 20;
inline constexpr std::uint32_t kMaxRunBytes = 1U << 20;
inline constexpr std::uint32_t kMaxWavefronts = 64;  // a workgroup

// The bits that open a group.
struct GroupBits {
  static constexpr std::uint64_t loads = 1, stores = 2, matrix = 4, useful = 8, cycles = 16, tile = 32,
                                 time = 64, wait = 128, delay = 256, all = 511;
};
// The bits that open a run set.
struct RunSetBits {
  static constexpr std::uint64_t same_shape = 1, streaming = 2, update = 4, all = 7;
};

// What encoder and decoder remember from the previous group of the same workgroup.
struct GroupState {
  std::vector<RunSet> loads, stores;
  std::uint64_t matrix_flops = 0, useful_flops = 0, not_before_ps = 0;
  std::uint32_t tile = kNoTile, cycles = 0;

  void clear() {
    loads.clear();
    stores.clear();
    matrix_flops = useful_flops = not_before_ps = 0;
    tile = kNoTile;
    cycles = 0;
  }
};

class GroupEncoder {
 public:
  void begin_workgroup() { state_.clear(); }
  // Appends the group to `out`. Throws InputError for more runs than a group may have.
  void encode(const Group& group, std::vector<std::uint8_t>& out);

 private:
  void encode_runs(const std::vector<Run>& runs, std::vector<RunSet>& previous,
                   std::vector<std::uint8_t>& out);
  GroupState state_;
  std::vector<RunSet> sets_;
};

// Source: a stream of bytes with byte() and fail(), see varint.h.
template <class Source>
class GroupDecoder {
 public:
  void begin_workgroup() { state_.clear(); }

  void decode(Source& in, Group& group) {
    group.clear();
    const std::uint64_t bits = get_varint(in);
    if (bits > GroupBits::all) in.fail("unknown bits at the start of a group");
    if (bits & GroupBits::matrix) state_.matrix_flops = get_varint(in);
    if (bits & GroupBits::useful) state_.useful_flops = get_varint(in);
    if (bits & GroupBits::cycles) state_.cycles = get_u32(in);
    if (bits & GroupBits::tile) state_.tile = get_u32(in) - 1;
    if (bits & GroupBits::time) state_.not_before_ps += static_cast<std::uint64_t>(unzigzag(get_varint(in)));
    group.matrix_flops = state_.matrix_flops;
    group.useful_flops = state_.useful_flops;
    group.cycles = state_.cycles;
    group.tile = state_.tile;
    group.not_before_ps = state_.not_before_ps;
    if ((group.wait = (bits & GroupBits::wait) != 0)) {
      group.wait_step = get_u32(in);
      group.wait_tile = get_u32(in);
    }
    if (bits & GroupBits::delay) group.delay_cycles = get_u32(in);
    if (bits & GroupBits::loads) decode_runs(in, state_.loads, group.loads);
    if (bits & GroupBits::stores) decode_runs(in, state_.stores, group.stores);
  }

 private:
  static std::uint32_t get_u32(Source& in) {
    const std::uint64_t value = get_varint(in);
    if (value > ~0U) in.fail("a number of more than 32 bits where at most 32 are allowed");
    return narrow<std::uint32_t>(value);
  }

  // `sets` holds the sets of the previous group that had any: each is replaced by the one in the same place.
  void decode_runs(Source& in, std::vector<RunSet>& sets, std::vector<Run>& runs) {
    const std::uint64_t count = get_varint(in);
    if (count > kMaxRunsPerGroup) in.fail("too many run sets in a group");
    const std::size_t known = sets.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i >= known) sets.push_back({});
      decode_set(in, sets[i], i < known);
      if (runs.size() + sets[i].count > kMaxRunsPerGroup) in.fail("too many runs in a group");
      sets[i].append_to(runs);
    }
    sets.resize(narrow<std::size_t>(count));
  }

  void decode_set(Source& in, RunSet& set, bool has_previous) {
    const std::uint64_t bits = get_varint(in);
    if (bits > RunSetBits::all) in.fail("unknown bits at the start of a run set");
    set.address += static_cast<std::uint64_t>(unzigzag(get_varint(in)));
    if (bits & RunSetBits::same_shape) {
      if (!has_previous) in.fail("a run set refers to an earlier one that is not there");
      return;
    }
    set.streaming = (bits & RunSetBits::streaming) != 0;
    set.update = (bits & RunSetBits::update) != 0;
    set.bytes = get_u32(in);
    set.count = get_u32(in);
    set.stride = unzigzag(get_varint(in));
    const std::uint32_t wavefront = get_u32(in);
    set.share = get_u32(in);
    check_shape(in, set, wavefront);
    set.first_wavefront = narrow<std::uint8_t>(wavefront);
  }

  static void check_shape(Source& in, const RunSet& set, std::uint32_t wavefront) {
    if (set.bytes == 0) in.fail("a run of 0 bytes");
    if (set.bytes > kMaxRunBytes) in.fail("a run of more than 1 MiB");
    if (set.count == 0) in.fail("a run set of 0 runs");
    if (set.share == 0) in.fail("a run set of 0 runs a wavefront");
    if (wavefront + std::uint64_t{set.count - 1} / set.share >= kMaxWavefronts)
      in.fail("a wavefront beyond 63");
  }

  GroupState state_;
};

}  // namespace t3sim
