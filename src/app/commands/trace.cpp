// t3sim trace: makes, imports and shows traces of GEMM kernels.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <regex>

#include "app/commands/trace_commands.h"
#include "app/output_file.h"
#include "base/error.h"
#include "trace/trace_kernel.h"

namespace t3sim {
namespace {

constexpr std::string_view kTraceHelp =
    "Usage: t3sim trace gen|import|info ...     t3sim trace gen --help\n\n"
    "A trace says what each wavefront of a kernel loads, computes and stores, in order.\n\n"
    "  gen       make the trace of a GEMM from its shape, tile, layouts and order\n"
    "  import    make a trace from a recorded kernel: an Accel-Sim trace, or a measured timeline\n"
    "  info      say what is in a trace, and draw its stages and the order of its tiles\n";

}  // namespace

int trace_command(const Arguments& arguments) {
  const std::string what = arguments.empty() ? "" : arguments.front();
  if (what == "--help" || what == "-h") {
    fmt::print("{}", kTraceHelp);
    return kDone;
  }
  const Arguments rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (what == "gen") return trace_commands::generate(rest);
  if (what == "import") return trace_commands::import(rest);
  if (what == "info") return trace_commands::info(rest);
  throw InputError(what.empty()
                       ? "trace: gen, import or info? (see t3sim trace --help)"
                       : fmt::format("trace: \"{}\" is unknown: gen, import and info are known", what));
}

namespace trace_commands {

std::string date_or_today(const std::string& date) {
  if (!date.empty()) {
    static const std::regex form("[0-9]{4}-[0-9]{2}-[0-9]{2}");
    int year = 0, month = 0, day = 0;
    if (std::regex_match(date, form)) std::sscanf(date.c_str(), "%d-%d-%d", &year, &month, &day);
    if (!std::chrono::year_month_day(std::chrono::year(year),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
             .ok())
      throw InputError(fmt::format("trace: --date \"{}\" is no day; allowed: YYYY-MM-DD", date));
    return date;
  }
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t now = epoch != nullptr ? std::strtoll(epoch, nullptr, 10) : std::time(nullptr);
  std::tm day{};
  gmtime_r(&now, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

void check_trace_output(const std::string& command, const std::string& path) {
  check_output_file(command, path, {"t3sim-trace"});
}

void report_written(const std::filesystem::path& trace) {
  const TraceKernel kernel(trace);
  fmt::print("{}: {} workgroups, {} bytes\n", trace.string(), kernel.workgroups(), kernel.file_bytes());
}

}  // namespace trace_commands
}  // namespace t3sim
