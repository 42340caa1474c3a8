// t3sim compare: runs with runs, sweeps with sweeps.
#include <fmt/format.h>

#include "app/cli.h"
#include "app/options.h"
#include "base/error.h"
#include "report/comparison.h"

namespace t3sim {
namespace po = boost::program_options;

int compare_command(const Arguments& arguments) {
  std::vector<std::string> directories;
  bool json = false, all = false;
  po::options_description shown("Options"), hidden;
  shown.add_options()("json", po::bool_switch(&json), "print all numbers as JSON")(
      "all", po::bool_switch(&all), "print what is the same everywhere too; of sweeps, every point");
  hidden.add_options()("directories", po::value(&directories));
  po::positional_options_description operands;
  operands.add("directories", -1);
  const auto values =
      parse_options({"compare", "DIR DIR... [options]",
                     "Says what differs between results of `t3sim run -o` or of `t3sim sweep "
                     "run -o`: the configurations, then "
                     "times, bytes,\nparts of the gap to the ideal, utilisation; of programs "
                     "the time of each command, and the schemes of a\nrun beside them. The first "
                     "is what the others are held against.\n"
                     "`t3sim report DIR DIR...` makes a page of it.\n"},
                    shown, hidden, operands, arguments);
  if (!values) return kDone;
  if (directories.size() < 2)
    throw InputError("compare: needs two directories or more (see t3sim compare --help)");
  if (directories.size() > 26) throw InputError("compare: at most 26 directories at a time");
  const nlohmann::ordered_json data = report::comparison_data(directories);
  fmt::print("{}", json ? data.dump(2) + "\n" : report::comparison_text(data, all));
  return kDone;
}

}  // namespace t3sim
