#include "model/mixing.h"

#include <fmt/format.h>

#include <deque>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/number.h"
#include "sim/waiting.h"

namespace t3sim::model {
namespace {

using What = Statement::What;
using message::Progress;

constexpr const char* kDefault = "default";  // stream

// A call, of all ranks together.
struct Joint {
  std::string backend;
  std::size_t number = 0;           // of the backend's
  std::vector<std::string> arrays;  // of each rank
  std::set<std::size_t> joined;
  bool done = false;
};

// What a stream does, one after the other.
struct Item {
  enum class Kind : std::uint8_t { add, join, event } kind;
  std::string a, b;
  Joint* joint = nullptr;  // join; event: until it has ended
  std::size_t until = 0;   // event: so many items of the default stream, if there is no joint
};

struct Rank {
  std::size_t at = 0;  // statement
  std::map<std::string, std::deque<Item>> streams;
  std::size_t put = 0, done = 0;             // items of the default stream
  std::map<std::string, std::size_t> calls;  // made, by backend
  std::map<std::string, Joint*> last;        // call, by array
  std::set<std::string> open;                // arrays with a call that was not waited for
  Joint* blocked = nullptr;                  // naive: the host is in this call
};

std::map<std::string, std::uint64_t> first_values(const Mix& mix, std::size_t rank) {
  std::map<std::string, std::uint64_t> values;
  for (const auto& statements : mix.ranks)
    for (const Statement& s : statements)
      for (const std::string& array : {s.a, s.b})
        if (!array.empty()) values.try_emplace(array, 0);
  std::uint64_t number = 0;
  for (auto& [array, value] : values) value = 1 + rank + 1000 * ++number;
  return values;
}

class MixRun {
 public:
  MixRun(const Mix& mix, Rules rules) : mix_(mix), rules_(rules), ranks_(mix.ranks.size()) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) values_.push_back(first_values(mix, r));
    make_joints();
  }

