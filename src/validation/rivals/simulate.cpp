#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number.h"
#include "config/config.h"
#include "presets/machine.h"
#include "validation/rivals/rivals.h"

namespace t3sim::rivals {
namespace {

// A method that was asked for, and its runs.
struct Asked {
  Row row;
  struct Run {
    std::string program;
    model::PointId id;
  };
  std::vector<Run> runs;
  bool scheme = false;
};

// All methods of a shape on a machine, with the two that they are held against first.
struct Contest {
  const System* system;
  const Shape* shape;
  double link_us;
  std::vector<Asked> asked;
};

template <class T>
std::vector<const T*> chosen(const std::vector<T>& all, const std::vector<std::string>& names,
                             const char* option, bool (*usual)(const T&)) {
  std::vector<const T*> found;
  std::vector<std::string> known;
  for (const T& one : all) known.push_back(one.name);
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw InputError(fmt::format("validate rivals: {}: \"{}\" is unknown; known: {}", option, name,
                                   fmt::join(known, ", ")));
  for (const T& one : all)
    if (names.empty() ? usual(one) : std::ranges::find(names, one.name) != names.end()) found.push_back(&one);
  return found;
}

// Where a configuration is refused, the sentence without its place in a file.
std::string reason(const std::string& said) {
  const std::size_t text = said.rfind(": ");
  return text == std::string::npos ? said : said.substr(text + 2);
}

std::string label(const Candidate& candidate) {
  std::string text = candidate.program;
  for (const auto& [name, value] : candidate.parameters) text += fmt::format(" {}={}", name, value);
  return text;
}

Asked ask(const System& system, const Shape& shape, const Method& method,
          const std::vector<std::string>& overrides, model::Points& points) {
  Asked asked;
  asked.row.system = system.name;
  asked.row.shape = shape.name;
  asked.row.method = method.name;
  asked.row.pattern = shape.pattern;
  asked.scheme = method.scheme;
  for (const Candidate& candidate : method.candidates) {
    try {
      const Config config = configure(system, shape, method, candidate, overrides);
      asked.runs.push_back({label(candidate), points.add(config)});
    } catch (const InputError& e) {
      asked.row.refused = reason(e.what());
    }
  }
  if (!asked.runs.empty()) asked.row.refused.clear();
  return asked;
}

Config machine_of(const System& system, const std::vector<std::string>& overrides) {
  config::Document document = config::load_file(presets::machine_path(system.name));
  for (const std::vector<std::string>& list : {system.overrides, overrides})
    for (const std::string& assignment : list) config::apply_override(document.root, assignment);
  Config config;
  config::read(document.root, config);
  return config;
}

// A ring's GPU sends to one neighbour, one of a mesh to all others at once, one at a switch by its only port.
double link_seconds(const Config& machine, const Shape& shape) {
  const std::uint64_t gpus = machine.gpus.count;
  const std::uint64_t ports = machine.topology.kind == TopologyKind::fully_connected ? gpus - 1 : 1;
  return shape.link_bytes(gpus) / real(ports * machine.topology.link.bandwidth_Bps);
}

Contest contest(const System& system, const Shape& shape, const std::vector<std::string>& overrides,
                model::Points& points) {
  const Config machine = machine_of(system, overrides);
  Contest contest{&system, &shape, 1e6 * link_seconds(machine, shape), {}};
  const auto add = [&](const Method& m) {
    contest.asked.push_back(ask(system, shape, m, overrides, points));
  };
  add(gemm_alone(shape));
  add(communication_alone(shape));
  for (const Method& method : methods(shape, machine.gpus.count)) add(method);
  return contest;
}

// T3's stages: the one that overlaps, without what comes before and after it in all schemes.
double stage_us(const SchemeResult& scheme) {
  for (const auto& [name, us] : scheme.phases)
    if (name == "fused_us") return us;
  return scheme.time_us;
}

std::uint64_t dram_of(const SchemeResult& scheme) {
  std::uint64_t sum = 0;
  for (const auto& [name, bytes] : scheme.dram_bytes) sum += bytes;
  return sum;
}

double phase(const SchemeResult& scheme, std::string_view name) {
  for (const auto& [key, us] : scheme.phases)
    if (key == name) return us;
  return 0;
}

// A run that is sampled, or whose GPUs end apart, says parts that add up to the mean GPU's time: they are kept where that is
// the time, within 1 %.
std::optional<Row::Parts> parts_of(const SchemeResult& scheme, double us, double gemm_us) {
  const Row::Parts parts{phase(scheme, "kernels_us") - gemm_us, phase(scheme, "exposed_communication_us"),
                         phase(scheme, "idle_us")};
  const double sum = gemm_us + parts.kernels_us + parts.exposed_us + parts.idle_us;
  return std::abs(sum / us - 1) <= 0.01 ? std::optional(parts) : std::nullopt;
}

void finish(Asked& asked, const model::Points& points, double gemm_us) {
  Row& row = asked.row;
  for (const Asked::Run& run : asked.runs) {
    const model::PointResult& result = points[run.id];
    const SchemeResult& scheme = result.schemes.begin()->second;
    const double us = asked.scheme ? stage_us(scheme) : scheme.time_us;
    if (row.us != 0 && row.us <= us) continue;
    row.us = us;
    row.program = run.program;
    row.sample_error_us = result.sample_error_us;
    row.link_bytes = scheme.link_bytes;
    row.dram_bytes = dram_of(scheme);
    row.parts = asked.scheme ? std::nullopt : parts_of(scheme, us, gemm_us);
  }
}

}  // namespace

std::vector<Row> simulate(const Choice& choice, const model::PointOptions& options) {
  model::Points points;
  std::vector<Contest> contests;
  for (const System* system :
       chosen<System>(systems(), choice.systems, "--system", [](const System&) { return true; }))
    for (const Shape* shape : chosen<Shape>(
             shapes(), choice.shapes, "--shape",
             choice.all ? [](const Shape&) { return true; } : [](const Shape& s) { return s.usual; }))
      contests.push_back(contest(*system, *shape, choice.overrides, points));
  points.run(options);
  std::vector<Row> rows;
  for (Contest& c : contests) {
    for (Asked& asked : c.asked) finish(asked, points, c.asked.front().row.us);
    for (Asked& asked : c.asked) {
      asked.row.gemm_us = c.asked[0].row.us;
      asked.row.communication_us = c.asked[1].row.us;
      asked.row.link_us = c.link_us;
      rows.push_back(asked.row);
    }
  }
  return rows;
}

}  // namespace t3sim::rivals
