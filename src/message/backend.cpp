#include "message/backend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/nearest.h"
#include "config/config.h"
#include "config/library.h"

namespace t3sim::message {
namespace {

constexpr std::string_view kFolder = "configs/backends";
constexpr std::uint64_t kLongestTime = 1000 * config::kMs, kHighestRate = 100'000 * config::kGB,
                        kMostMessage = 1ULL << 40, kLeastBuffer = 4 << 10, kLeastRate = config::kGB / 1000;

// The same three values in the units of what they are.
struct Times : Ranged {};
struct Rates : Ranged {};
struct Counts : Ranged {};
struct Sizes : Ranged {};

template <class F>
void each_value(Ranged& r, F&& f) {
  f("value", r.value, "what it is taken to be");
  f("low", r.low, "the least that it may be; not said: it is known");
  f("high", r.high, "the most that it may be");
}

void describe_source(config::Visitor& v, Ranged& r) { v.text("source", r.source, "where it comes from"); }

void describe(config::Visitor& v, Times& r) {
  each_value(r, [&](auto name, auto& value, auto doc) { v.time(name, value, {0, kLongestTime}, doc); });
  describe_source(v, r);
}
void describe(config::Visitor& v, Rates& r) {
  each_value(r, [&](auto name, auto& value, auto doc) { v.bandwidth(name, value, {0, kHighestRate}, doc); });
  describe_source(v, r);
}
void describe(config::Visitor& v, Counts& r) {
  each_value(r, [&](auto name, auto& value, auto doc) { v.count(name, value, {0, 512}, doc); });
  describe_source(v, r);
}
void describe(config::Visitor& v, Sizes& r) {
  each_value(r, [&](auto name, auto& value, auto doc) { v.size(name, value, {0, kMostMessage}, doc); });
  describe_source(v, r);
}

template <class Units>
void ranged(config::Visitor& v, std::string_view name, Ranged& field, std::string_view doc) {
  Units units{field};
  v.section(name, units, doc);
  field = units;
}

std::string known_kinds(const Backend& b) {
  std::vector<std::string_view> names;
  for (const auto& named : names_of(Kind{}))
    if (b.has(named.value)) names.push_back(named.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_range(const config::Sources& sources, const std::string& name, const Ranged& r) {
  if (r.low.value_or(r.value) > r.value || r.high.value_or(r.value) < r.value)
    throw sources.error(name, "the value does not lie between low and high");
  if ((r.low || r.high) && r.source.empty()) throw sources.error(name, "a range needs a source");
}

// 0 stands for "none" or "the machine's": what is not 0 is no less than `least`.
void check_least(const config::Sources& sources, const std::string& name, const Ranged& r,
                 std::uint64_t least, const char* text) {
  const auto check = [&](const char* end, std::optional<std::uint64_t> value) {
    if (value && *value != 0 && *value < least)
      throw sources.error(name + end, fmt::format("must be 0 or at least {}", text));
  };
  check(".value", r.value);
  check(".low", r.low);
  check(".high", r.high);
}

void check(Backend& b, const config::Sources& sources) {
  if (b.name.empty()) throw sources.error("name", "is missing");
  if (b.ways.empty()) throw sources.error("ways", "a backend that has no operation");
  for (std::size_t i = 0; i < b.ways.size(); ++i) {
    const WayConfig& way = b.ways[i];
    const std::string key = fmt::format("ways.{}", i);
    if (!b.movers.contains(way.mover))
      throw sources.error(key + ".mover", fmt::format("there is no mover \"{}\"", way.mover));
    const std::vector<Algorithm> known = algorithms_of(way.kind);
    if (std::ranges::find(known, way.algorithm) == known.end())
      throw sources.error(key + ".algorithm",
                          fmt::format("{} has no {}", to_string(way.kind), to_string(way.algorithm)));
  }
  for (const auto& [name, mover] : b.movers) {
    check_least(sources, fmt::format("movers.{}.buffer", name), mover.buffer, kLeastBuffer, "4 KiB");
    check_least(sources, fmt::format("movers.{}.rate", name), mover.rate, kLeastRate, "1 MB/s");
    check_least(sources, fmt::format("movers.{}.add_rate", name), mover.add_rate, kLeastRate, "1 MB/s");
  }
  for_each_ranged(b, [&](const std::string& name, Ranged& r) { check_range(sources, name, r); });
}

}  // namespace

static void describe(config::Visitor& v, MoverConfig& m) {
  v.choice("engine", m.engine, "what moves the bytes");
  v.flag("own", m.own, "the machine's own endpoint: the rest follows from it");
  ranged<Times>(v, "launch", m.launch, "of a call, until its first slice");
  ranged<Times>(v, "slice", m.slice, "of a slice, whatever its bytes");
  ranged<Rates>(v, "rate", m.rate, "of a channel; 0: no limit");
  ranged<Times>(v, "add", m.add, "of a slice that is added to what is there; 0: as others");
  ranged<Rates>(v, "add_rate", m.add_rate, "the same of its bytes; 0: as others");
  ranged<Times>(v, "post", m.post, "of a slice that is sent: a thread of the host's, one after the other");
  v.flag("posts_all", m.posts_all, "also those within a node; else those that a card takes");
  ranged<Counts>(v, "channels", m.channels, "at a time; 0: as many as the machine's library takes");
  ranged<Sizes>(v, "buffer", m.buffer, "of a channel's FIFO; 0: the machine's");
}

static void describe(config::Visitor& v, WayConfig& w) {
  v.choice("kind", w.kind, "the operation");
  v.choice("algorithm", w.algorithm, "how");
  v.choice("protocol", w.protocol, "how payload becomes messages");
  v.text("mover", w.mover, "of `movers`: what moves the bytes");
  v.size("to", w.to, {0, kMostMessage}, "longer messages never go this way; not said: all may");
  ranged<Counts>(v, "rails", w.rails, "rings, each through another card of a node; 0: as many as it has");
}

void describe(config::Visitor& v, Backend& b) {
  v.text("name", b.name, "by which it is known");
  v.choice("progress", b.progress, "who waits: the stream that it is put into, or the host");
  ranged<Times>(v, "call", b.call, "of the host, a call");
  ranged<Times>(v, "wait", b.wait, "progress: host: what it costs that the host waits, before and after");
  v.map("movers", b.movers, "what moves the bytes, by names of its own");
  v.sections("ways", b.ways,
             "to do an operation; of several the fastest; an operation without one is lacked");
}

bool Backend::has(Kind kind) const { return std::ranges::find(ways, kind, &WayConfig::kind) != ways.end(); }

std::vector<const WayConfig*> Backend::ways_of(Kind kind, std::uint64_t message) const {
  std::vector<const WayConfig*> found;
  for (const WayConfig& way : ways)
    if (way.kind == kind && (!way.to || message <= *way.to)) found.push_back(&way);
  if (found.empty() && has(kind))
    throw InputError(
        fmt::format("backend {} has no way for a {} of {} bytes", name, to_string(kind), message));
  if (found.empty())
    throw InputError(
        fmt::format("backend {} lacks {}; it has {}", name, to_string(kind), known_kinds(*this)));
  return found;
}

std::uint64_t message_bytes(Kind kind, std::uint64_t bytes, std::uint32_t gpus) {
  const bool whole = kind == Kind::all_reduce || kind == Kind::broadcast || kind == Kind::send_receive;
  return whole ? bytes : bytes / gpus;
}

std::vector<std::string> backend_names() { return config::library::names(kFolder); }

Backend backend_named(const std::string& name) {
  std::string path = name;
  if (!name.ends_with(".yaml")) {
    const std::vector<std::string> names = backend_names();
    if (std::ranges::find(names, name) == names.end()) {
      const std::string near = nearest(name, names);
      throw InputError(fmt::format(
          "unknown backend \"{}\"; {}", name,
          near.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : "did you mean " + near + "?"));
    }
    path = config::library::path_of(kFolder, name);
  }
  config::Document document = config::load_file(path);
  Backend backend;
  const config::Sources sources = config::read(document.root, backend);
  check(backend, sources);
  return backend;
}

void for_each_ranged(Backend& b, const std::function<void(const std::string&, Ranged&)>& f) {
  f("call", b.call);
  f("wait", b.wait);
  for (auto& [name, m] : b.movers) {
    const std::array<std::pair<const char*, Ranged*>, 8> all{{{"launch", &m.launch},
                                                              {"slice", &m.slice},
                                                              {"rate", &m.rate},
                                                              {"add", &m.add},
                                                              {"add_rate", &m.add_rate},
                                                              {"post", &m.post},
                                                              {"channels", &m.channels},
                                                              {"buffer", &m.buffer}}};
    for (const auto& [key, value] : all) f(fmt::format("movers.{}.{}", name, key), *value);
  }
  for (std::size_t i = 0; i < b.ways.size(); ++i) f(fmt::format("ways.{}.rails", i), b.ways[i].rails);
}

}  // namespace t3sim::message
