#include <gtest/gtest.h>

#include <cstdlib>

#include "results/manifest.h"
#include "results/stacked_bars.h"
#include "results/terminal.h"
#include "results/text_files.h"
#include "results/text_table.h"

namespace t3sim {
namespace {

RunReport example() {
  RunReport report;
  report.workload = {"case", 8192, 4256, 2128, 8, {{"layout", std::string("TN")}}};
  SchemeResult sequential{"sequential", 2000.5, 1, {}, {}, 7, {}, {}, {}, {}, 0.5, 99};
  sequential.phases = {{"gemm_us", 1200}, {"rs_us", 400.25}, {"ag_us", 400.25}};
  sequential.dram_bytes = {{"gemm_read", 3'000'000}, {"gemm_write", 1'000'000}};
  SchemeResult t3{"t3", 1600, 2000.5 / 1600, {}, {}, 8, {}, {}, {}, {}, 0.25, 98};
  t3.phases = {{"fused_us", 1200}, {"ag_us", 400}};
  t3.dram_bytes = {{"gemm_read", 2'000'000}, {"gemm_write", 1'500'000}};
  t3.counters = {{"tracker", {{"peak_entries", std::uint64_t{2048}}, {"wait_us", 0.5}}}};
  report.schemes = {sequential, t3};
  return report;
}

TEST(ResultsJson, follows_schema_1) {
  RunReport report = example();
  report.schemes.erase(report.schemes.begin());
  report.functional = FunctionalResult{64, 0};
  EXPECT_EQ(results_json(report), R"({
  "schema": 1,
  "workload": {
    "name": "case",
    "m": 8192,
    "n": 4256,
    "k": 2128,
    "gpus": 8,
    "layout": "TN"
  },
  "schemes": {
    "t3": {
      "time_us": 1600.0,
      "speedup": 1.2503125,
      "phases": {
        "fused_us": 1200.0,
        "ag_us": 400.0
      },
      "dram_bytes": {
        "gemm_read": 2000000,
        "gemm_write": 1500000
      },
      "link_bytes": 8,
      "tracker": {
        "peak_entries": 2048,
        "wait_us": 0.5
      }
    }
  },
  "functional": {
    "elements": 64,
    "errors": 0
  }
}
)");
}

TEST(ResultsJson, prints_the_parts_of_a_gap_so_that_they_add_up) {
  RunReport report = example();
  report.schemes[1].gap =
      GapResult{"gemm", 200'000, {{"link", 300'001}, {"tail", -100'000}, {"unexplained", -1}}};
  EXPECT_NE(results_json(report).find(R"("gap": {
        "reference": "ideal-overlap",
        "bound_by": "gemm",
        "gap_us": 0.2,
        "parts_us": {
          "link": 0.300001,
          "tail": -0.1,
          "unexplained": -1e-06
        },)"),
            std::string::npos)
      << results_json(report);
}

PhaseLimits example_limits() {
  PhaseLimits limits{50.5, 0.5, 0.25, "credit", 300, 0.3, std::nullopt, 79.5, "link_credits", 0.625, "", 0};
  return limits;
}

TEST(ResultsJson, has_the_limits_of_each_phase) {
  RunReport report = example();
  report.schemes[1].limits = {{"fused", example_limits()}};
  EXPECT_NE(results_json(report).find(R"("limits": {
        "fused": {
          "tflops": 50.5,
          "matrix_share": 0.5,
          "link_share": 0.25,
          "link_idle_cause": "credit",
          "dram_GBps": 300.0,
          "dram_share": 0.3,
          "l2_hit_rate": null,
          "cus_busy": 79.5,
          "limited_by": "link_credits",
          "limited_share": 0.625
        }
      })"),
            std::string::npos)
      << results_json(report);
}

TEST(ResultsJson, says_why_there_is_no_gap) {
  RunReport report = example();
  report.schemes[1].no_gap = "a reason";
  EXPECT_NE(results_json(report).find(R"("no_gap": "a reason")"), std::string::npos);
}

TEST(ResultsJson, holds_nothing_of_the_host) {
  RunReport slow = example();
  for (SchemeResult& scheme : slow.schemes) scheme.host_seconds *= 2;
  EXPECT_EQ(results_json(slow), results_json(example()));
}

TEST(StatsCsv, starts_with_the_columns_of_the_contract) {
  EXPECT_EQ(stats_csv({{"t3", "fused", 3, "l2[1]", "hits", std::uint64_t{18446744073709551615u}, "1"},
                       {"t3", "fused", 3, "gpu", "busy, of all", 0.1, "\"us\""}}),
            "gpu,component,name,value,unit,scheme,phase\n"
            "3,l2[1],hits,18446744073709551615,1,t3,fused\n"
            "3,gpu,\"busy, of all\",0.1,\"\"\"us\"\"\",t3,fused\n");
}

TEST(SeriesCsv, has_a_line_an_interval) {
  EXPECT_EQ(series_csv({{"t3", "fused", 0, "dram", "read", 12.5, 2.5, std::uint64_t{64}, "bytes"}}),
            "gpu,component,name,start_us,interval_us,value,unit,scheme,phase\n"
            "0,dram,read,12.5,2.5,64,bytes,t3,fused\n");
}

TEST(TimelineCsv, has_a_line_a_slice) {
  EXPECT_EQ(timeline_csv({{"t3", "fused", 1, "link to 7", "128 bytes", 1.0004, 2.5}}),
            "scheme,phase,gpu,track,name,start_us,end_us\nt3,fused,1,link to 7,128 bytes,1.000,2.500\n");
}

TEST(Manifest, holds_build_hashes_and_host_costs) {
  RunReport report = example();
  report.inputs = {{"gemm.trace", "cd"}};
  const auto json = run_manifest(report, "name: x\n", {{"a.yaml", "ab"}});
  for (const char* key : {"version", "git_commit", "compiler", "build_type"})
    EXPECT_FALSE(json[key].get<std::string>().empty()) << key;
  EXPECT_GT(json["peak_memory_bytes"].get<std::uint64_t>(), 0u);
  EXPECT_EQ(json["inputs"]["a.yaml"], "sha256:ab");
  EXPECT_EQ(json["inputs"]["gemm.trace"], "sha256:cd");
  EXPECT_EQ(json["config"], "sha256:a2a79ea37edb1963efaae29281523ab441a8a99df048d204f22f3f413e325afc");
  EXPECT_EQ(json["host_seconds"]["sequential"], 0.5);
  EXPECT_EQ(json["simulated_events"]["t3"], 98);
}

TEST(TextTable, aligns_names_left_and_numbers_right) {
  TextTable table;
  table.cells({"scheme", "us"});
  table.row();
  table.cells({"t3", "1600"});
  EXPECT_EQ(table.text(), "scheme    us\nt3      1600\n");
}

TEST(StackedBars, are_drawn_to_one_scale) {
  const TerminalStyle style{false, 26};
  EXPECT_EQ(stacked_bars("Time", {"a", "b"}, {{"x", {5, 5}, "10"}, {"yy", {0, 4}, "4"}}, style),
            "Time:  # a  = b\nx  ##########========== 10\nyy ======== 4\n");
}

TEST(StackedBars, of_nothing_are_nothing) {
  EXPECT_EQ(stacked_bars("Time", {"a"}, {{"x", {0}, ""}}, {}), "");
}

TEST(TerminalReport, says_time_speed_up_bytes_by_cause_and_tracker_peak) {
  EXPECT_EQ(terminal_report(example(), {false, 50}), R"(case: M 8192 x N 4256 x K 2128 on 8 GPUs

scheme      time us  speed-up  GEMM us  RS us  GEMM+RS us  AG us  sent MB  Tracker peak
sequential   2000.5     1.000   1200.0  400.2           -  400.2      0.0             -
t3           1600.0     1.250        -      -      1200.0  400.0      0.0          2048

DRAM MB a GPU  GEMM read  GEMM write  total
sequential           3.0         1.0    4.0
t3                   2.0         1.5    3.5

Time:  # GEMM  = RS  . GEMM+RS  o AG
sequential ###################======oooooo 2000 us
t3         ...................oooooo 1600 us

DRAM:  # GEMM read  = GEMM write
sequential ##########################======== 4 MB
t3         #################============= 4 MB

GEMM: the matrix product. RS: reduce-scatter, the sum over GPUs. GEMM+RS: both at once. AG: all-gather.
Speed-up is against sequential. Tracker peak: most wavefront tiles tracked at a time.
Ideal schemes are computed: the longer of GEMM and RS, each run alone, and AG.
)");
}

TEST(TerminalReport, calls_an_all_gather_what_it_is) {
  RunReport report = example();
  report.exchange = "ag";
  report.schemes[0].phases = {{"ag_us", 400.2}, {"gemm_us", 1200}};
  report.schemes[1].phases = {{"fused_us", 1600}};
  const std::string text = terminal_report(report, {false, 50});
  EXPECT_EQ(text.find("RS"), std::string::npos) << text;
  EXPECT_NE(text.find("GEMM+AG us"), std::string::npos) << text;
  EXPECT_NE(text.find("the longer of GEMM and AG, each run alone.\n"), std::string::npos) << text;
}

TEST(ResultsJson, has_what_slows_the_machine_down) {
  RunReport report = example();
  EXPECT_EQ(results_json(report).find("warnings"), std::string::npos);
  report.warnings = {"topology.buffer: too small"};
  EXPECT_NE(results_json(report).find("\"topology.buffer: too small\""), std::string::npos);
}

TEST(TerminalReport, says_what_the_gap_to_the_ideal_consists_of) {
  RunReport report = example();
  report.schemes[1].gap =
      GapResult{"gemm",
                1'500'000,
                {{"cache_bypass", -400'000}, {"link", 1'900'001}, {"tail", 40'000}, {"unexplained", -1}}};
  const std::string text = terminal_report(report, {false, 50});
  EXPECT_NE(text.find("\nt3: +1.5 us against ideal-overlap = +1.9 link, -0.4 cache bypass\n"),
            std::string::npos)
      << text;
}

TEST(TerminalReport, says_what_limits_each_phase_those_of_computed_schemes_once) {
  RunReport report = example();
  report.schemes[0].limits = report.schemes[1].limits = {{"ag", example_limits()}};
  report.schemes[1].limits.insert(report.schemes[1].limits.begin(), {"fused", example_limits()});
  const std::string text = terminal_report(report, {false, 50});
  const auto expect_line = [&](const std::string& line) {
    EXPECT_NE(text.find("\n" + line), std::string::npos) << text;
  };
  expect_line(
      "limits         TFLOP/s  % of peak  CUs busy  % link busy  idle for  DRAM GB/s  % of peak  % L2 hits   "
      "      limited by\n");
  expect_line(
      "sequential AG     50.5       50.0      79.5         25.0    credit        300       30.0          -  "
      "link credits 62 %\n");
  expect_line("t3 GEMM+RS     ");
  EXPECT_EQ(text.find("\nt3 AG "), text.npos);
}

TEST(TerminalReport, says_why_there_is_no_gap_once) {
  RunReport report = example();
  for (SchemeResult& scheme : report.schemes) scheme.no_gap = "a reason";
  EXPECT_NE(terminal_report(report, {false, 50})
                .find("\nsequential, t3: the gap to ideal-overlap is not given in parts (a reason).\n"),
            std::string::npos);
}

TEST(TerminalReport, calls_no_all_gather_a_reduce_scatter) {
  RunReport report = example();
  report.exchange = "ag";
  report.schemes[0].phases = {{"ag_us", 400.25}, {"gemm_us", 1200}};
  const std::string text = terminal_report(report, {false, 50});
  EXPECT_NE(text.find("GEMM+AG us"), text.npos) << text;
  EXPECT_EQ(text.find("RS"), text.npos) << text;
}

TEST(Failure, is_said_of_wrong_sums_only) {
  RunReport report = example();
  EXPECT_EQ(failure_of(report), "");
  report.functional = FunctionalResult{64, 0};
  EXPECT_EQ(failure_of(report), "");
  report.functional->errors = 3;
  EXPECT_EQ(failure_of(report), "functional mode: 3 of 64 elements are wrong");
}

TEST(TerminalReport, draws_phases_that_overlap_as_one) {
  RunReport report = example();
  SchemeResult& ideal = report.schemes[1];
  ideal.name = "ideal";
  ideal.phases = {{"gemm_us", 1200}, {"rs_us", 400}, {"ag_us", 400}};
  const std::string text = terminal_report(report, {false, 50});
  EXPECT_NE(text.find("ideal      ...................oooooo 1600 us\n"), std::string::npos) << text;
}

TEST(TerminalStyle, follows_the_locale) {
  ::unsetenv("LC_ALL");
  ::unsetenv("LC_CTYPE");
  ::setenv("LANG", "en_GB.UTF-8", 1);
  EXPECT_TRUE(terminal_is_utf8());
  ::setenv("LC_ALL", "C", 1);
  EXPECT_FALSE(terminal_is_utf8());
}

}  // namespace
}  // namespace t3sim
