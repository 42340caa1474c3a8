// t3sim mix: who waits for whom where ranks call several backends.
#include <fmt/format.h>

#include "app/cli.h"
#include "app/options.h"
#include "base/error.h"
#include "model/mixing.h"

namespace t3sim {
namespace po = boost::program_options;

namespace {

model::MixValues run(const std::string& file, const model::Mix& mix, model::Rules rules) {
  try {
    return model::run_mix(mix, rules);
  } catch (const InputError& e) {
    throw InputError(file + ": " + e.what());
  }
}

}  // namespace

int mix_command(const Arguments& arguments) {
  std::string file, rules = "mcr-dl";
  po::options_description shown("Options"), hidden;
  shown.add_options()("rules", po::value(&rules)->default_value(rules)->value_name("NAME"),
                      "naive: one stream, hosts wait; mcr-dl: a stream for each backend, events");
  hidden.add_options()("file", po::value(&file));
  po::positional_options_description operands;
  operands.add("file", 1);
  const auto values = parse_options(
      {"mix", "FILE.yaml [--rules naive|mcr-dl]",
       "Plays through what ranks do that call several backends (docs/backends.md), without times,\n"
       "and prints the values that come out. Exit status 3 if they wait for each other: the ring is "
       "named.\n"},
      shown, hidden, operands, arguments);
  if (!values) return kDone;
  if (file.empty()) throw InputError("mix: no file named");
  const bool naive = rules == to_string(model::Rules::naive);
  if (!naive && rules != to_string(model::Rules::mcr_dl))
    throw InputError(fmt::format("mix: --rules: \"{}\" is unknown; allowed: naive, mcr-dl", rules));
  const model::Mix mix = model::read_mix(file);
  const model::MixValues result = run(file, mix, naive ? model::Rules::naive : model::Rules::mcr_dl);
  if (result != model::expected_values(mix))
    throw CheckError("mix: values are not what the ranks' statements say");
  for (std::size_t r = 0; r < result.size(); ++r) {
    fmt::print("rank {}:", r);
    for (const auto& [array, value] : result[r]) fmt::print(" {} = {}", array, value);
    fmt::print("\n");
  }
  return kDone;
}

}  // namespace t3sim
