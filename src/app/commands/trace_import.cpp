// t3sim trace import accelsim|timeline
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "app/commands/trace_commands.h"
#include "app/options.h"
#include "base/error.h"
#include "base/number.h"
#include "results/progress.h"
#include "trace/import/accelsim/import.h"
#include "trace/import/timeline/timeline_kernel.h"
#include "trace/trace_writer.h"

namespace t3sim::trace_commands {
namespace po = boost::program_options;
namespace {

constexpr std::string_view kTraceImportHelp =
    "Usage: t3sim trace import accelsim FILE -o TRACE [options]\n"
    "       t3sim trace import timeline FILE.csv -o TRACE [options]\n\n"
    "  accelsim    a kernel recorded by Accel-Sim's tracer (.traceg, plain, gz or xz) or a kernelslist.g\n"
    "  timeline    when each tile of a kernel started, left its main loop and ended on a real GPU\n";

// What both kinds of import are asked for.
struct Common {
  std::string input, output, name, date;
  bool quiet = false;

  void add_to(po::options_description& shown, po::options_description& hidden) {
    shown.add_options()("output,o", po::value(&output)->value_name("TRACE"), "the trace to write")(
        "name", po::value(&name), "what the kernel is called, if not as in the file")(
        "date", po::value(&date)->value_name("YYYY-MM-DD"), "day to put in the head; today without it")(
        "quiet", po::bool_switch(&quiet), "no progress");
    hidden.add_options()("input", po::value(&input));
  }
  void check(std::string_view command) const {
    if (input.empty())
      throw InputError(fmt::format("{}: no file named (see t3sim {} --help)", command, command));
    if (output.empty())
      throw InputError(fmt::format("{}: -o TRACE is missing (see t3sim {} --help)", command, command));
    std::error_code not_there;
    if (std::filesystem::equivalent(input, output, not_there))
      throw InputError(fmt::format("{}: -o {}: would replace the recording that is read", command, output));
    check_trace_output(std::string(command), output);
  }
  std::string source() const {
    return fmt::format("t3sim trace import of {}", std::filesystem::path(input).filename().string());
  }
};

po::positional_options_description one_operand() {
  po::positional_options_description operands;
  operands.add("input", 1);
  return operands;
}

std::filesystem::path kernel_file(const std::filesystem::path& input, std::uint32_t number) {
  if (input.extension() != ".g") return input;
  const std::vector<std::filesystem::path> kernels = accelsim::kernels_of_list(input);
  if (number == 0 && kernels.size() > 1)
    throw InputError(fmt::format("{}: it lists {} kernels: choose one with --kernel 1 to {}", input.string(),
                                 kernels.size(), kernels.size()));
  if (number > kernels.size())
    throw InputError(
        fmt::format("{}: there is no kernel {}: it lists {}", input.string(), number, kernels.size()));
  return kernels[number == 0 ? 0 : number - 1];
}

// Which GEMM a recorded kernel is, if the user says so.
class GemmDeclaration {
 public:
  void add_to(po::options_description& shown) {
    shape_.add_shape_to(group_);
    group_.add_options()("a-address", po::value(&a_)->value_name("0x..."), "where A is")(
        "b-address", po::value(&b_)->value_name("0x..."), "where B is")(
        "c-address", po::value(&c_)->value_name("0x..."), "where the output is");
    shown.add(group_);
  }
  std::optional<GemmSpec> spec(const po::variables_map& values) const {
    if (!values.count("m")) return std::nullopt;
    GemmSpec spec;
    shape_.apply(values, spec);
    spec.a_address = address("a-address", a_);
    spec.b_address = address("b-address", b_);
    spec.c_address = address("c-address", c_);
    spec.check();
    return spec;
  }

 private:
  static std::uint64_t address(std::string_view option, std::string_view text) {
    std::uint64_t value = 0;
    const std::string_view digits = text.starts_with("0x") ? text.substr(2) : "";
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
      throw InputError(fmt::format("trace import accelsim: --{} '{}' is not an address like 0x7f0000000000",
                                   option, text));
    return value;
  }

