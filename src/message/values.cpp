#include "message/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/error.h"

namespace t3sim::message {
namespace {

using Value = std::uint64_t;
using Message = std::vector<Value>;

// Messages under way: two at most.
class Queue {
 public:
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == waiting_.size(); }
  void push(Message message) { waiting_[count_++] = std::move(message); }
  Message pop() {
    Message first = std::exchange(waiting_[0], {});
    std::swap(waiting_[0], waiting_[1]);
    --count_;
    return first;
  }

 private:
  std::array<Message, 2> waiting_;
  std::size_t count_ = 0;
};

// Of block `slot` that GPU `gpu` brings (splitmix64).
Value brought(std::uint32_t gpu, std::uint32_t slot) {
  Value x = (std::uint64_t{gpu} << 32 | slot) + 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class Player {
 public:
  Player(const Collective& c, const Plan& plan) : c_(c), plan_(plan) {
    memory_.resize(std::size_t{c.gpus} * plan.slots());
    for (std::uint32_t first = 0; first < plan.slots(); first += half())
      for (std::uint32_t g = 0; g < c.gpus; ++g)
        for (std::uint32_t s = 0; s < c.gpus; ++s)
          at(g, first + s) = brings(g, s) ? brought(g, first + s) : 0;
    for (std::uint32_t g = 0; g < c.gpus; ++g) {
      const std::uint32_t end = g + 1 < c.gpus ? plan.first_strand(g + 1) : plan.strands();
      for (std::uint32_t s = plan.first_strand(g); s < end; ++s) strands_.push_back({g, s, 0});
    }
  }

  Played run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Strand& strand : strands_)
        while (advance(strand)) moved = true;
    }
    check_done();
    for (std::uint32_t g = 0; g < c_.gpus; ++g) compare(g);
    return played_;
  }

 private:
  struct Strand {
    std::uint32_t gpu, number;
    std::size_t next;
  };
  Value& at(std::uint32_t gpu, std::uint32_t slot) {
    return memory_[std::size_t{gpu} * plan_.slots() + slot];
  }
  // Slots of one half of all blocks.
  std::uint32_t half() const { return plan_.slots() / halves(c_); }
  bool brings(std::uint32_t gpu, std::uint32_t slot) const {
    switch (c_.kind) {
      case Kind::all_gather:
      case Kind::gather:
        return slot == gpu;
      case Kind::broadcast:
      case Kind::scatter:
      case Kind::send_receive:
        return gpu == c_.root;
      default:
        return true;
    }
  }
  // Queues of messages under way: those that are empty are forgotten, so that the few others stay in the cache.
  using Queues = std::unordered_map<std::uint64_t, Queue>;
  static std::uint64_t key(std::uint32_t from, std::uint32_t to, std::uint8_t tag) {
    return std::uint64_t{from} << 32 | std::uint64_t{to} << 8 | tag;
  }

  bool advance(Strand& strand) {
    const auto steps = plan_.steps(strand.number);
    if (strand.next == steps.size()) return false;
    const Step& step = steps[strand.next];
    const auto in = step.receives() ? queues_.find(key(step.from, strand.gpu, step.tag)) : queues_.end();
    if (step.receives() && in == queues_.end()) return false;
    if (step.sends()) {
      const auto out = queues_.find(key(strand.gpu, step.to, step.tag));
      if (out != queues_.end() && out->second.full()) return false;
    }
    carry_out(strand.gpu, step, in);
    ++strand.next;
    return true;
  }
  void carry_out(std::uint32_t gpu, const Step& step, Queues::iterator in) {
    Message values;
    if (in != queues_.end()) {
      values = in->second.pop();
      if (in->second.empty()) queues_.erase(in);
      if (values.size() != step.read.count)
        refuse(gpu, fmt::format("takes {} blocks from GPU {}, which sends {}", step.read.count, step.from,
                                values.size()));
    }
    values.resize(step.read.count);
    for (std::uint32_t i = 0; i < step.read.count && step.loads; ++i) values[i] += at(gpu, step.read.at(i));
    for (std::uint32_t i = 0; i < step.write.count && step.stores; ++i) at(gpu, step.write.at(i)) = values[i];
    if (!step.sends()) return;
    queues_[key(gpu, step.to, step.tag)].push(std::move(values));
    ++played_.messages;
  }

  [[noreturn]] void refuse(std::uint32_t gpu, const std::string& why) const {
    throw InputError(
        fmt::format("{} by {}: GPU {} {}", to_string(c_.kind), to_string(c_.algorithm), gpu, why));
  }
  void check_done() const {
    for (const Strand& s : strands_) {
      const auto steps = plan_.steps(s.number);
      if (s.next == steps.size()) continue;
      const Step& step = steps[s.next];
      if (step.receives())
        refuse(s.gpu, fmt::format("waits for ever for a message of GPU {} (step {})", step.from, s.next));
      refuse(s.gpu, fmt::format("waits for ever for GPU {} to take a message (step {})", step.to, s.next));
    }
    if (queues_.empty()) return;
    const std::uint64_t first = std::ranges::min_element(queues_, {}, &Queues::value_type::first)->first;
    refuse(static_cast<std::uint32_t>(first >> 32),
           fmt::format("sends to GPU {} what is never received", first >> 8 & 0xffffff));
  }

  Value sum(std::uint32_t slot) {
    Value whole = 0;
    for (std::uint32_t g = 0; g < c_.gpus; ++g) whole += brought(g, slot);
    return whole;
  }
  void expect(std::uint32_t gpu, std::uint32_t slot, Value value) {
    ++played_.elements;
    if (at(gpu, slot) != value) refuse(gpu, fmt::format("ends with a wrong block {}", slot));
  }
  void compare(std::uint32_t g) {
    switch (c_.kind) {
      case Kind::all_reduce:
        if (sums_.empty())
          for (std::uint32_t s = 0; s < c_.gpus; ++s) sums_.push_back(sum(s));
        for (std::uint32_t s = 0; s < c_.gpus; ++s) expect(g, s, sums_[s]);
        return;
      case Kind::reduce_scatter:
        return expect(g, g, sum(g));
      case Kind::all_gather:
        for (std::uint32_t s = 0; s < c_.gpus; ++s) expect(g, s, brought(s, s));
        return;
      case Kind::all_to_all:
        for (std::uint32_t first = 0; first < plan_.slots(); first += half())
          for (std::uint32_t s = 0; s < c_.gpus; ++s) expect(g, first + c_.gpus + s, brought(s, first + g));
        return;
      case Kind::broadcast:
        for (std::uint32_t s = 0; s < c_.gpus; ++s) expect(g, s, brought(c_.root, s));
        return;
      case Kind::gather:
        for (std::uint32_t s = 0; s < c_.gpus && g == c_.root; ++s) expect(g, s, brought(s, s));
        return;
      case Kind::scatter:
        return expect(g, g, brought(c_.root, g));
      case Kind::send_receive:
        for (std::uint32_t s = 0; s < c_.gpus && g == c_.peer; ++s) expect(g, s, brought(c_.root, s));
    }
  }

  const Collective& c_;
  const Plan& plan_;
  std::vector<Value> memory_, sums_;
  std::vector<Strand> strands_;
  Queues queues_;
  Played played_;
};

}  // namespace

Played play(const Collective& collective, const Plan& plan) { return Player(collective, plan).run(); }

}  // namespace t3sim::message