  MixValues run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < ranks_.size(); ++r) moved |= step_host(r);
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        for (auto& [name, stream] : ranks_[r].streams) moved |= step_stream(r, name, stream);
      for (auto& [key, joint] : joints_) moved |= end(joint);
    }
    check_done();
    return values_;
  }

 private:
  void make_joints() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      std::map<std::string, std::size_t> count;
      for (const Statement& s : mix_.ranks[r]) {
        if (s.what != What::call) continue;
        if (!mix_.backends.contains(s.backend))
          throw InputError(fmt::format("there is no backend \"{}\"", s.backend));
        Joint& joint = joints_[{s.backend, count[s.backend]++}];
        joint.backend = s.backend;
        joint.number = count[s.backend];
        joint.arrays.push_back(s.a);
      }
    }
    for (const auto& [key, joint] : joints_)
      if (joint.arrays.size() != ranks_.size())
        throw InputError(fmt::format("call {} of backend {}: {} of {} ranks make it", joint.number,
                                     joint.backend, joint.arrays.size(), ranks_.size()));
  }
  bool by_host(const std::string& backend) const { return mix_.backends.at(backend) == Progress::host; }

  // Goes on as far as it can.
  bool step_host(std::size_t r) {
    Rank& rank = ranks_[r];
    bool moved = false;
    while (rank.at < mix_.ranks[r].size() && statement(r, rank, mix_.ranks[r][rank.at])) {
      ++rank.at;
      moved = true;
    }
    return moved;
  }

  // False: the host waits in it.
  bool statement(std::size_t r, Rank& rank, const Statement& s) {
    if (s.what == What::call) return by_host(s.backend) ? host_call(r, rank, s) : stream_call(rank, s);
    if (s.what == What::wait) return wait(rank, s);
    for (const std::string& array : {s.a, s.b})
      if (rules_ == Rules::mcr_dl && rank.open.contains(array))
        throw InputError(fmt::format("rank {} uses {} before it waits for it", r, array));
    put(rank, {Item::Kind::add, s.a, s.b, nullptr, 0});
    return true;
  }
  void put(Rank& rank, Item item) {
    rank.streams[kDefault].push_back(std::move(item));
    ++rank.put;
  }
  Joint& next_call(Rank& rank, const Statement& s) {
    if (rules_ == Rules::mcr_dl && rank.open.contains(s.a))
      throw InputError(
          fmt::format("rank {} calls {} on {}, before it waits for the call that is under way there",
                      &rank - ranks_.data(), s.backend, s.a));
    Joint& joint = joints_.at({s.backend, rank.calls[s.backend]++});
    rank.last[s.a] = &joint;
    rank.open.insert(s.a);
    return joint;
  }
  bool stream_call(Rank& rank, const Statement& s) {
    Joint& joint = next_call(rank, s);
    const Item join{Item::Kind::join, s.a, {}, &joint, 0};
    if (rules_ == Rules::naive) {
      put(rank, join);
      return true;
    }
    std::deque<Item>& own = rank.streams[s.backend];
    own.push_back({Item::Kind::event, {}, {}, nullptr, rank.put});
    own.push_back(join);
    return true;
  }
  bool host_call(std::size_t r, Rank& rank, const Statement& s) {
    if (rank.blocked) {
      if (!rank.blocked->done) return false;
      rank.blocked = nullptr;
      return true;
    }
    if (rank.done < rank.put) return false;  // the array is not there yet
    Joint& joint = next_call(rank, s);
    joint.joined.insert(r);
    if (rules_ == Rules::mcr_dl) return true;
    rank.blocked = &joint;
    return false;
  }
  bool wait(Rank& rank, const Statement& s) {
    const auto last = rank.last.find(s.a);
    if (last == rank.last.end())
      throw InputError(fmt::format("a wait for {}, of which there is no call", s.a));
    if (rules_ == Rules::naive) return rank.done == rank.put;
    if (by_host(last->second->backend)) {
      if (!last->second->done) return false;
    } else {
      put(rank, {Item::Kind::event, {}, {}, last->second, 0});
    }
    rank.open.erase(s.a);
    return true;
  }

  bool step_stream(std::size_t r, const std::string& name, std::deque<Item>& stream) {
    bool moved = false;
    while (!stream.empty() && item(r, stream.front())) {
      stream.pop_front();
      if (name == kDefault) ++ranks_[r].done;
      moved = true;
    }
    return moved;
  }
  // False: the stream waits in it.
  bool item(std::size_t r, const Item& item) {
    if (item.kind == Item::Kind::add) {
      values_[r][item.a] += values_[r].at(item.b);
      return true;
    }
    if (item.kind == Item::Kind::join) item.joint->joined.insert(r);
    return item.joint ? item.joint->done : ranks_[r].done >= item.until;
  }

  // All are there, and the backend's calls before it have ended.
  bool end(Joint& joint) {
    if (joint.done || joint.joined.size() < ranks_.size()) return false;
    if (joint.number > 1 && !joints_.at({joint.backend, joint.number - 2}).done) return false;
    std::uint64_t sum = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r) sum += values_[r].at(joint.arrays[r]);
    for (std::size_t r = 0; r < ranks_.size(); ++r) values_[r].at(joint.arrays[r]) = sum;
    return joint.done = true;
  }

  static std::string stream_name(std::size_t rank, const std::string& stream) {
    return fmt::format("stream {} of rank {}", stream, rank);
  }
  static std::string host_name(std::size_t rank) { return fmt::format("host of rank {}", rank); }
  static std::string call_name(const Joint& joint) {
    return fmt::format("call {} of {}", joint.number, joint.backend);
  }

  void add_ranks_missing(Waits& waits, const std::string& who, const Joint& joint) const {
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      if (!joint.joined.contains(r)) waits.add(who, holder(r, joint), "to come to " + call_name(joint));
  }
  // Who of a rank has not come to a call: its host has not made it, or it waits in a stream.
  std::string holder(std::size_t r, const Joint& joint) const {
    for (const auto& [name, stream] : ranks_[r].streams)
      for (const Item& item : stream)
        if (item.kind == Item::Kind::join && item.joint == &joint) return stream_name(r, name);
    return host_name(r);
  }
  void add_host(Waits& waits, std::size_t r) const {
    const Rank& rank = ranks_[r];
    const Statement& s = mix_.ranks[r][rank.at];
    if (rank.blocked) return add_ranks_missing(waits, host_name(r), *rank.blocked);
    const bool for_call = s.what == What::wait && rules_ == Rules::mcr_dl;
    if (for_call) return add_ranks_missing(waits, host_name(r), *rank.last.at(s.a));
    waits.add(host_name(r), stream_name(r, kDefault), "until it is empty");
  }
  void add_stream(Waits& waits, std::size_t r, const std::string& name, const Item& head) const {
    if (head.joint)
      add_ranks_missing(waits, stream_name(r, name), *head.joint);
    else
      waits.add(stream_name(r, name), stream_name(r, kDefault), "an event");
  }
  void check_done() const {
    Waits waits;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (ranks_[r].at < mix_.ranks[r].size()) add_host(waits, r);
      for (const auto& [name, stream] : ranks_[r].streams)
        if (!stream.empty()) add_stream(waits, r, name, stream.front());
    }
    if (!waits.empty()) throw NoProgressError(waits.explain() + "\n" + waits.list());
  }

  const Mix& mix_;
  Rules rules_;
  std::vector<Rank> ranks_;
  MixValues values_;
  std::map<std::pair<std::string, std::size_t>, Joint> joints_;
};