  GemmOptions shape_;
  po::options_description group_{
      "If it is a GEMM (so that its output can be tracked); --m to --c-address all needed"};
  std::string a_, b_, c_;
};

void report(const accelsim::ImportSummary& summary, const accelsim::IssueModel& model) {
  const accelsim::BlockCounts& c = summary.counts;
  fmt::print("{} thread blocks, {} warp instructions, {} barriers\n", summary.thread_blocks, c.instructions,
             c.barriers);
  fmt::print("sectors of 32 B: {} loaded, {} stored, {} updated\n", c.load_sectors, c.store_sectors,
             c.update_sectors);
  fmt::print("issue model: {}\n", model.describe());
  if (c.local_accesses > 0)
    fmt::print("note: {} accesses to local memory are taken as L1 hits\n", c.local_accesses);
  if (c.unknown_tensor > 0)
    fmt::print("note: {} tensor instructions of unknown shape are taken as free\n", c.unknown_tensor);
}

int import_accelsim(const Arguments& arguments) {
  Common common;
  std::uint32_t kernel = 0;
  std::string model_name;
  std::vector<std::string> changes;
  po::options_description shown("Options"), hidden;
  common.add_to(shown, hidden);
  shown.add_options()("kernel", po::value(&kernel)->value_name("N"),
                      "which kernel of a kernelslist.g, from 1")(
      "issue-model", po::value(&model_name)->default_value("volta")->value_name("GPU"),
      "turns instructions into cycles: volta, ampere or hopper")(
      "issue", po::value(&changes)->composing()->value_name("key=value"),
      "changes a number of the issue model");
  GemmDeclaration gemm;
  gemm.add_to(shown);
  const auto values = parse_options({"trace import accelsim", "FILE -o TRACE [options]",
                                     "Reads an Accel-Sim kernel trace of any size as a stream.\n"},
                                    shown, hidden, one_operand(), arguments);
  if (!values) return kDone;
  common.check("trace import accelsim");
  if (values->count("kernel") && kernel == 0)
    throw InputError("trace import accelsim: --kernel: allowed: 1 and more");
  accelsim::ImportOptions options;
  options.model = accelsim::issue_model(model_name);
  for (const std::string& change : changes) options.model.set(change);
  options.gemm = gemm.spec(*values);
  options.name = common.name;
  options.source = common.source();
  options.date = date_or_today(common.date);
  Progress progress(Progress::mode_for(common.quiet));
  progress.begin("import", 1, 1);
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    progress.update(1, real(done) / real(all));
  };
  const auto summary = accelsim::import_kernel(kernel_file(common.input, kernel), common.output, options);
  progress.end(1);
  report(summary, options.model);
  report_written(common.output);
  return kDone;
}

TimelineUse use_from(const std::string& text) {
  if (text == "stores") return TimelineUse::stores;
  if (text == "compute") return TimelineUse::compute;
  throw InputError(fmt::format("trace import timeline: --use {}: it must be stores or compute", text));
}

int import_timeline(const Arguments& arguments) {
  Common common;
  GemmOptions gemm;
  std::string case_name, cases_file, use;
  po::options_description shown("Options"), hidden;
  common.add_to(shown, hidden);
  shown.add_options()("case", po::value(&case_name)->value_name("NAME"), "which case of the file")(
      "cases", po::value(&cases_file)->value_name("FILE.csv"), "shape, tile and so on of the cases")(
      "use", po::value(&use)->default_value("stores")->value_name("WHAT"),
      "stores: they leave when they did; compute: it takes as long as it did, and memory is simulated");
  gemm.add_shape_to(shown);
  const auto values = parse_options({"trace import timeline", "FILE.csv -o TRACE [options]",
                                     "Reads the columns case, wg, tile_m, tile_n, cu, start_ns, "
                                     "mainloop_end_ns, end_ns. The GEMM's shape comes\n"
                                     "from --cases, a table with M, N, K, BM, BN, BK, group_m, warps and "
                                     "stages by case, or from the options.\n"},
                                    shown, hidden, one_operand(), arguments);
  if (!values) return kDone;
  common.check("trace import timeline");
  Timeline timeline = read_timeline(common.input, case_name);
  TraceHeader header;
  header.gemm.emplace();
  header.gemm->layout = GemmLayout::tt;
  if (!cases_file.empty()) header.gemm = read_timeline_gemm(cases_file, timeline.case_name);
  gemm.apply(*values, *header.gemm);
  header.name = common.name.empty() ? timeline.case_name : common.name;
  header.source = fmt::format("{}, case {}, use {}", common.source(), timeline.case_name, use);
  header.date = date_or_today(common.date);
  fmt::print("{}: {} tiles, last store at {:.3f} us\n", timeline.case_name, timeline.tiles.size(),
             real(timeline.end_ns()) / 1000);
  TimelineKernel kernel(*header.gemm, std::move(timeline), use_from(use));
  write_trace(common.output, header, kernel);
  report_written(common.output);
  return kDone;
}

}  // namespace

int import(const Arguments& arguments) {
  const std::string from = arguments.empty() ? "" : arguments.front();
  if (from == "--help" || from == "-h") {
    fmt::print("{}", kTraceImportHelp);
    return kDone;
  }
  const Arguments rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (from == "accelsim") return import_accelsim(rest);
  if (from == "timeline") return import_timeline(rest);
  throw InputError(
      from.empty() ? "trace import: accelsim or timeline? (see t3sim trace import --help)"
                   : fmt::format("trace import: \"{}\" is unknown: accelsim and timeline are known", from));
}

}  // namespace t3sim::trace_commands
