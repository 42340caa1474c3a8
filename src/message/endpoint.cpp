#include "message/endpoint.h"

#include "base/error.h"

namespace t3sim::message {
namespace {

__extension__ using Wide = __int128;

}  // namespace

Endpoint Endpoint::by_rate(Picoseconds slice, std::uint64_t Bps) {
  constexpr std::uint64_t kLong = 1 << 30;
  const auto moved =
      Bps == 0 ? Picoseconds{0} : static_cast<Picoseconds>(Wide{kLong} * 1'000'000'000'000 / Bps);
  Endpoint e;
  for (std::uint32_t pass = 1; pass < kPasses; ++pass) e.set(pass, {{0, slice}, {kLong, slice + moved}});
  return e;
}

void Endpoint::set(std::uint32_t pass, const Curve& curve) {
  std::vector<Line>& lines = lines_[pass];
  lines.clear();
  for (std::size_t i = 0; i < curve.size(); ++i) {
    lines.push_back({curve[i], lines.empty() ? 0 : lines.back().rise});  // beyond the last one as before it
    if (i + 1 == curve.size()) break;
    const auto more = static_cast<Wide>(curve[i + 1].time) - static_cast<Wide>(curve[i].time);
    lines.back().rise = static_cast<std::int64_t>((more << 32) / (curve[i + 1].bytes - curve[i].bytes));
  }
}

Picoseconds Endpoint::time(std::uint32_t pass, std::uint64_t bytes) const {
  const std::vector<Line>& lines = lines_[pass];
  if (lines.empty()) throw CheckError("an endpoint was asked for a pass that it does not know");
  std::size_t i = 0;
  while (i + 1 < lines.size() && lines[i + 1].from.bytes <= bytes) ++i;
  const Line& line = lines[i];
  if (bytes <= line.from.bytes) return line.from.time;
  return line.from.time +
         static_cast<Picoseconds>(static_cast<Wide>(bytes - line.from.bytes) * line.rise >> 32);
}

Picoseconds Endpoint::held_up(std::uint32_t pass, std::uint64_t bytes, std::uint32_t lanes) const {
  const WriteBacks& w = write_backs;
  const HeldUp& times = (pass & 2) != 0 ? w.receives : w.sends;
  const auto rise = static_cast<Wide>(times.beside) - static_cast<Wide>(times.alone);
  const Wide slice = static_cast<Wide>(times.alone) + rise * (lanes - 1) / (w.lanes - 1);
  return slice <= 0 ? 0 : static_cast<Picoseconds>(slice * bytes / w.bytes);
}

}  // namespace t3sim::message
