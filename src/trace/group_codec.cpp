#include "trace/group_codec.h"

#include <fmt/format.h>

#include "base/error.h"

namespace t3sim {
namespace {

void encode_set(const RunSet& set, const RunSet* previous, std::vector<std::uint8_t>& out) {
  const bool same = previous != nullptr && set.same_shape(*previous);
  const std::uint64_t from = previous != nullptr ? previous->address : 0;
  put_varint(out, same ? RunSetBits::same_shape
                       : (set.streaming ? RunSetBits::streaming : 0) | (set.update ? RunSetBits::update : 0));
  put_varint(out, zigzag(static_cast<std::int64_t>(set.address - from)));
  if (same) return;
  put_varint(out, set.bytes);
  put_varint(out, set.count);
  put_varint(out, zigzag(set.stride));
  put_varint(out, set.first_wavefront);
  put_varint(out, set.share);
}

void check(const Run& run) {
  if (run.bytes == 0 || run.bytes > kMaxRunBytes)
    throw InputError(fmt::format("trace: a run of {} bytes: it must have 1 to {}", run.bytes, kMaxRunBytes));
  if (run.wavefront >= kMaxWavefronts)
    throw InputError(
        fmt::format("trace: wavefront {}: a workgroup has at most {}", run.wavefront, kMaxWavefronts));
}

}  // namespace

void GroupEncoder::encode_runs(const std::vector<Run>& runs, std::vector<RunSet>& previous,
                               std::vector<std::uint8_t>& out) {
  if (runs.size() > kMaxRunsPerGroup)
    throw InputError(fmt::format("trace: {} runs in a group: at most {}", runs.size(), kMaxRunsPerGroup));
  for (const Run& run : runs) check(run);
  sets_.clear();
  for (std::span<const Run> rest(runs); !rest.empty(); rest = rest.subspan(sets_.back().count))
    sets_.push_back(RunSet::leading(rest));
  put_varint(out, sets_.size());
  for (std::size_t i = 0; i < sets_.size(); ++i)
    encode_set(sets_[i], i < previous.size() ? &previous[i] : nullptr, out);
  previous = sets_;
}

void GroupEncoder::encode(const Group& group, std::vector<std::uint8_t>& out) {
  std::uint64_t bits = 0;
  const auto changed = [&](std::uint64_t bit, auto value, auto known) { bits |= value != known ? bit : 0; };
  changed(GroupBits::matrix, group.matrix_flops, state_.matrix_flops);
  changed(GroupBits::useful, group.useful_flops, state_.useful_flops);
  changed(GroupBits::cycles, group.cycles, state_.cycles);
  changed(GroupBits::tile, group.tile, state_.tile);
  changed(GroupBits::time, group.not_before_ps, state_.not_before_ps);
  if (group.delay_cycles != 0) bits |= GroupBits::delay;
  if (group.wait) bits |= GroupBits::wait;
  if (!group.loads.empty()) bits |= GroupBits::loads;
  if (!group.stores.empty()) bits |= GroupBits::stores;

  put_varint(out, bits);
  if (bits & GroupBits::matrix) put_varint(out, state_.matrix_flops = group.matrix_flops);
  if (bits & GroupBits::useful) put_varint(out, state_.useful_flops = group.useful_flops);
  if (bits & GroupBits::cycles) put_varint(out, state_.cycles = group.cycles);
  if (bits & GroupBits::tile) put_varint(out, (state_.tile = group.tile) + 1);  // kNoTile becomes 0
  if (bits & GroupBits::time) {
    put_varint(out, zigzag(static_cast<std::int64_t>(group.not_before_ps - state_.not_before_ps)));
    state_.not_before_ps = group.not_before_ps;
  }
  if (group.wait) {
    put_varint(out, group.wait_step);
    put_varint(out, group.wait_tile);
  }
  if (group.delay_cycles != 0) put_varint(out, group.delay_cycles);
  if (!group.loads.empty()) encode_runs(group.loads, state_.loads, out);
  if (!group.stores.empty()) encode_runs(group.stores, state_.stores, out);
}

}  // namespace t3sim
