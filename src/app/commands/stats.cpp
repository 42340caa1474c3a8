// t3sim stats: what is counted, and the counters of a run with rows of a kind put together.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "app/cli.h"
#include "app/options.h"
#include "base/csv.h"
#include "base/error.h"
#include "report/result_files.h"
#include "report/sweep_data.h"
#include "results/counter_list.h"
#include "results/text_table.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

struct StatsArguments {
  std::string directory, scheme, counter;
  bool list = false;
};

void print_list(const std::string& only) {
  TextTable table;
  table.cells({"counter", "unit", "alike parts"});
  std::vector<std::string> meanings{"meaning"};
  for (const CounterInfo& c : counter_list()) {
    if (c.spoken().find(only) == std::string::npos) continue;
    const Fold fold = fold_of_parts(c);
    table.row();
    table.cells({c.spoken(), c.unit,
                 fold == Fold::sum    ? "added up"
                 : fold == Fold::mean ? "averaged"
                                      : "largest"});
    meanings.push_back(c.meaning);
  }
  fmt::print("{}", table.text_with(meanings));
}

std::vector<StatRow> rows_of(const report::ResultFiles& files) {
  std::vector<StatRow> rows;
  CsvTable table(files.at("stats.csv"), files.path("stats.csv"));
  table.expect("gpu,component,name,value,unit,scheme,phase");
  while (table.next_row())
    rows.push_back({table.text(5), table.text(6), table.number(0), table.text(1), table.text(2),
                    table.real(3), table.text(4)});
  return rows;
}

InputError nothing_found(const StatsArguments& said, const std::vector<StatRow>& rows) {
  std::set<std::string> schemes;
  for (const StatRow& row : rows) schemes.insert(row.scheme);
  if (!said.scheme.empty() && !schemes.contains(said.scheme))
    return InputError(fmt::format("stats: {}: no scheme \"{}\"; there are: {}", said.directory, said.scheme,
                                  fmt::join(schemes, ", ")));
  return InputError(
      fmt::format("stats: {}: {} has no counter with \"{}\" in its name (see t3sim stats --list)",
                  said.directory, said.scheme.empty() ? "the run" : said.scheme, said.counter));
}

void print_stats(const StatsArguments& said) {
  if (report::is_sweep(said.directory))
    throw InputError(
        fmt::format("stats: {}: is a sweep, whose counters are columns of its results.csv; a run is read",
                    said.directory));
  const report::ResultFiles files = report::read_result(said.directory);
  const std::vector<StatRow> rows = rows_of(files);
  TextTable table;
  table.cells({"scheme, phase, counter", "value", "unit", "rows", "mean", "least", "most"});
  bool any = false;
  for (const FoldedStat& stat : fold(rows)) {
    if (!said.scheme.empty() && stat.scheme != said.scheme) continue;
    if (stat.counter->spoken().find(said.counter) == std::string::npos) continue;
    any = true;
    table.row();
    table.cells({fmt::format("{}, {}, {}", stat.scheme, stat.phase, stat.counter->spoken()),
                 fmt::format("{:.10g}", stat.value()), stat.counter->unit, std::to_string(stat.rows),
                 fmt::format("{:.6g}", stat.mean()), fmt::format("{:.6g}", stat.least),
                 fmt::format("{:.6g}", stat.most)});
  }
  if (!any) throw nothing_found(said, rows);
  fmt::print("{}", table.text());
}

}  // namespace

int stats_command(const Arguments& arguments) {
  StatsArguments said;
  po::options_description shown("Options"), hidden;
  shown.add_options()("list", po::bool_switch(&said.list),
                      "list every counter: unit, meaning, how alike parts are put "
                      "together")("counter", po::value(&said.counter)->value_name("TEXT"),
                                  "only counters whose name has this in it, e.g. link.out")(
      "scheme", po::value(&said.scheme)->value_name("SCHEME"), "only this scheme");
  hidden.add_options()("directory", po::value(&said.directory));
  po::positional_options_description operands;
  operands.add("directory", 1);
  const auto values =
      parse_options({"stats", "DIR|--list [options]",
                     "Prints the counters of a run, those of alike parts (all CUs, all GPUs) as one: amounts "
                     "added up, times and "
                     "shares\naveraged, peaks by the largest. DIR/stats.csv has every part by itself.\n"},
                    shown, hidden, operands, arguments);
  if (!values) return kDone;
  if (said.list == !said.directory.empty())
    throw InputError("stats: name a directory, or --list (see t3sim stats --help)");
  if (said.list)
    print_list(said.counter);
  else
    print_stats(said);
  return kDone;
}

}  // namespace t3sim
