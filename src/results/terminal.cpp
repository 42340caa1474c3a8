#include "results/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "results/stacked_bars.h"
#include "results/text_table.h"

namespace t3sim {
namespace {

using Names = std::vector<std::string>;
using Schemes = std::vector<SchemeResult>;

// "gemm_us" -> "GEMM", "rs_read" -> "RS read": keys as people say them.
// `exchange`: RunReport::exchange.
std::string spoken(std::string_view key, std::string_view exchange) {
  if (key.ends_with("_us")) key.remove_suffix(3);
  const std::size_t split = std::min(key.find('_'), key.size());
  const std::string_view head = key.substr(0, split);
  std::string rest(key.substr(split));
  std::ranges::replace(rest, '_', ' ');
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"gemm", "GEMM"}, {"rs", "RS"}, {"ag", "AG"}, {"a2a", "A2A"}};
  if (head == "fused") return "GEMM+" + spoken(exchange, exchange) + rest;
  for (const auto& [word, said] : kWords)
    if (head == word) return std::string(said) + rest;
  return std::string(head) + rest;
}

// What the tables and bars are made from.
struct Shown {
  const Schemes& schemes;
  std::string_view exchange;  // RunReport::exchange
  const TerminalStyle& style;

  std::string spoken(std::string_view key) const { return t3sim::spoken(key, exchange); }
};

// Every key that some scheme has; a key that only some have stands before what follows it there.
template <class T>
Names all_keys(const Schemes& schemes, Ordered<T> SchemeResult::*list) {
  Names keys;
  for (const SchemeResult& scheme : schemes) {
    auto place = keys.end();
    for (auto it = (scheme.*list).rbegin(); it != (scheme.*list).rend(); ++it) {
      const auto known = std::ranges::find(keys, it->first);
      place = known != keys.end() ? known : keys.insert(place, it->first);
    }
  }
  return keys;
}

template <class T>
const T* value_of(const Ordered<T>& list, std::string_view key) {
  const auto it = std::ranges::find(list, key, &std::pair<std::string, T>::first);
  return it == list.end() ? nullptr : &it->second;
}

std::string megabytes(std::uint64_t bytes) { return fmt::format("{:.1f}", real(bytes) / 1e6); }

std::string tracker_peak(const SchemeResult& scheme) {
  const Number* peak = value_of(scheme.of("tracker"), "peak_entries");
  return peak ? std::visit([](auto v) { return fmt::format("{}", v); }, *peak) : "-";
}

std::string time_table(const Shown& shown) {
  const Names phases = all_keys(shown.schemes, &SchemeResult::phases);
  TextTable table;
  table.cells({"scheme", "time us", "speed-up"});
  for (const std::string& phase : phases) table.cell(shown.spoken(phase) + " us");
  table.cells({"sent MB", "Tracker peak"});
  for (const SchemeResult& scheme : shown.schemes) {
    table.row();
    table.cells({scheme.name, fmt::format("{:.1f}", scheme.time_us), fmt::format("{:.3f}", scheme.speedup)});
    for (const std::string& phase : phases) {
      const double* us = value_of(scheme.phases, phase);
      table.cell(us ? fmt::format("{:.1f}", *us) : "-");
    }
    table.cells({megabytes(scheme.link_bytes), tracker_peak(scheme)});
  }
  return table.text();
}

std::string dram_table(const Shown& shown) {
  const Names causes = all_keys(shown.schemes, &SchemeResult::dram_bytes);
  if (causes.empty()) return "";
  TextTable table;
  table.cell("DRAM MB a GPU");
  for (const std::string& cause : causes) table.cell(shown.spoken(cause));
  table.cell("total");
  for (const SchemeResult& scheme : shown.schemes) {
    if (scheme.dram_bytes.empty()) continue;
    table.row();
    table.cell(scheme.name);
    std::uint64_t total = 0;
    for (const std::string& cause : causes) {
      const std::uint64_t* bytes = value_of(scheme.dram_bytes, cause);
      total += bytes ? *bytes : 0;
      table.cell(bytes ? megabytes(*bytes) : "-");
    }
    table.cell(megabytes(total));
  }
  return "\n" + table.text();
}

