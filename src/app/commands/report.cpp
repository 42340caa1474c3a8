// t3sim report: the files of a run or a sweep as one page to look at.
#include <fmt/format.h>

#include <filesystem>

#include "app/cli.h"
#include "app/options.h"
#include "base/error.h"
#include "report/comparison.h"
#include "report/page.h"
#include "report/program_data.h"
#include "report/run_data.h"
#include "report/sweep_data.h"
#include "report/write_report.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

constexpr const char* kText =
    "Writes one HTML file that any browser shows, with no network and nothing beside it: how long each "
    "scheme takes\n"
    "and where the time goes, DRAM bytes by cause, traffic over time, a time line, and why the overlap falls "
    "short\n"
    "of the ideal; of a program, its streams over time. DIR is what `t3sim run -o DIR` or `t3sim sweep run "
    "-o DIR` wrote; several are set side by "
    "side.\n"
    "Every number in it is one of results.json, stats.csv, series.csv, timeline.csv, commands.csv or "
    "config.yaml.\n"
    "A directory that is incomplete, changed since, or of another version of t3sim is refused.\n";

nlohmann::ordered_json data_of(const std::vector<std::string>& directories) {
  if (directories.size() > 1) return report::comparison_data(directories);
  const std::string& directory = directories.front();
  if (report::is_sweep(directory)) return report::sweep_data(directory);
  if (report::is_program_run(directory))
    return report::program_data(report::read_result(directory, report::ResultKind::program));
  return report::run_data(report::read_result(directory));
}

}  // namespace

int report_command(const Arguments& arguments) {
  std::vector<std::string> directories;
  std::string output;
  po::options_description shown("Options"), hidden;
  shown.add_options()("output,o", po::value(&output)->value_name("FILE"),
                      "the page (default: DIR/report.html)");
  hidden.add_options()("directory", po::value(&directories));
  po::positional_options_description operands;
  operands.add("directory", -1);
  const auto values =
      parse_options({"report", "DIR [DIR...] [-o FILE]", kText}, shown, hidden, operands, arguments);
  if (!values) return kDone;
  if (directories.empty()) throw InputError("report: no directory named (see t3sim report --help)");
  if (directories.size() > 26) throw InputError("report: at most 26 directories at a time");
  if (!values->count("output")) {
    if (directories.size() > 1)
      throw InputError("report: a page of several directories needs a name: -o FILE");
    output = (std::filesystem::path(directories.front()) / "report.html").string();
  }
  const nlohmann::ordered_json data = data_of(directories);
  report::check_path(output);
  report::write_report(output, report::page_with(data));
  fmt::print("{}\n", output);
  return kDone;
}

}  // namespace t3sim
