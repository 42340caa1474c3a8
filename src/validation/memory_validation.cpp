#include "validation/memory_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/number.h"
#include "memctrl/address_map.h"
#include "memctrl/replay.h"
#include "validation/reference_results.h"

namespace t3sim {

namespace {

constexpr double kSpanMargin = 0.05;   // the references' span is widened by this on either side
constexpr double kLimitMargin = 0.03;  // below the limit of the activates

// Random reads: one activate each, at most one each RRD and four each FAW, while no refresh is under way. In
// per cent of the peak.
double activation_limit(const MemoryConfig& memory) {
  const double interval = std::max<double>(memory.timing.rrd_s, memory.timing.faw / 4.0);
  const double refresh = memory.refresh.mode == RefreshMode::all_bank
                             ? real(memory.refresh.all_bank_cycles) / memory.refresh.interval_cycles
                             : 0;
  return 100 * std::min(1.0, memory.timing.burst / interval) * (1 - refresh);
}

class Validation {
 public:
  Validation(const MemoryConfig& memory, const std::string& data, unsigned repeats)
      : memory_(memory), data_(data), repeats_(repeats), references_(data + "/results.csv") {}

  MemoryValidation run() {
    unloaded_latencies();
    bool any = false;
    for (const std::string& workload : references_.workloads()) {
      if (!std::filesystem::exists(file_of(workload))) continue;  // too long to be shipped
      trace(workload);
      any = true;
    }
    if (!any) throw InputError(data_ + ": has none of the traces that its results.csv names");
    return std::move(result_);
  }

 private:
  std::string file_of(const std::string& workload) const { return data_ + "/" + workload + ".txt.gz"; }

  void row(const std::string& id, double ours, Span reference, const std::string& unit) {
    result_.rows.push_back({id, ours, reference.lowest, reference.highest, 0, 0, unit});
  }
  void gate(const std::string& id, double ours, Span reference, Span accepted, const std::string& unit) {
    result_.rows.push_back(
        {id, ours, reference.lowest, reference.highest, accepted.lowest, accepted.highest, unit});
  }

  // Reads with nothing else under way: the first finds its bank closed, the second another row open, the
  // third its own row open.
  void unloaded_latencies() {
    const std::uint64_t row_bytes = memory_.row_bytes * memory_.banks();  // all of a row's banks and columns
    const auto read = [&](std::uint64_t first_row, std::uint64_t second_row) {
      MemoryConfig one = memory_;
      one.refresh.mode = RefreshMode::none;
      const std::vector<TraceRequest> requests{{10, first_row * row_bytes, Op::read},
                                               {1000, second_row * row_bytes, Op::read}};
      return replay(one, requests);
    };
    const double ns = 1e9 / real(memory_.clock_hz);
    const DramTiming& t = memory_.timing;
    const double hit = (1 + t.cl + t.burst) * ns;
    const auto exact = [&](const char* id, double ours, double closed_form) {
      gate(id, ours, {closed_form, closed_form}, {closed_form, closed_form}, "ns");
    };
    const ReplayResult same_row = read(0, 0), other_row = read(0, 1);
    exact("unloaded.row_hit", same_row.min_read_latency_ns, hit);
    exact("unloaded.closed_bank", same_row.max_read_latency_ns, hit + t.rcd_read * ns);
    exact("unloaded.row_conflict", other_row.max_read_latency_ns, hit + (t.rp + t.rcd_read) * ns);
  }

  void trace(const std::string& workload) {
    const std::vector<TraceRequest> requests = read_memory_trace(file_of(workload));
    const ReplayResult checked = replay(memory_, requests, true);
    result_.commands_checked += checked.commands_checked;
    for (const std::string& v : checked.violations) result_.violations.push_back(workload + ": " + v);
    bandwidth(workload, checked);
    reported(workload, "read_latency_mean", "avg_read_lat_ns", checked.avg_read_latency_ns, "ns");
    reported(workload, "read_latency_p50", "p50_read_lat_ns", checked.p50_read_latency_ns, "ns");
    reported(workload, "read_latency_p99", "p99_read_lat_ns", checked.p99_read_latency_ns, "ns");
    reported(workload, "row_hits", "rowhit_pct", 100 * checked.row_hit_rate, "%");
    reported(workload, "activates", "num_act", real(checked.activates), "1");
    reported(workload, "refreshes", "num_ref", real(checked.refreshes), "1");
    speed(workload, requests);
  }