// Phases as bars show them, end to end. Those of an ideal scheme overlap (they add up to more than its time):
// all but an all-gather after them are shown as one.
Ordered<double> end_to_end(const SchemeResult& scheme, std::string_view exchange) {
  double sum = 0;
  for (const auto& [phase, us] : scheme.phases) sum += us;
  if (sum <= scheme.time_us * 1.000001) return scheme.phases;
  if (exchange == "ag") return {{"fused_us", scheme.time_us}};
  const double* gather = value_of(scheme.phases, "ag_us");
  const double gather_us = gather ? *gather : 0;
  return {{"fused_us", scheme.time_us - gather_us}, {"ag_us", gather_us}};
}

template <class T>
std::string bars_of(const Shown& shown, Ordered<T> SchemeResult::*list, const std::string& title,
                    std::string (*label)(const SchemeResult&)) {
  const Names keys = all_keys(shown.schemes, list);
  Names legend;
  for (const std::string& key : keys) legend.push_back(shown.spoken(key));
  std::vector<Bar> all;
  for (const SchemeResult& scheme : shown.schemes) {
    if ((scheme.*list).empty()) continue;
    Bar bar{scheme.name, {}, label(scheme)};
    for (const std::string& key : keys) {
      const T* value = value_of(scheme.*list, key);
      bar.parts.push_back(value ? static_cast<double>(*value) : 0.0);
    }
    all.push_back(std::move(bar));
  }
  const std::string drawn = stacked_bars(title, legend, all, shown.style);
  return drawn.empty() ? drawn : "\n" + drawn;
}

std::string time_bars(const Shown& shown, std::string (*label)(const SchemeResult&)) {
  Schemes schemes = shown.schemes;
  for (SchemeResult& scheme : schemes) scheme.phases = end_to_end(scheme, shown.exchange);
  return bars_of({schemes, shown.exchange, shown.style}, &SchemeResult::phases, "Time", label);
}

std::string time_label(const SchemeResult& s) { return fmt::format("{:.0f} us", s.time_us); }
std::string dram_label(const SchemeResult& s) {
  std::uint64_t total = 0;
  for (const auto& [cause, bytes] : s.dram_bytes) total += bytes;
  return fmt::format("{:.0f} MB", real(total) / 1e6);
}

std::string title(const WorkloadInfo& w) {
  if (w.m == 0) return w.name + "\n\n";  // a kernel that is no GEMM
  return fmt::format("{}: M {} x N {} x K {} on {} GPUs\n\n", w.name, w.m, w.n, w.k, w.gpus);
}

std::string words(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return key;
}

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

void limits_row(TextTable& table, const std::string& phase, const PhaseLimits& l) {
  table.row();
  table.cell(phase);
  table.cells({fmt::format("{:.1f}", l.tflops), percent(l.matrix_share), fmt::format("{:.1f}", l.cus_busy),
               percent(l.link_share), words(l.link_idle_cause), fmt::format("{:.0f}", l.dram_GBps),
               percent(l.dram_share), l.l2_hit_rate ? percent(*l.l2_hit_rate) : "-",
               fmt::format("{} {:.0f} %", words(l.limited_by), 100 * l.limited_share)});
}

// A line a phase on a network whose links have names.
std::string fullest_links(const Ordered<PhaseLimits>& rows) {
  TextTable table;
  table.cells({"fullest link", "", "% busy"});
  bool any = false;
  for (const auto& [phase, limits] : rows) {
    if (limits.fullest_link.empty()) continue;
    any = true;
    table.row();
    table.cell(phase);
    table.cells({limits.fullest_link, percent(limits.fullest_link_share)});
  }
  return any ? "\n" + table.text() : "";
}

