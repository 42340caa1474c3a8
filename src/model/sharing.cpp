#include "model/sharing.h"

#include <algorithm>
#include <cmath>

namespace t3sim::model {
namespace {

constexpr double kRounding = 1e-9;

struct Load {
  double growing = 0, fixed = 0;  // share of those whose speed still grows; of the others, at their speed
};

}  // namespace

void Sharing::add(std::uint32_t operation, Picoseconds now, Picoseconds time, const LinkShares& shares) {
  advance(now);
  flows_.push_back({operation, static_cast<double>(time), 1, &shares});
  share();
}

Picoseconds Sharing::next_end() const {
  double first = -1;
  for (const Flow& f : flows_) {
    const double time = std::max(f.left, 0.0) / f.speed;
    if (first < 0 || time < first) first = time;
  }
  return first < 0 ? ~Picoseconds{0} : at_ + static_cast<Picoseconds>(std::ceil(first - kRounding));
}

std::vector<std::uint32_t> Sharing::end_at(Picoseconds now) {
  advance(now);
  std::vector<std::uint32_t> ended;
  for (const Flow& f : flows_)
    if (f.left <= 0.5 * f.speed) ended.push_back(f.operation);  // half a picosecond
  if (ended.empty()) return ended;
  std::erase_if(flows_, [](const Flow& f) { return f.left <= 0.5 * f.speed; });
  share();
  return ended;
}

void Sharing::advance(Picoseconds now) {
  for (Flow& f : flows_) f.left -= static_cast<double>(now - at_) * f.speed;
  at_ = now;
}

// All speeds grow alike; where a link is full, those that use it stay as they are.
void Sharing::share() {
  for (Flow& f : flows_) f.speed = 1;
  if (flows_.size() < 2) return;
  std::vector<bool> grows(flows_.size(), true);
  for (double speed = 0; speed < 1;) {
    std::unordered_map<std::uint32_t, Load> loads;
    for (std::size_t i = 0; i < flows_.size(); ++i)
      for (const auto& [link, part] : *flows_[i].shares)
        (grows[i] ? loads[link].growing : loads[link].fixed) += grows[i] ? part : part * flows_[i].speed;
    double full = 1;
    for (const auto& [link, load] : loads)
      if (load.growing > 0) full = std::min(full, std::max(1 - load.fixed, 0.0) / load.growing);
    speed = std::max(full, speed);
    if (speed >= 1) return;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      if (!grows[i]) continue;
      grows[i] = std::ranges::none_of(*flows_[i].shares, [&](const auto& use) {
        const Load& load = loads[use.first];
        return use.second > 0 && load.fixed + speed * load.growing >= 1 - kRounding;
      });
      if (!grows[i]) flows_[i].speed = speed;
    }
    if (std::ranges::none_of(grows, [](bool g) { return g; })) return;
  }
}

}  // namespace t3sim::model
