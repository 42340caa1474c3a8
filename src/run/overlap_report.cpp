#include "run/overlap_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace t3sim {
namespace {

std::string row(const char* what, double us, const std::string& more = "") {
  return fmt::format("{:<22}{:>10.2f}{}{}\n", what, us, more.empty() ? "" : "  ", more);
}

std::string against_whole(const std::optional<double>& ratio, const std::string& whole) {
  return ratio ? fmt::format("{:.3f} times {}", *ratio, whole) : "";
}

}  // namespace

std::string overlap_text(const Overlap& o) {
  std::string text = "\nalone                         us\n";
  text += row("kernels", o.kernels_us);
  if (o.whole_gemm_us) {
    text += row("of them GEMMs", o.gemms_us, against_whole(o.gemm_decomposition(), "one GEMM"));
    text += row("one GEMM", *o.whole_gemm_us, o.whole_gemm);
  }
  text += row("communication", o.communication_us, against_whole(o.copy_decomposition(), "whole copies"));
  if (o.whole_copies_us) text += row("whole copies", *o.whole_copies_us);
  text += row("one after the other", o.sequential_us());
  if (const auto efficiency = o.efficiency())
    text += fmt::format(
        "overlap efficiency {:.3f}: {}\n", *efficiency,
        *efficiency >= 0 ? "so much of the communication is hidden" : "slower than one after the other");
  if (o.kernel_contention)
    text += fmt::format("kernels take {:.3f} times as long as alone\n", *o.kernel_contention);
  if (o.communication_contention)
    text += fmt::format("communication takes {:.3f} times as long as alone\n", *o.communication_contention);
  return text;
}

nlohmann::ordered_json overlap_json(const Overlap& o) {
  nlohmann::ordered_json json{{"kernels_us", o.kernels_us}, {"communication_us", o.communication_us}};
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) json[name] = *value;
  };
  if (o.whole_gemm_us) json["gemms_us"] = o.gemms_us;
  add("whole_gemm_us", o.whole_gemm_us);
  if (o.whole_gemm_us) json["whole_gemm"] = o.whole_gemm;
  add("whole_copies_us", o.whole_copies_us);
  json["sequential_us"] = o.sequential_us();
  add("efficiency", o.efficiency());
  add("gemm_decomposition", o.gemm_decomposition());
  add("copy_decomposition", o.copy_decomposition());
  add("kernel_contention", o.kernel_contention);
  add("communication_contention", o.communication_contention);
  return json;
}

}  // namespace t3sim
