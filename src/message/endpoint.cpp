#include "message/endpoint.h"

#include <algorithm>

#include "base/error.h"

namespace t3sim::message {

Endpoint Endpoint::by_rate(Picoseconds slice, std::uint64_t Bps) {
  constexpr std::uint64_t kLong = 1 << 30;
  __extension__ using Wide = unsigned __int128;
  const auto moved =
      Bps == 0 ? Picoseconds{0} : static_cast<Picoseconds>(Wide{kLong} * 1'000'000'000'000 / Bps);
  Endpoint e;
  for (std::uint32_t pass = 1; pass < kPasses; ++pass) e.set(pass, {{0, slice}, {kLong, slice + moved}});
  return e;
}

Picoseconds Endpoint::time(std::uint32_t pass, std::uint64_t bytes) const {
  const Curve& curve = curves_[pass];
  if (curve.empty()) throw CheckError("an endpoint was asked for a pass that it does not know");
  if (curve.size() == 1) return curve[0].time;
  auto above = std::ranges::lower_bound(curve, bytes, {}, &Point::bytes);
  if (above == curve.end()) --above;
  if (above == curve.begin()) {
    if (bytes <= above->bytes && curve.size() > 1 && above->bytes != 0) return above->time;
    ++above;
  }
  const Point &a = *(above - 1), &b = *above;
  __extension__ using Wide = __int128;
  const Wide rise = static_cast<Wide>(b.time) - static_cast<Wide>(a.time);
  const Wide more = static_cast<Wide>(bytes) - static_cast<Wide>(a.bytes);
  return static_cast<Picoseconds>(static_cast<Wide>(a.time) +
                                  rise * more / static_cast<Wide>(b.bytes - a.bytes));
}

}  // namespace t3sim::message