  void bandwidth(const std::string& workload, const ReplayResult& r) {
    const double ours = 100 * r.bandwidth_GBps * 1e9 / memory_.peak_bytes_per_second();
    const std::string id = workload + ".bandwidth";
    const std::optional<Span> span = references_.span(workload, "bw_pct_peak");
    if (workload == "b_rand_read") {
      const double limit = activation_limit(memory_);
      gate(id, ours, span.value_or(Span{limit, limit}), {(1 - kLimitMargin) * limit, limit}, "% of peak");
    } else if (span) {
      gate(id, ours, *span, {(1 - kSpanMargin) * span->lowest, (1 + kSpanMargin) * span->highest},
           "% of peak");
    }
  }

  void reported(const std::string& workload, const char* name, const char* metric, double ours,
                const char* unit) {
    if (const std::optional<Span> span = references_.span(workload, metric))
      row(workload + "." + name, ours, *span, unit);
  }

  void speed(const std::string& workload, const std::vector<TraceRequest>& requests) {
    if (repeats_ == 0) return;
    std::vector<double> rates;
    for (unsigned i = 0; i < repeats_; ++i)
      rates.push_back(real(requests.size()) / replay(memory_, requests).host_cpu_seconds);
    std::sort(rates.begin(), rates.end());
    const Span span = references_.span(workload, "reqs_per_cpu_s_median").value_or(Span{});
    result_.speeds.push_back({workload, rates[rates.size() / 2], span.lowest, span.highest});
  }

  const MemoryConfig& memory_;
  std::string data_;
  unsigned repeats_;
  ReferenceResults references_;
  MemoryValidation result_;
};

std::string verdict(const MemoryRow& row) {
  return !row.gate() ? "reported" : row.passed() ? "pass" : "FAIL";
}

std::string range(double from, double to) {
  return from == to ? fmt::format("{:.6g}", from) : fmt::format("{:.6g} to {:.6g}", from, to);
}

// How far ours lies outside the target, in per cent of its nearer end; 0 inside.
double difference_pct(const MemoryRow& row) {
  const double nearest =
      row.gate() ? std::clamp(row.ours, row.from, row.to) : std::clamp(row.ours, row.lowest, row.highest);
  return nearest == 0 ? 0 : 100 * (row.ours - nearest) / nearest;
}

}  // namespace

bool MemoryValidation::passed() const {
  return violations.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const MemoryRow& r) { return r.passed(); });
}

MemoryValidation validate_memory(const MemoryConfig& memory, const std::string& data, unsigned repeats) {
  return Validation(memory, data, repeats).run();
}

std::string memory_summary_csv(const MemoryValidation& validation) {
  std::string csv = "id,target,ours,difference,kind,verdict,references_lowest,references_highest,unit\n";
  for (const MemoryRow& r : validation.rows)
    csv += fmt::format("{},{},{:.6g},{:.2f} %,{},{},{:.6g},{:.6g},{}\n", r.id,
                       r.gate() ? range(r.from, r.to) : range(r.lowest, r.highest), r.ours, difference_pct(r),
                       r.gate() ? "gate" : "reported", verdict(r), r.lowest, r.highest, r.unit);
  return csv;
}

std::string memory_speed_csv(const MemoryValidation& validation) {
  std::string csv = "trace,ours_requests_per_cpu_s,references_slowest,references_fastest,times_fastest\n";
  for (const MemorySpeed& s : validation.speeds)
    csv += fmt::format("{},{:.0f},{:.0f},{:.0f},{:.1f}\n", s.trace, s.ours_requests_per_s, s.lowest,
                       s.highest, s.highest > 0 ? s.ours_requests_per_s / s.highest : 0);
  return csv;
}

std::string memory_markdown(const MemoryValidation& validation) {
  std::string page = "| quantity | ours | references | accepted | verdict |\n|---|---|---|---|---|\n";
  for (const MemoryRow& r : validation.rows)
    page += fmt::format("| {} ({}) | {:.5g} | {} | {} | {} |\n", r.id, r.unit, r.ours,
                        range(r.lowest, r.highest), r.gate() ? range(r.from, r.to) : "", verdict(r));
  page += fmt::format("\nThe protocol checker saw {} commands and found {} violations.\n",
                      validation.commands_checked, validation.violations.size());
  if (validation.speeds.empty()) return page;
  page += "\n| trace | ours, thousand requests per CPU second | references |\n|---|---|---|\n";
  for (const MemorySpeed& s : validation.speeds)
    page += fmt::format("| {} | {:.0f} | {:.0f} to {:.0f} |\n", s.trace, s.ours_requests_per_s / 1e3,
                        s.lowest / 1e3, s.highest / 1e3);
  return page;
}

}  // namespace t3sim