// Values as what depends on what: each statement makes a version of an array.
class Expected {
 public:
  explicit Expected(const Mix& mix) : mix_(mix) {
    for (std::size_t r = 0; r < mix.ranks.size(); ++r) first_.push_back(first_values(mix, r));
  }
  MixValues all() {
    MixValues values = first_;
    for (std::size_t r = 0; r < values.size(); ++r)
      for (auto& [array, value] : values[r]) value = of(r, array, mix_.ranks[r].size());
    return values;
  }

 private:
  // Of an array before the statement `before` of a rank.
  std::uint64_t of(std::size_t r, const std::string& array, std::size_t before) {
    const Version key{r, array, before};
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    if (!under_way_.insert(key).second)
      throw InputError(fmt::format("{} of rank {} depends on itself: calls cross each other", array, r));
    std::uint64_t value = first_[r].at(array);
    for (std::size_t i = before; i-- > 0;) {
      const Statement& s = mix_.ranks[r][i];
      if (s.a != array || s.what == What::wait) continue;
      value = s.what == What::add ? of(r, s.a, i) + of(r, s.b, i) : sum(r, i);
      break;
    }
    return known_[key] = value;
  }
  std::uint64_t sum(std::size_t rank, std::size_t statement) {
    const std::string& backend = mix_.ranks[rank][statement].backend;
    std::size_t number = 0;
    for (std::size_t i = 0; i < statement; ++i)
      number += mix_.ranks[rank][i].what == What::call && mix_.ranks[rank][i].backend == backend;
    std::uint64_t all = 0;
    for (std::size_t r = 0; r < mix_.ranks.size(); ++r) {
      const std::size_t i = place(r, backend, number);
      all += of(r, mix_.ranks[r][i].a, i);
    }
    return all;
  }
  std::size_t place(std::size_t r, const std::string& backend, std::size_t number) const {
    for (std::size_t i = 0;; ++i)
      if (mix_.ranks[r][i].what == What::call && mix_.ranks[r][i].backend == backend && number-- == 0)
        return i;
  }

  const Mix& mix_;
  MixValues first_;
  using Version = std::tuple<std::size_t, std::string, std::size_t>;
  std::map<Version, std::uint64_t> known_;
  std::set<Version> under_way_;
};

}  // namespace

MixValues run_mix(const Mix& mix, Rules rules) { return MixRun(mix, rules).run(); }

MixValues expected_values(const Mix& mix) { return Expected(mix).all(); }

}  // namespace t3sim::model
