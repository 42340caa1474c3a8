// A small configuration with every kind of key, for the tests of the configuration tree.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"

namespace t3sim::example {

enum class Model { mirror, explicit_ };
enum class Capacity { paper, unbounded };
enum class Scheme { sequential, t3, t3_mca };

struct Override {
  std::optional<std::uint64_t> clock_hz;
  std::optional<std::uint32_t> cus;
};
struct Link {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bandwidth = 75 * config::kGB;
};
struct Gpu {
  std::uint32_t cus = 80;
  std::uint64_t clock_hz = 1'400 * config::kMHz;
  std::uint64_t lds = 64 * config::kKiB;
  double efficiency = 0.75;
};
struct Gpus {
  std::uint16_t count = 8;
  Model model = Model::mirror;
  std::map<std::uint32_t, Override> overrides;
};
struct Root {
  std::string name = "unnamed";
  std::string trace;
  Gpu gpu;
  Gpus gpus;
  config::ChoiceOrCount<Capacity> capacity = Capacity::paper;
  std::array<std::uint32_t, 3> tile{128, 128, 32};
  std::uint64_t latency_ps = 500 * config::kNs;
  std::vector<Link> links;
  std::map<std::string, Gpu> presets;
  std::vector<Scheme> schemes{Scheme::sequential, Scheme::t3};
  std::vector<std::uint32_t> chunks;
  std::vector<std::string> notes;
  bool functional = false;
};

inline void describe(config::Visitor& v, Override& c) {
  v.frequency("clock", c.clock_hz, {1 * config::kMHz, 10 * config::kGHz}, "core clock of this GPU");
  v.count("cus", c.cus, {1, 4096}, "compute units of this GPU");
}
inline void describe(config::Visitor& v, Link& c) {
  v.count("from", c.from, {0, 1023}, "sending GPU");
  v.count("to", c.to, {0, 1023}, "receiving GPU");
  v.bandwidth("bandwidth", c.bandwidth, {config::kMB, 100 * config::kTB}, "in this direction");
}
inline void describe(config::Visitor& v, Gpu& c) {
  v.count("cus", c.cus, {1, 4096}, "compute units");
  v.frequency("clock", c.clock_hz, {1 * config::kMHz, 10 * config::kGHz}, "core clock");
  v.size("lds", c.lds, {1 * config::kKiB, 1 * config::kMiB}, "local memory of a CU");
  v.real("efficiency", c.efficiency, {0.0, 1.0}, "issue efficiency");
}
inline void describe(config::Visitor& v, Gpus& c) {
  v.count("count", c.count, {2, 1 << 20}, "GPUs of the node");
  v.choice("model", c.model, {{"mirror", Model::mirror}, {"explicit", Model::explicit_}}, "one or all");
  v.map("overrides", c.overrides, {0, 1023}, "what differs on single GPUs");
}
inline void describe(config::Visitor& v, Root& c) {
  v.text("name", c.name, "name of the case");
  v.path("trace", c.trace, "a trace file");
  v.section("gpu", c.gpu, "a GPU");
  v.section("gpus", c.gpus, "the node");
  v.choice_or_count("capacity", c.capacity, {{"paper", Capacity::paper}, {"unbounded", Capacity::unbounded}},
                    {1, 1 << 20}, "entries of the tracker");
  v.dimensions("tile", c.tile, {1, 4096}, "tile of a workgroup");
  v.time("latency", c.latency_ps, {0, config::kMs}, "of a link");
  v.sections("links", c.links, "a graph of links");
  v.map("presets", c.presets, "GPUs by name");
  v.choices("schemes", c.schemes,
            {{"sequential", Scheme::sequential}, {"t3", Scheme::t3}, {"t3-mca", Scheme::t3_mca}},
            "what runs");
  v.counts("chunks", c.chunks, {1, 64}, "sizes of chunks");
  v.texts("notes", c.notes, "free notes");
  v.flag("functional", c.functional, "carry real numbers");
}

// Reads YAML text that locations call "a.yaml".
inline Root read_root(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  config::Node node = config::parse_yaml(yaml, "a.yaml");
  for (const std::string& assignment : overrides) config::apply_override(node, assignment);
  Root root;
  config::read(node, root);
  return root;
}

// The message of the InputError that `action` throws.
template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "(no error)";
}
inline std::string error_of(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return message_of([&] { read_root(yaml, overrides); });
}

}  // namespace t3sim::example