// Phases that an ideal scheme is computed from stand with the scheme that runs them.
std::string limits_table(const Shown& shown) {
  TextTable table;
  table.cells({"limits", "TFLOP/s", "% of peak", "CUs busy", "% link busy", "idle for", "DRAM GB/s",
               "% of peak", "% L2 hits", "limited by"});
  Ordered<PhaseLimits> rows, named;
  for (const SchemeResult& scheme : shown.schemes)
    for (const auto& phase : scheme.limits) {
      if (std::ranges::find(rows, phase) != rows.end()) continue;
      rows.push_back(phase);
      named.emplace_back(scheme.name + " " + shown.spoken(phase.first), phase.second);
      limits_row(table, named.back().first, phase.second);
    }
  if (rows.empty()) return "";
  return "\n" + table.text() +
         "Limited by: what most of the phase's time was spent on or waited for, and how much of it.\n" +
         fullest_links(named);
}

// One line for all: the reason is the run's.
std::string no_gap_line(const Schemes& schemes) {
  std::string names, why;
  for (const SchemeResult& scheme : schemes) {
    if (scheme.no_gap.empty()) continue;
    names += (names.empty() ? "" : ", ") + scheme.name;
    why = scheme.no_gap;
  }
  return names.empty()
             ? ""
             : fmt::format("\n{}: the gap to ideal-overlap is not given in parts ({}).\n", names, why);
}

// A line a fused scheme: what the gap to the ideal overlap consists of, the largest first.
std::string gap_lines(const Schemes& schemes) {
  const auto to_us = [](std::int64_t ps) { return real(ps) / 1e6; };
  std::string text;
  for (const SchemeResult& scheme : schemes) {
    if (!scheme.gap) continue;
    Ordered<std::int64_t> parts = scheme.gap->parts_ps;
    std::ranges::stable_sort(parts, std::greater<>(), [](const auto& part) { return std::abs(part.second); });
    text += fmt::format("{}: {:+.1f} us against ideal-overlap", scheme.name, to_us(scheme.gap->gap_ps));
    const char* separator = " = ";
    for (const auto& [name, ps] : parts) {
      if (std::abs(ps) < 50'000) continue;
      text += fmt::format("{}{:+.1f} {}", separator, to_us(ps), words(name));
      separator = ", ";
    }
    text += '\n';
  }
  return text.empty() ? text : "\n" + text;
}

std::string glossary(std::string_view exchange) {
  const std::string what = spoken(exchange, exchange);
  const bool gathers = exchange == "rs";  // afterwards
  const char* meaning = exchange == "rs"   ? "reduce-scatter, the sum over GPUs"
                        : exchange == "ag" ? "all-gather"
                                           : "all-to-all";
  return fmt::format(
      "\nGEMM: the matrix product. {0}: {1}. GEMM+{0}: both at once.{2}\n"
      "Speed-up is against sequential. Tracker peak: most wavefront tiles tracked at a time.\n"
      "Ideal schemes are computed: the longer of GEMM and {0}, each run alone{3}.\n",
      what, meaning, gathers ? " AG: all-gather." : "", gathers ? ", and AG" : "");
}

}  // namespace

bool terminal_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    std::string upper(value);
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    return upper.find("UTF-8") != upper.npos || upper.find("UTF8") != upper.npos;
  }
  return false;
}

std::string terminal_report(const RunReport& report, const TerminalStyle& style) {
  const Shown shown{report.schemes, report.exchange, style};
  std::string text = title(report.workload) + time_table(shown) + dram_table(shown);
  text += time_bars(shown, time_label);
  text += bars_of(shown, &SchemeResult::dram_bytes, "DRAM", dram_label);
  text += limits_table(shown) + gap_lines(report.schemes) + no_gap_line(report.schemes);
  text += glossary(report.exchange);
  if (!report.gpu_model.empty()) text += fmt::format("gpus.model: auto: {}.\n", report.gpu_model);
  if (report.functional)
    text += fmt::format("Functional: {} elements, {} errors.\n", report.functional->elements,
                        report.functional->errors);
  return text;
}

std::string failure_of(const RunReport& report) {
  if (!report.functional || report.functional->errors == 0) return "";
  return fmt::format("functional mode: {} of {} elements are wrong", report.functional->errors,
                     report.functional->elements);
}

}  // namespace t3sim
