#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <regex>

#include "base/error.h"
#include "base/number.h"
#include "validation/rivals/rivals.h"

namespace t3sim::rivals {
namespace {

// A method that was asked for, and its runs.
struct Asked {
  Row row;
  struct Run {
    std::string program;
    model::PointId id;
    std::optional<model::PointId> own_gemm;  // of T3: its GEMM alone
  };
  std::vector<Run> runs;
  bool scheme = false;
};

// All methods of a shape on a machine, with the two that they are held against first.
struct Contest {
  double link_us;
  std::uint64_t gpus;
  std::vector<Asked> asked;
};

constexpr std::string_view kNoMethod = "not a method of ";

bool among(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void check_names(const char* option, const std::vector<std::string>& names,
                 const std::vector<std::string>& known) {
  for (const std::string& name : names)
    if (!among(known, name))
      throw InputError(fmt::format("validate rivals: {}: \"{}\" is unknown; known: {}", option, name,
                                   fmt::join(known, ", ")));
}

std::string_view figure_of(Pattern pattern) {
  constexpr std::string_view kNames[] = {"scatter", "gather", "exchange"};
  return kNames[ordinal(pattern)];
}

void check_choice(const Choice& choice) {
  std::vector<std::string> of_systems, of_shapes, of_methods;
  for (const System& system : systems()) of_systems.push_back(system.name);
  for (const Shape& shape : shapes()) {
    of_shapes.push_back(shape.name);
    for (const Method& method : methods(shape, 2))
      if (!among(of_methods, method.name)) of_methods.push_back(method.name);
  }
  check_names("--system", choice.systems, of_systems);
  check_names("--shape", choice.shapes, of_shapes);
  check_names("--scheme", choice.methods, of_methods);
  check_names("--figure", choice.patterns, {"scatter", "gather", "exchange"});
  for (const double factor : choice.links)
    if (!(factor >= 0.01 && factor <= 100))
      throw InputError(fmt::format("validate rivals: --links {}: allowed are 0.01 to 100", factor));
}

bool is_chosen(const Choice& choice, const System& system, const Shape& shape) {
  if (!choice.patterns.empty() && !among(choice.patterns, figure_of(shape.pattern))) return false;
  if (!choice.shapes.empty()) return among(choice.shapes, shape.name);
  return among(system.usual, shape.name) || choice.all;
}

std::string label(const Candidate& candidate) {
  std::string text = candidate.program;
  for (const auto& [name, value] : candidate.parameters) text += fmt::format(" {}={}", name, value);
  for (const std::string& assignment : candidate.overrides) text += " " + assignment;
  return text;
}

// T3 as the machine has it, and with what the system offers it.
std::vector<Candidate> candidates_on(const System& system, const Method& method) {
  std::vector<Candidate> candidates = method.candidates;
  if (!method.scheme) return candidates;
  for (Candidate candidate : method.candidates)
    for (const std::vector<std::string>& overrides : system.of_t3) {
      candidate.overrides = overrides;
      candidates.push_back(candidate);
    }
  return candidates;
}

// The GEMM of a stage that T3 fuses, by itself. Formulas over stages, and stages one after the other, say it themselves.
std::optional<model::PointId> own_gemm(const System& system, const Shape& shape, const Method& method,
                                       const Candidate& candidate, const Choice& choice,
                                       model::Points& points) {
  if (!choice.parts || !method.scheme || method.name.starts_with("ideal") || !method.overrides.empty())
    return {};
  return points.add(configure(system, shape, method, {"kernel", {}, candidate.overrides}, choice.overrides));
}

Asked ask(const System& system, const Shape& shape, const Method& method, const Choice& choice,
          model::Points& points) {
  Asked asked;
  asked.row.system = system.name;
  asked.row.links = choice.links.front();
  asked.row.shape = shape.name;
  asked.row.method = method.name;
  asked.row.pattern = shape.pattern;
  asked.row.refused = method.missing;
  asked.scheme = method.scheme;
  if (method.scheme) asked.row.hardware = method.overrides.empty() ? "T3" : "T3 and " + method.name;
  if (!fits(system, shape, choice.overrides)) {
    asked.row.refused = fmt::format("the shape is of {} GPUs, the machine has {}", shape.only_gpus,
                                    machine_of(system, choice.overrides).gpus.count);
    return asked;
  }
  for (const Candidate& candidate : candidates_on(system, method)) {
    try {
      const Config config = configure(system, shape, method, candidate, choice.overrides);
      asked.runs.push_back(
          {label(candidate), points.add(config), own_gemm(system, shape, method, candidate, choice, points)});
    } catch (const InputError& e) {
      if (asked.row.refused.empty()) asked.row.refused = reason(e.what());  // of the method's usual knobs
    }
  }
  if (!asked.runs.empty()) asked.row.refused.clear();
  return asked;
}

// A ring's GPU sends to one neighbour or both, one of a mesh to all others at once, one at a switch by its only port.
std::uint64_t ports(const Config& machine) {
  switch (machine.topology.kind) {
    case TopologyKind::fully_connected:
      return machine.gpus.count - 1;
    case TopologyKind::bidirectional_ring:
      return machine.gpus.count > 2 ? 2 : 1;
    default:
      return 1;
  }
}

double link_seconds(const Config& machine, const Shape& shape) {
  return shape.link_bytes(machine.gpus.count) / real(ports(machine) * machine.topology.link.bandwidth_Bps);
}

// The methods of a shape that are asked for; what the others are held against always.
std::vector<Method> chosen_methods(const Choice& choice, const Shape& shape, std::uint64_t gpus) {
  std::vector<Method> chosen{gemm_alone(gpus), communication_alone(shape)};
  const std::vector<Method> known = methods(shape, gpus);
  for (const Method& method : known)
    if (choice.methods.empty() || method.name == "sequential" || among(choice.methods, method.name))
      chosen.push_back(method);
  for (const std::string& name : choice.methods)
    if (std::ranges::find(known, name, &Method::name) == known.end())
      chosen.push_back({name, {}, false, {}, fmt::format("{}{}", kNoMethod, to_string(shape.pattern))});
  return chosen;
}

// The choice with one bandwidth of links, as an override of the machine.
Choice with_links(Choice choice, const System& system, double factor) {
  choice.links = {factor};
  if (factor == 1) return choice;
  const std::uint64_t whole = machine_of(system, choice.overrides).topology.link.bandwidth_Bps;
  choice.overrides.push_back(fmt::format("topology.bandwidth={:.0f} B/s", factor * real(whole)));
  return choice;
}

// The choice with the shape's number of GPUs, where the machine may have any.
Choice with_gpus(Choice choice, const System& system, const Shape& shape) {
  if (shape.only_gpus != 0 && system.any_gpus)
    choice.overrides.push_back(fmt::format("gpus.count={}", shape.only_gpus));
  return choice;
}

Contest contest(const System& system, const Shape& shape, const Choice& choice, model::Points& points) {
  const Config machine = machine_of(system, choice.overrides);
  Contest contest{1e6 * link_seconds(machine, shape), machine.gpus.count, {}};
  for (const Method& method : chosen_methods(choice, shape, machine.gpus.count))
    contest.asked.push_back(ask(system, shape, method, choice, points));
  return contest;
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

// Where communication is the longer one alone, what it is longer by is in the ideal, too: beside no kernel, or else hidden by
// kernels that take that much longer.
Parts beyond_ideal(Parts parts, const Row& row) {
  const double longer = std::max(0.0, row.communication_us - row.gemm_us);
  const double exposed = std::clamp(parts.link_us, 0.0, longer);
  parts.link_us -= exposed;
  parts.hidden_us = exposed - longer;
  return parts;
}

// Samples extrapolate each part along a line of its own: where these bend, they do not add up, and none is said.
std::optional<Parts> parts_of_program(const model::PointResult& result, const SchemeResult& scheme,
                                      const Row& row) {
  if (result.gpu_us.empty() || !result.parts) return std::nullopt;
  const double mean =
      std::accumulate(result.gpu_us.begin(), result.gpu_us.end(), 0.0) / real(result.gpu_us.size());
  const ProgramParts& of = *result.parts;
  Parts parts;
  parts.decomposition_us = of.kernels_alone_us - row.gemm_us;
  parts.lost_cus_us = lost_cus_us(of, phase(scheme, "kernels_us"));
  parts.waiting_us = of.polling_us;
  parts.contention_us = phase(scheme, "kernels_us") - of.kernels_alone_us - of.polling_us -
                        parts.lost_cus_us - of.kernels_at_links_us;
  parts.link_us =
      phase(scheme, "exposed_communication_us") + of.kernels_at_links_us + of.barriers_at_links_us;
  parts.barriers_us = of.barriers_us;
  parts.launch_us = phase(scheme, "idle_us") - of.barriers_us - of.barriers_at_links_us;
  parts.tail_us = row.us - mean;
  parts = beyond_ideal(parts, row);
  const bool whole = result.sample_error_us == 0;
  const double apart = row.ideal_us() + parts.sum_us() - row.us;
  return whole || std::abs(apart) <= 0.01 * row.us ? std::optional(parts) : std::nullopt;
}

// Of a fused stage: zeros and its GEMM alone, its kernel, and what follows that one's end. Of stages one after the other: each.
std::optional<Parts> parts_of_scheme(const model::PointResult& result, const SchemeResult& scheme,
                                     const Row& row, std::optional<double> own_gemm_us) {
  double kernel = phase(scheme, "gemm_us");
  const bool staged = kernel > 0;
  if (const auto fused = result.kernel_us.find(scheme.name); fused != result.kernel_us.end())
    kernel = fused->second;
  else if (!staged || row.us < kernel + phase(scheme, "rs_us"))
    return std::nullopt;  // a formula over stages
  if (!own_gemm_us && !staged) return std::nullopt;
  constexpr double kIsIn = std::numeric_limits<double>::quiet_NaN();
  const double alone = own_gemm_us.value_or(kernel), zeros = phase(scheme, "zero_us");
  Parts parts{.lost_cus_us = kIsIn, .launch_us = kIsIn, .barriers_us = kIsIn, .tail_us = kIsIn};
  parts.decomposition_us = zeros + alone - row.gemm_us;  // whose tiles are others than the library's
  const bool waits = row.pattern == Pattern::gather;     // the Tracker starts workgroups as data arrive
  parts.contention_us = waits ? kIsIn : kernel - alone;
  parts.waiting_us = waits ? kernel - alone : kIsIn;
  parts.link_us = row.us - zeros - kernel;
  return beyond_ideal(parts, row);
}

// The fastest of a method's runs.
void finish(Asked& asked, const model::Points& points) {
  Row& row = asked.row;
  for (const Asked::Run& run : asked.runs) {
    const model::PointResult& result = points[run.id];
    const SchemeResult& scheme = result.schemes.begin()->second;
    const double us = asked.scheme ? stage_us(scheme) : scheme.time_us;
    row.candidates.emplace_back(run.program, us);
    if (row.us != 0 && row.us <= us) continue;
    row.us = us;
    row.program = run.program;
    row.sample_error_us = result.sample_error_us;
    row.link_bytes = scheme.link_bytes;
    row.dram_bytes = dram_of(scheme);
    row.held_cus = result.held_cus;
    if (row.alone() || row.gemm_us == 0) continue;
    std::optional<double> own_gemm_us;
    if (run.own_gemm) own_gemm_us = points[*run.own_gemm].schemes.begin()->second.time_us;
    row.parts = asked.scheme ? parts_of_scheme(result, scheme, row, own_gemm_us)
                             : parts_of_program(result, scheme, row);
  }
}

void finish(Contest& contest, const model::Points& points, std::vector<Row>& rows) {
  Asked &gemm = contest.asked[0], &communication = contest.asked[1];
  finish(gemm, points);
  gemm.row.dram_bytes *= contest.gpus;  // one GPU computes it, and the mean is over all
  finish(communication, points);
  for (Asked& asked : contest.asked) {
    asked.row.gemm_us = gemm.row.us;
    asked.row.communication_us = communication.row.us;
    asked.row.link_us = contest.link_us;
    if (asked.row.of_both_alone())
      finish_ideal_overlap(asked.row, gemm.row, communication.row);
    else if (!asked.row.alone())
      finish(asked, points);
    rows.push_back(asked.row);
  }
}

// Of a contest that runs at all.
bool is_finished(const Contest& contest, const model::Points& points, const model::KeptRuns& kept) {
  std::size_t all = 0;
  for (const Asked& asked : contest.asked)
    for (const Asked::Run& run : asked.runs) {
      if (!points.is_kept(run.id, kept) || (run.own_gemm && !points.is_kept(*run.own_gemm, kept)))
        return false;
      ++all;
    }
  return all > 0;
}

// The one method that is asked for, if it is refused wherever it is: the first reason, of its own patterns if there is one.
void check_refused(const Choice& choice, const std::vector<Contest>& contests) {
  if (choice.methods.size() != 1) return;
  const Row* refused = nullptr;
  for (const Contest& contest : contests)
    for (const Asked& asked : contest.asked) {
      if (asked.row.method != choice.methods[0]) continue;
      if (asked.row.refused.empty()) return;
      if (!refused || refused->refused.starts_with(kNoMethod)) refused = &asked.row;
    }
  if (refused)
    throw InputError(fmt::format("validate rivals: --scheme {}: {}, {}: {}", refused->method, refused->system,
                                 refused->shape, refused->refused));
}

}  // namespace

std::string reason(const std::string& said) {
  static const std::regex kPlaces(R"(^.*\.yaml(:[0-9]+(:[0-9]+)?)?: |^--set | \(said at [^)]*\)$)");
  return std::regex_replace(said, kPlaces, "");
}

double stage_us(const SchemeResult& scheme) {
  const double fused_us = phase(scheme, "fused_us");
  return fused_us > 0 ? phase(scheme, "zero_us") + fused_us : scheme.time_us;
}

double lost_cus_us(const ProgramParts& of, double kernels_us) {
  const double rest = kernels_us - of.kernels_alone_us - of.polling_us - of.kernels_at_links_us;
  return std::clamp(rest, 0.0, of.lost_cus_us);
}

double Parts::sum_us() const {
  double sum = 0;
  for (const double us : {decomposition_us, lost_cus_us, contention_us, waiting_us, link_us, hidden_us,
                          launch_us, barriers_us, tail_us})
    if (!std::isnan(us)) sum += us;
  return sum;
}

void finish_ideal_overlap(Row& row, const Row& gemm, const Row& communication) {
  for (const Row* alone : {&gemm, &communication})
    if (!alone->refused.empty()) row.refused = alone->refused;
  if (!row.refused.empty()) return;
  row.us = row.ideal_us();
  row.sample_error_us = (gemm.us > communication.us ? gemm : communication).sample_error_us;
  row.program = "max(GEMM alone, communication alone)";
  row.link_bytes = communication.link_bytes;
  row.dram_bytes = gemm.dram_bytes + communication.dram_bytes;
  row.held_cus = communication.held_cus;
  row.parts = Parts();
}

Simulated simulate(const Choice& choice, const model::PointOptions& options) {
  check_choice(choice);
  model::Points points;
  std::vector<Contest> contests;
  const auto add = [&](const System& system, const Shape& shape, const Choice& of) {
    if (choice.finished) {
      model::Points its;  // which may not stay
      if (!is_finished(contest(system, shape, of, its), its, *options.committed)) return;
    }
    contests.push_back(contest(system, shape, of, points));
  };
  for (const System& system : systems()) {
    if (!choice.systems.empty() && !among(choice.systems, system.name)) continue;
    for (const Shape& shape : shapes())
      if (is_chosen(choice, system, shape))
        for (const double factor : choice.links)
          add(system, shape, with_gpus(with_links(choice, system, factor), system, shape));
  }
  if (contests.empty() && !choice.finished)
    throw InputError("validate rivals: no shape is of all that --system, --shape and --figure name");
  check_refused(choice, contests);
  points.run(options);
  Simulated simulated;
  for (Contest& c : contests) finish(c, points, simulated.rows);
  simulated.kept_lines = points.kept_lines();
  simulated.reused = points.reused();
  simulated.runs = points.size();
  return simulated;
}

}  // namespace t3sim::rivals
