#include "message/schedule.h"

namespace t3sim::message {
namespace {

constexpr std::uint64_t kSmallestSlice = 512;  // a step's share is divided no further

bool all_alike(const Collective& c) {
  if (!c.counts.empty()) return false;
  for (std::uint32_t b = 1; b < c.gpus; ++b)
    if (block_bytes(c, 0, b) != block_bytes(c, 0, 0)) return false;
  return true;
}

}  // namespace

Schedule::Schedule(const Collective& collective, const Plan& plan, const Protocol& protocol,
                   std::uint32_t channels)
    : collective_(collective),
      plan_(plan),
      protocol_(protocol),
      alike_(all_alike(collective)),
      channels_(channels),
      parts_(plan.parts(channels)) {
  const std::uint64_t longest = longest_step();
  rounds_ = static_cast<std::uint32_t>(
      std::max<std::uint64_t>((longest + protocol.chunk_bytes() - 1) / protocol.chunk_bytes(), 1));
}

template <class F>
std::uint64_t Schedule::sum(std::uint32_t gpu, const Slots& slots, F&& of_slot) const {
  if (alike_) return slots.count * of_slot(slot_bytes(collective_, gpu, slots.count ? slots.at(0) : 0));
  std::uint64_t whole = 0;
  for (std::uint32_t i = 0; i < slots.count; ++i) whole += of_slot(slot_bytes(collective_, gpu, slots.at(i)));
  return whole;
}

std::uint64_t Schedule::longest_step() const {
  std::uint64_t longest = 0;
  for (std::uint32_t gpu = 0; gpu < plan_.gpus(); ++gpu) {
    const std::uint32_t end = gpu + 1 < plan_.gpus() ? plan_.first_strand(gpu + 1) : plan_.strands();
    for (std::uint32_t s = plan_.first_strand(gpu); s < end; ++s)
      for (const Step& step : plan_.steps(s))
        longest = std::max(longest, sum(gpu, step.stores ? step.write : step.read,
                                        [&](std::uint64_t bytes) { return cut(bytes, 0, parts_).bytes(); }));
  }
  return longest;
}

std::uint64_t Schedule::bytes(std::uint32_t gpu, const Step& step, std::uint32_t part,
                              std::uint32_t round) const {
  return sum(gpu, step.stores ? step.write : step.read, [&](std::uint64_t bytes) {
    return cut(cut(bytes, part, parts_).bytes(), round, rounds_).bytes();
  });
}

std::uint32_t Schedule::slices(std::uint64_t bytes) const {
  if (bytes == 0) return 0;
  const auto most = std::clamp<std::uint64_t>(bytes / kSmallestSlice, 1, protocol_.slices);
  // Whole lines may leave nothing for the last one.
  return cut(bytes, most - 1, most).bytes() == 0 ? 1 : static_cast<std::uint32_t>(most);
}

}  // namespace t3sim::message
