// Rows of a GEMM beside transfers: how much each slows the other.
#include <fmt/format.h>

#include "system/validation/measured/gemm_model.h"
#include "system/validation/measured/row_cases.h"

namespace t3sim {
namespace {

bool by_copy_engine(const InterferenceRow& row) { return row.kind == "copy_engine"; }

double gather_s(const ChannelMachine& machine, const InterferenceRow& row) {
  const std::uint64_t array = row.comm_bytes * row.world / (row.world - 1);
  return collective_seconds(machine, CollectiveOp::all_gather, row.world, array, 0);
}

// Each transfer beside the GEMM, and the GEMM beside the transfers.
struct Together {
  double gemm_s = 0, transfer_s = 0;
};

// A GEMM keeps the L2 busy, which a CU's window of loads cannot hide, and its power lowers the clock of all
// CUs.
double gather_beside_s(const MeasuredMachine& machine, const InterferenceRow& row, double clock_share) {
  ChannelMachine busy = machine.channels();
  busy.clock_hz *= clock_share;
  busy.load_latency_s *= machine.config.execution.channel.busy_latency / clock_share;
  return gather_s(busy, row);
}

// Transfers take power by the bytes they move. Those that CUs do take CUs as well, but for the launch of
// each.
Together by_channels(const MeasuredMachine& machine, const LibraryGemm& kernel, const InterferenceRow& row) {
  const ExecutionConfig& e = machine.config.execution;
  GemmSurroundings beside;
  Together both{gemm_timing(machine, kernel).seconds, gather_s(machine.channels(), row)};
  beside.cus = static_cast<std::uint32_t>(machine.config.gpu.cus) -
               collective_channels(machine.channels(), CollectiveOp::all_gather, 0);
  for (int i = 0; i < 8; ++i) {  // each sets the pace of the other
    const double rate = static_cast<double>(row.comm_bytes) / both.transfer_s;
    beside.transfer_power = e.power.transfer_share * rate / machine.link_Bps();
    const GemmTiming fewer = gemm_timing(machine, kernel, beside);
    both.transfer_s = gather_beside_s(machine, row, fewer.clock_share);
    const double free = static_cast<double>(e.channel.launch_ps) * 1e-12 / both.transfer_s;
    both.gemm_s = 1 / ((1 - free) / fewer.seconds + free / gemm_timing(machine, kernel).seconds);
  }
  return both;
}

// A copy engine has enough under way to hide what a busy L2 adds.
Together by_copies(const MeasuredMachine& machine, const LibraryGemm& kernel, const InterferenceRow& row) {
  GemmSurroundings beside;
  const double bytes_per_second = machine.copy_link_Bps();
  beside.transfer_power =
      machine.config.execution.power.transfer_share * bytes_per_second / machine.link_Bps();
  return {gemm_timing(machine, kernel, beside).seconds,
          static_cast<double>(row.comm_bytes) / bytes_per_second};
}

}  // namespace

void cases_of(const InterferenceRow& row, const CaseSink& to) {
  const std::optional<LibraryGemm> kernel = to.names.find(row.shape);
  if (!kernel || (!by_copy_engine(row) && row.kind != "nccl_all_gather")) {
    ++to.left_out[kernel ? fmt::format("interference of {}", row.kind)
                         : "interference rows of shapes whose tile no row of GEMM traffic names"];
    return;
  }
  MeasuredCase c;
  c.kind = CaseKind::interference;
  c.id = fmt::format("{} world {} beside {} {}x{}x{}", row.kind, row.world, row.model, row.shape.m,
                     row.shape.n, row.shape.k);
  c.unit = "%";
  c.kernel = *kernel;
  c.row = row;
  for (const auto& [quantity, alone, shared] :
       {std::tuple{"GEMM slowed by", row.gemm_alone_s, row.gemm_shared_s},
        std::tuple{"transfer slowed by", row.comm_alone_s, row.comm_shared_s}}) {
    c.quantity = quantity;
    c.measured = 100 * (shared / alone - 1);
    to.cases.push_back(c);
  }
}

double ours_of(const MeasuredMachine& machine, const MeasuredCase& c, const InterferenceRow& row) {
  const bool copies = by_copy_engine(row);
  const Together both = copies ? by_copies(machine, c.kernel, row) : by_channels(machine, c.kernel, row);
  if (c.quantity.starts_with("GEMM")) return 100 * (both.gemm_s / gemm_timing(machine, c.kernel).seconds - 1);
  const double alone = copies ? static_cast<double>(row.comm_bytes) / machine.copy_link_Bps()
                              : gather_s(machine.channels(), row);
  return 100 * (both.transfer_s / alone - 1);
}

}  // namespace t3sim
