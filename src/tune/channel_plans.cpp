#include "tune/channel_plans.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/number.h"

namespace t3sim::tune {
namespace {

using message::Step;

class Lowering {
 public:
  explicit Lowering(const message::Schedule& schedule) : schedule_(schedule), plan_(schedule.plan()) {}

  std::vector<ChannelPlan> run() {
    made_.resize(plan_.gpus());
    for (std::uint32_t gpu = 0; gpu < plan_.gpus(); ++gpu) {
      const std::uint32_t end = gpu + 1 < plan_.gpus() ? plan_.first_strand(gpu + 1) : plan_.strands();
      for (std::uint32_t s = plan_.first_strand(gpu); s < end; ++s)
        for (std::uint32_t part = 0; part < schedule_.parts(); ++part) add_block(gpu, plan_.steps(s), part);
    }
    for (std::uint32_t gpu = 0; gpu < plan_.gpus(); ++gpu) complete(gpu);
    return std::move(made_);
  }

 private:
  // From GPU, to GPU, tag, part: numbered through, so that both ends and their FIFOs agree.
  using Way = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

  std::uint32_t number(const Way& way) {
    return numbers_.try_emplace(way, narrow<std::uint32_t>(numbers_.size())).first->second;
  }

  void add_block(std::uint32_t gpu, std::span<const Step> steps, std::uint32_t part) {
    auto& block = made_[gpu].blocks.emplace_back();
    for (std::uint32_t round = 0; round < schedule_.rounds(); ++round)
      for (const Step& step : steps) {
        const std::uint64_t bytes = schedule_.bytes(gpu, step, part, round);
        const std::uint64_t from = offset(gpu, step, part, round);
        for (std::uint32_t i = 0; i < schedule_.slices(bytes); ++i) {
          const message::Cut slice = message::cut(bytes, i, schedule_.slices(bytes));
          block.push_back(pass(gpu, step, part, {from + slice.from, from + slice.to}));
        }
      }
  }
  // Of a part's round in the blocks of a step: behind those of the parts and rounds before it.
  std::uint64_t offset(std::uint32_t gpu, const Step& step, std::uint32_t part, std::uint32_t round) const {
    std::uint64_t bytes = 0;
    for (std::uint32_t p = 0; p <= part; ++p)
      for (std::uint32_t r = 0; r < (p == part ? round : schedule_.rounds()); ++r)
        bytes += schedule_.bytes(gpu, step, p, r);
    return bytes;
  }
  std::uint64_t block(std::uint32_t slot) const {
    const message::Collective& c = schedule_.collective();
    return slot % c.gpus * (c.bytes / c.gpus / message::kLine * message::kLine);
  }

  ChannelPass pass(std::uint32_t gpu, const Step& step, std::uint32_t part, const message::Cut& cut) {
    ChannelPass p;
    p.operand = block(step.read.at(0)) + cut.from;
    p.result = block(step.write.at(0)) + cut.from;
    p.bytes = narrow<std::uint32_t>(schedule_.protocol().wire_bytes(cut.bytes()));
    p.loads_own = step.loads;
    p.stores_own = step.stores;
    ChannelPlan& made = made_[gpu];
    made.slot_bytes = std::max<std::uint64_t>(made.slot_bytes, p.bytes);
    if (step.receives()) {
      p.receives = number({step.from, gpu, step.tag, part});
      p.received = taken_[p.receives]++;
    }
    if (step.sends()) {
      p.sends = number({gpu, step.to, step.tag, part});
      p.sent = sent_[p.sends]++;
    }
    return p;
  }

  // All GPUs lay out the same FIFOs, those that are of others too.
  void complete(std::uint32_t gpu) {
    ChannelPlan& plan = made_[gpu];
    std::erase_if(plan.blocks, [](const auto& block) { return block.empty(); });
    if (plan.blocks.empty()) plan.blocks.emplace_back();  // a kernel has a block, if only to end
    plan.channels = narrow<std::uint32_t>(plan.blocks.size());
    plan.slots = schedule_.protocol().slots;
    for (const ChannelPlan& other : made_) plan.slot_bytes = std::max(plan.slot_bytes, other.slot_bytes);
    plan.array_bytes = schedule_.collective().bytes + 2 * plan.slot_bytes;
    plan.connections.resize(numbers_.size());
    for (const auto& [way, number] : numbers_) {
      const auto [from, to, tag, part] = way;
      const std::uint32_t other = from == gpu ? to : to == gpu ? from : (gpu + 1) % plan_.gpus();
      plan.connections[number] = {narrow<std::uint16_t>(other), narrow<std::uint16_t>(other), sent_[number]};
    }
  }

  const message::Schedule& schedule_;
  const message::Plan& plan_;
  std::vector<ChannelPlan> made_;
  std::map<Way, std::uint32_t> numbers_;
  std::map<std::uint32_t, std::uint32_t> sent_, taken_;
};

}  // namespace

std::vector<ChannelPlan> channel_plans(const message::Schedule& schedule) { return Lowering(schedule).run(); }

}  // namespace t3sim::tune
