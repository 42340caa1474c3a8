#include "app/options.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <sstream>
#include <typeinfo>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"

namespace t3sim {
namespace po = boost::program_options;
namespace {

[[noreturn]] void fail(const Usage& usage, const std::string& message) {
  throw InputError(fmt::format("{}: {} (see t3sim {} --help)", usage.command, message, usage.command));
}

[[noreturn]] void refuse_unknown(const Usage& usage, const std::string& option,
                                 const po::options_description& shown) {
  std::vector<std::string> names;
  for (const auto& o : shown.options()) names.push_back("--" + o->long_name());
  const std::string near = nearest(option, names);
  fail(usage, near.empty() ? fmt::format("unknown option \"{}\"", option)
                           : fmt::format("unknown option \"{}\"; did you mean {}?", option, near));
}

void print_help(const Usage& usage, const po::options_description& shown) {
  std::ostringstream options;
  options << shown;
  fmt::print("Usage: t3sim {} {}\n\n{}\n{}", usage.command, usage.synopsis, usage.text, options.str());
}

// "--runs=" says that there is nothing; the library wants the nothing as a word of its own.
Arguments with_empty_values(const Arguments& arguments) {
  Arguments words;
  for (const std::string& word : arguments) {
    const bool empty = word.starts_with("--") && word.find('=') + 1 == word.size();
    words.push_back(empty ? word.substr(0, word.size() - 1) : word);
    if (empty) words.emplace_back();
  }
  return words;
}

bool holds_no_negatives(const boost::any& value) {
  const std::type_info& type = value.type();
  return type == typeid(unsigned) || type == typeid(unsigned long) || type == typeid(unsigned long long);
}

// The library reads -1 as the largest number there is.
void refuse_negatives(const Usage& usage, const po::parsed_options& parsed, const po::variables_map& values) {
  for (const po::option& option : parsed.options) {
    if (!values.count(option.string_key) || !holds_no_negatives(values[option.string_key].value())) continue;
    for (const std::string& text : option.value)
      if (text.starts_with('-')) fail(usage, fmt::format("--{}: {} is below 0", option.string_key, text));
  }
}

}  // namespace

// What is written would replace the link, or fail at the end of the work.
static void refuse_dangling(const Usage& usage, const po::variables_map& values) {
  if (!values.count("output")) return;
  const auto* path = boost::any_cast<std::string>(&values["output"].value());
  std::error_code ignored;
  if (path && std::filesystem::is_symlink(*path, ignored) && !std::filesystem::exists(*path, ignored))
    throw InputError(fmt::format("{}: -o {}: is a link to what is not there", usage.command, *path));
}

std::optional<po::variables_map> parse_options(const Usage& usage, po::options_description shown,
                                               const po::options_description& hidden,
                                               const po::positional_options_description& operands,
                                               const Arguments& arguments) {
  shown.add_options()("help,h", "this text");
  po::options_description all;
  all.add(shown).add(hidden);
  // No guessing: an abbreviation that works today may mean something else tomorrow.
  constexpr int kStyle = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  try {
    const Arguments words = with_empty_values(arguments);
    const po::parsed_options parsed =
        po::command_line_parser(words).options(all).positional(operands).style(kStyle).run();
    po::store(parsed, values);
    refuse_negatives(usage, parsed, values);
    if (values.count("help")) {
      print_help(usage, shown);
      return std::nullopt;
    }
    po::notify(values);
    refuse_dangling(usage, values);
  } catch (const po::unknown_option& e) {
    refuse_unknown(usage, e.get_option_name(), shown);
  } catch (const po::too_many_positional_options_error&) {
    fail(usage, "too many arguments");
  } catch (const po::error& e) {
    fail(usage, e.what());
  }
  return values;
}

}  // namespace t3sim
