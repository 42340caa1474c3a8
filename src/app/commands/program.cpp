// t3sim program: lists, checks and explains programs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/options.h"
#include "base/error.h"
#include "program/check.h"
#include "program/dependences.h"
#include "program/explain.h"
#include "program/library.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

constexpr std::string_view kProgramHelp =
    "Usage: t3sim program list|check|explain ...     t3sim program check --help\n\n"
    "A program says what the GPUs of a node launch, copy and wait for (docs/programs.md).\n\n"
    "  list      name the programs that t3sim brings along\n"
    "  check     find mistakes: names, bounds, waits in vain, races\n"
    "  explain   show arrays, streams with their commands, waits, bytes between GPUs and FLOPs\n";

int list() {
  std::map<std::string, std::string> docs;
  for (const std::string& name : program_library::names()) docs[name] = program_library::read(name).doc;
  for (const std::string& name : program_library::scheme_names())
    docs[name] = "scheme: " + program_library::scheme(name)->doc;
  std::size_t longest = 0;
  for (const auto& [name, doc] : docs) longest = std::max(longest, name.size());
  for (const auto& [name, doc] : docs) fmt::print("{:<{}}  {}\n", name, longest, doc);
  return kDone;
}

std::pair<std::string, std::int64_t> parameter(const std::string& said) {
  const std::size_t equals = said.find('=');
  try {
    std::size_t end = 0;
    const std::int64_t value = std::stoll(said.substr(equals + 1), &end);
    if (equals != said.npos && equals > 0 && end == said.size() - equals - 1)
      return {said.substr(0, equals), value};
  } catch (const std::logic_error&) {
  }
  throw InputError(fmt::format("--set {}: expected NAME=NUMBER, e.g. --set m=4096", said));
}

struct Request {
  std::string input;
  program::Setting setting;
  std::size_t most = 24;
};

// What the arguments of check and explain say; none if they asked for help.
std::optional<Request> request(const std::string& command, const std::string& text,
                               const Arguments& arguments) {
  Request r;
  std::vector<std::string> parameters;
  std::uint32_t cus = 132;
  po::options_description shown("Options"), hidden;
  shown.add_options()("gpus", po::value(&r.setting.gpus), "how many GPUs (what the program says, or 2)")(
      "set", po::value(&parameters)->composing(), "NAME=NUMBER: a parameter")(
      "cus", po::value(&cus)->default_value(cus), "CUs of a GPU, for kernels named by a library's name");
  if (command == "program explain")
    shown.add_options()("commands", po::value(&r.most)->default_value(r.most), "of a stream that are listed");
  hidden.add_options()("input", po::value(&r.input));
  po::positional_options_description operands;
  operands.add("input", 1);
  const auto values = parse_options({command, "PROGRAM [options]", text}, shown, hidden, operands, arguments);
  if (!values) return std::nullopt;
  if (r.input.empty())
    throw InputError(fmt::format("{}: no program named (see t3sim program list)", command));
  constexpr std::uint32_t kMostGpus = 1024, kMostCus = 1 << 16;
  if (r.setting.gpus > kMostGpus || (values->count("gpus") != 0 && r.setting.gpus == 0))
    throw InputError(fmt::format("{}: --gpus must be 1 to {}", command, kMostGpus));
  if (cus < 1 || cus > kMostCus)
    throw InputError(fmt::format("{}: --cus must be 1 to {}", command, kMostCus));
  for (const std::string& said : parameters)
    r.setting.parameters.insert_or_assign(parameter(said).first, parameter(said).second);
  r.setting.cus = cus;
  r.setting.kernel = program::plain_kernels(cus);
  return r;
}

int check(const Arguments& arguments) {
  const auto r = request("program check", "Finds what can be found without a run.\n", arguments);
  if (!r) return kDone;
  if (program_library::is_scheme(r->input)) {
    const auto scheme = program_library::scheme(r->input);
    fmt::print("{}: no fault found in {} stages; a run looks at them again with its configuration\n",
               scheme->name, scheme->stages.size());
    return kDone;
  }
  const program::Program loaded = program::evaluate(program_library::read(r->input), r->setting);
  program::check(loaded);
  const program::Closeness closeness = program::check_dependences(loaded);
  std::size_t commands = 0;
  for (const program::GpuCommands& gpu : loaded.gpus) commands += gpu.commands.size();
  fmt::print("{}: no fault found in {} commands of {} GPUs{}\n", loaded.name, commands, loaded.gpu_count,
             closeness == program::Closeness::tiles ? ""
             : closeness == program::Closeness::launches
                 ? "; too many tiles: launches were looked at as wholes"
                 : "; too many commands to look for races");
  return kDone;
}

int explain(const Arguments& arguments) {
  const auto r = request("program explain", "Says what a program does, without a run.\n", arguments);
  if (!r) return kDone;
  if (program_library::is_scheme(r->input)) {
    fmt::print("{}", program::explain(*program_library::scheme(r->input)));
    return kDone;
  }
  fmt::print("{}", program::explain(program::evaluate(program_library::read(r->input), r->setting), r->most));
  return kDone;
}

}  // namespace

int program_command(const Arguments& arguments) {
  const std::string what = arguments.empty() ? "" : arguments.front();
  if (what == "--help" || what == "-h") {
    fmt::print("{}", kProgramHelp);
    return kDone;
  }
  const Arguments rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (what == "list") return list();
  if (what == "check") return check(rest);
  if (what == "explain") return explain(rest);
  throw InputError(what.empty()
                       ? "program: list, check or explain? (see t3sim program --help)"
                       : fmt::format("program: \"{}\" is unknown: list, check and explain are known", what));
}

}  // namespace t3sim
