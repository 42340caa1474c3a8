// Requests of CUs that are made once for several.
//
// Between a group of CUs (a GPC) and the L2 sits a coalescer: what one CU of the group has asked for and is still on its way
// from memory, another one that asks for it gets with it, and the L2 sees one request. What the L2 has is asked for again:
// CUs do not keep step within the time of a hit. (NVIDIA's L2 Request Coalescer; which CUs share one is not published. So,
// by GPC, the L2 reads of cuBLAS's kernels come out, where operands come from memory and where the L2 has them.)
#include "gpu/l2_slice.h"

namespace t3sim {
namespace {

constexpr unsigned kCusTogether = 2;  // dealt to a group: a TPC

}  // namespace

std::uint8_t L2Slice::coalescer_of(const Request& request) const {
  return static_cast<std::uint8_t>(1U << (request.source / kCusTogether % config_.coalescers));
}

bool L2Slice::joins(const Request& request, std::uint32_t entry, Tick now) const {
  if (request.source >= cus_) return false;
  const UnderWay& u = under_way_[entry];
  return u.until > now && (u.coalescers & coalescer_of(request)) != 0 && (request.sectors & ~u.sectors) == 0;
}

// Sectors have been asked for in memory. Until when they are under way, note_fill() says.
void L2Slice::note(const Request& request, std::uint32_t entry, Tick now) {
  if (request.source >= cus_) return;
  UnderWay& u = under_way_[entry];
  if (u.until <= now) u = {kNever, request.sectors, 0};
  u.until = kNever;
  u.sectors &= request.sectors;
  u.coalescers = static_cast<std::uint8_t>(u.coalescers | coalescer_of(request));
}

}  // namespace t3sim
