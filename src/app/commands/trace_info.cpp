// t3sim trace info
#include <fmt/format.h>

#include "app/commands/trace_commands.h"
#include "app/options.h"
#include "base/error.h"
#include "base/number.h"
#include "results/text_table.h"
#include "trace/trace_kernel.h"
#include "trace/trace_picture.h"
#include "trace/trace_summary.h"

namespace t3sim::trace_commands {
namespace po = boost::program_options;
namespace {

std::string megabytes(std::uint64_t bytes) { return fmt::format("{:.2f} MB", real(bytes) / 1e6); }

double per_byte(std::uint64_t flops, std::uint64_t bytes) {
  return bytes == 0 ? 0 : real(flops) / real(bytes);
}

void print_bytes(const TraceSummary& s, bool gemm) {
  TextTable table;
  table.cells({"bytes", "moved", "different"});
  table.row();
  table.cells({"loads", megabytes(s.all_load_bytes()), megabytes(s.touched_load_bytes)});
  constexpr std::array<const char*, kOperands> kNames{"  of A", "  of B", "  of C", "  others"};
  for (std::size_t i = 0; gemm && i < kOperands; ++i) {
    if (s.load_bytes[i] == 0) continue;
    table.row();
    table.cells({kNames[i], megabytes(s.load_bytes[i])});
  }
  table.row();
  table.cells(
      {"stores", megabytes(s.store_bytes), s.update_bytes == 0 ? megabytes(s.touched_store_bytes) : ""});
  if (s.update_bytes > 0) {
    table.row();
    table.cells({"updates", megabytes(s.update_bytes), megabytes(s.touched_store_bytes)});
  }
  fmt::print("\n{}", table.text());
}

void print_work(const TraceSummary& s) {
  fmt::print("\nwork: {:.3f} GFLOP", real(s.useful_flops) / 1e9);
  if (s.matrix_flops > 0) fmt::print(", {:.3f} with the padding of edge tiles", real(s.matrix_flops) / 1e9);
  if (s.cycles > 0) fmt::print("; {} CU cycles of the issue model", s.cycles);
  const std::uint64_t moved = s.all_load_bytes() + s.store_bytes + s.update_bytes;
  fmt::print(
      "\narithmetic intensity: {:.1f} FLOP/B as moved before any cache, {:.1f} if each byte moved once\n",
      per_byte(s.useful_flops, moved),
      per_byte(s.useful_flops, s.touched_load_bytes + s.touched_store_bytes));
}

void print_pictures(const TraceKernel& kernel, const TraceSummary& s, const IdealMachine& machine) {
  const std::string time = kernel.traits().timing == Timing::none
                               ? fmt::format("{} FLOP/cycle a CU at {} MHz, no waiting for memory",
                                             machine.matrix_flops_per_cycle, machine.clock_mhz)
                               : "measured times";
  fmt::print("\nstages of {} workgroups ({} CUs), {}; # main loop, = from the first store on\n",
             s.workgroups_per_stage, machine.cus, time);
  fmt::print("{}", picture_of_stages(s));
  if (!kernel.header().gemm) return;
  fmt::print("\ntiles by stage: {}", picture_of_tiles(s, kernel.header().gemm->c().grid));
}

}  // namespace

int info(const Arguments& arguments) {
  std::string input;
  IdealMachine machine;
  po::options_description shown("Options"), hidden;
  shown.add_options()("cus", po::value(&machine.cus)->default_value(machine.cus),
                      "of the machine that is drawn")(
      "workgroups-per-cu", po::value(&machine.workgroups_per_cu)->default_value(machine.workgroups_per_cu),
      "resident at once, if the trace does not say");
  hidden.add_options()("input", po::value(&input));
  po::positional_options_description operands;
  operands.add("input", 1);
  const auto values = parse_options(
      {"trace info", "TRACE [options]",
       "Shows the head of a trace, its bytes and work, its stages over time and the order of its tiles.\n"},
      shown, hidden, operands, arguments);
  if (!values) return kDone;
  if (input.empty()) throw InputError("trace info: no trace named (see t3sim trace info --help)");
  constexpr std::uint32_t kMost = 1 << 16;
  if (machine.cus < 1 || machine.cus > kMost || machine.workgroups_per_cu < 1 ||
      machine.workgroups_per_cu > kMost)
    throw InputError(fmt::format("trace info: --cus and --workgroups-per-cu must be 1 to {}", kMost));
  TraceKernel kernel(input);
  const TraceSummary summary = summarize(kernel, kernel.header().gemm, machine);
  fmt::print("{}", format_trace_header(kernel.header()));
  fmt::print("{} workgroups, {} groups, {} runs of loads and {} of stores in {} bytes of file\n",
             kernel.workgroups(), summary.groups, summary.load_runs, summary.store_runs, kernel.file_bytes());
  print_bytes(summary, kernel.header().gemm.has_value());
  print_work(summary);
  print_pictures(kernel, summary, machine);
  return kDone;
}

}  // namespace t3sim::trace_commands
