// t3sim sweep plot
#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "app/commands/sweep_commands.h"
#include "app/options.h"
#include "app/output_file.h"
#include "base/error.h"
#include "sweep/plot.h"

namespace t3sim::sweep_commands {
namespace po = boost::program_options;
namespace {

std::pair<std::string, std::string> assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0)
    throw InputError(fmt::format("sweep plot: \"{}\": expected column=value", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

double positive(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value > 0))
    throw InputError(fmt::format("sweep plot: \"{}\" is not a number above 0", text));
  return value;
}

}  // namespace

int plot(const Arguments& arguments) {
  sweep::PlotOptions options;
  std::string from, name, line, scale;
  std::vector<std::string> only;
  po::options_description shown("Options"), hidden;
  shown.add_options()("x", po::value(&options.x)->value_name("COLUMN"), "what goes to the right")(
      "y", po::value(&options.y)->default_value(options.y)->value_name("COLUMN"), "what goes up")(
      "by", po::value(&options.by)->value_name("COLUMN"), "a curve for each of its values (default: scheme)")(
      "value", po::value(&options.value)->value_name("COLUMN"), "draw a heat map of this over x and y")(
      "panels", po::value(&options.panels)->composing()->value_name("COLUMN"),
      "a panel for each of its values; may be repeated")(
      "scheme", po::value(&options.scheme)->value_name("SCHEME"), "show this scheme only")(
      "only", po::value(&only)->composing()->value_name("COLUMN=VALUE"),
      "show these rows only; may be repeated")("line", po::value(&line)->value_name("V"),
                                               "heat map: a line where the value crosses V")(
      "versus", po::value(&options.versus)->value_name("SCHEME"),
      "the line's value is that scheme's time over the cell's: 1 where both are equally good")(
      "scale", po::value(&scale)->value_name("COLUMN=F"),
      "with --versus: the scheme's time at F times this column")(
      "line-title", po::value(&options.line_title)->default_value(options.line_title)->value_name("TEXT"),
      "what the line is called")("title", po::value(&options.title)->value_name("TEXT"), "of the picture")(
      "output,o", po::value(&name)->value_name("NAME"), "writes NAME.svg and NAME.png");
  hidden.add_options()("from", po::value(&from));
  po::positional_options_description operands;
  operands.add("from", 1);
  const auto values = parse_options({"sweep plot", "DIR|results.csv --x COLUMN [options] -o NAME",
                                     "Draws results of a sweep, with gnuplot: curves, or a heat map if "
                                     "--value is given. A column may be named\n"
                                     "as in results.csv or by its key (topology.bandwidth).\n"},
                                    shown, hidden, operands, arguments);
  if (!values) return kDone;
  if (from.empty() || options.x.empty() || name.empty())
    throw InputError(
        "sweep plot: needs a directory or results.csv, --x and -o (see t3sim sweep plot --help)");
  check_output_file("sweep plot", name + ".svg", {"<?xml"});
  check_output_file("sweep plot", name + ".png", {"\x89PNG"});
  if (options.value.empty() && (!line.empty() || !options.versus.empty() || !scale.empty()))
    throw InputError("sweep plot: --line, --versus and --scale are of heat maps: they need --value");
  for (const std::string& text : only) options.only.push_back(assignment(text));
  if (!line.empty()) {
    options.has_line = true;
    options.line = positive(line);
  }
  if (!scale.empty()) {
    options.scale_column = assignment(scale).first;
    options.scale_factor = positive(assignment(scale).second);
  }
  if (std::filesystem::is_directory(from)) from += "/results.csv";
  sweep::draw(sweep::plot_script(sweep::read_csv(from), options), name);
  fmt::print("{0}.svg {0}.png\n", name);
  return kDone;
}

}  // namespace t3sim::sweep_commands
