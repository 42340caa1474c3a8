// t3sim validate rivals: its cases on their machines, and its report from times that are made up.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/csv.h"
#include "base/error.h"
#include "draws.h"
#include "validation/rivals/rivals.h"

namespace t3sim::rivals {
namespace {

const Shape& shape_called(const std::string& name) {
  return *std::ranges::find(shapes(), name, &Shape::name);
}

const System& system_called(const std::string& name) {
  return *std::ranges::find(systems(), name, &System::name);
}

const Method& method_called(const std::vector<Method>& all, const std::string& name) {
  return *std::ranges::find(all, name, &Method::name);
}

TEST(Rivals, HaveFourShapesAMachineAndNoMethodIsOverTheBudget) {
  for (const System& system : systems()) {
    EXPECT_EQ(system.usual.size(), 4U) << system.name;
    for (const std::string& name : system.usual)
      EXPECT_EQ(std::ranges::count(shapes(), name, &Shape::name), 1) << name;
  }
  for (const Shape& shape : shapes())
    for (const Method& method : methods(shape, 4))
      EXPECT_LE(method.candidates.size(), kMostCandidates) << method.name;
}

TEST(Rivals, RunOnFourH200) {
  std::filesystem::current_path(T3SIM_SOURCE_DIR);  // where in-switch.yaml is found
  for (const std::string& name : few(system_called("h200-x4").usual, 1)) {
    const Shape& shape = shape_called(name);
    for (const Method& method : methods(shape, 4))
      for (const Candidate& candidate : method.candidates) {
        if (candidate.program.find("/ring-") != std::string::npos)
          continue;  // whose parts of tiles need not fit
        EXPECT_NO_THROW(configure(system_called("h200-x4"), shape, method, candidate, {}))
            << shape.name << " " << candidate.program;
      }
  }
}

// Progress names them; and so does whoever reads kept.jsonl.
TEST(Rivals, OfT3SayTheirShape) {
  const Shape& shape = shape_called("t-nlg-op");
  const Method t3 = method_called(methods(shape, 4), "t3");
  EXPECT_EQ(configure(system_called("h200-x4"), shape, t3, t3.candidates[0], {}).workload.name, "t-nlg-op");
}

TEST(Rivals, ThatCanRunNowhereAreRefusedAlone) {
  Choice choice;
  choice.systems = {"paper"};
  choice.shapes = {"t-nlg-op"};
  for (const char* name : {"ace", "fused-operators", "shard-p2p"}) {
    choice.methods = {name};
    EXPECT_THROW(simulate(choice, {.jobs = 1, .cache = "", .quiet = true}), InputError) << name;
  }
}

TEST(Rivals, OfT3NeedItsHardware) {
  const Shape& shape = shape_called("t-nlg-op");
  const std::vector<Method> all = methods(shape, 4);
  for (const char* name : {"t3", "t3-mca", "ideal-rs-nmc"})
    EXPECT_THROW(configure(system_called("h200-x4"), shape, method_called(all, name), {name, {}},
                           {"machine.t3_hardware=false"}),
                 InputError);
  EXPECT_NO_THROW(configure(system_called("h200-x4"), shape, method_called(all, "flux"),
                            {"gemm-reduce-scatter", {}}, {"machine.t3_hardware=false"}));
}

// On a ring, GPUs are no neighbours of all owners.
TEST(Rivals, ThatStoreIntoEveryOwnerAreRefusedOnARing) {
  const Shape& shape = shape_called("t-nlg-op");
  EXPECT_THROW(configure(system_called("paper"), shape, method_called(methods(shape, 8), "flux"),
                         {"gemm-reduce-scatter", {}}, {}),
               InputError);
}

// Its repository's programs for PCIe hand on from neighbour to neighbour.
TEST(Rivals, FluxGoesAroundARing) {
  std::filesystem::current_path(T3SIM_SOURCE_DIR);
  const System& paper = system_called("paper");
  for (const std::string& name : few(paper.usual, 1)) {
    const Shape& shape = shape_called(name);
    const Method flux = method_called(methods(shape, 8), "flux");
    EXPECT_NO_THROW(configure(paper, shape, flux, flux.candidates.back(), {})) << name;
  }
}

TEST(Rivals, CountZerosThatT3Writes) {
  SchemeResult fused;
  fused.time_us = 120;
  fused.phases = {{"zero_us", 7}, {"fused_us", 80}, {"ag_us", 33}};
  EXPECT_EQ(stage_us(fused), 87);
  SchemeResult staged;
  staged.time_us = 120;
  staged.phases = {{"zero_us", 7}, {"gemm_us", 80}, {"rs_us", 33}};
  EXPECT_EQ(stage_us(staged), 120);
}

TEST(Rivals, LoseCusNoLongerThanKernelsTakeLonger) {
  ProgramParts parts;
  parts.kernels_alone_us = 100, parts.lost_cus_us = 10, parts.polling_us = 5;
  EXPECT_EQ(lost_cus_us(parts, 130), 10);
  EXPECT_EQ(lost_cus_us(parts, 109), 4);
  EXPECT_EQ(lost_cus_us(parts, 98), 0);
}

// What somebody asks for who has asked for one method on one machine.
std::string refusal(const std::string& system, const std::string& shape, const std::string& method,
                    std::vector<std::string> overrides = {}) {
  Choice choice;
  choice.systems = {system};
  choice.shapes = {shape};
  choice.methods = {method};
  choice.overrides = std::move(overrides);
  try {
    simulate(choice, {.jobs = 1, .cache = "", .quiet = true});
  } catch (const InputError& e) {
    return e.what();
  }
  return "(runs)";
}

TEST(Rivals, SayWhyNotWithoutNamingFiles) {
  std::filesystem::current_path(T3SIM_SOURCE_DIR);  // where in-switch.yaml is found
  const std::string start = "validate rivals: --scheme ";
  EXPECT_EQ(refusal("h200-x4", "mega-gpt-2-fc2-2k", "t3", {"machine.t3_hardware=false"}),
            start +
                "t3: h200-x4, mega-gpt-2-fc2-2k: the machine has no hardware of T3 (machine.t3_hardware: "
                "false)");
  EXPECT_EQ(refusal("paper", "mega-gpt-2-fc2-2k", "in-switch"),
            start +
                "in-switch: paper, mega-gpt-2-fc2-2k: topology.switch.reduction: in-switch needs "
                "topology.kind: switch");
  EXPECT_NE(refusal("paper", "mega-gpt-2-fc2-2k", "fused-operators").find("there is no link"),
            std::string::npos)
      << "of its first candidate, which is refused for what it is, and not for its knobs";
  EXPECT_EQ(reason("/a folder/h200.yaml:3:15: gpus.count: 2 tiles"), "gpus.count: 2 tiles");
  EXPECT_EQ(reason("programs/flux.yaml: GPU 0: no link"), "GPU 0: no link");
}

// T3's at TP 16: on the paper's ring, which may have as many, and on no machine of today's eight.
TEST(Rivals, OfSixteenGpusRunWhereThereMayBeAsMany) {
  const auto of_sixteen = [](const Shape& shape) { return shape.only_gpus == 16; };
  EXPECT_EQ(std::ranges::count_if(shapes(), of_sixteen), 6);
  const Shape& shape = shape_called("mega-gpt-2-op-tp16");
  for (const System& system : systems())
    EXPECT_EQ(fits(system, shape, {}), system.name == "paper") << system.name;
  for (const char* name : {"sequential", "medium-grained", "t3-mca"}) {
    const Method method = method_called(methods(shape, 16), name);
    const Config config =
        configure(system_called("paper"), shape, method, method.candidates[0], {"gpus.count=16"});
    EXPECT_EQ(config.gpus.count, 16U) << name;
  }
  EXPECT_EQ(refusal("h800-x8", shape.name, "t3"),
            "validate rivals: --scheme t3: h800-x8, mega-gpt-2-op-tp16: the shape is of 16 GPUs, the machine "
            "has 8");
}

Row row(const std::string& method, double us, std::uint64_t bytes = 1000) {
  Row r;
  r.system = "h200-x4";
  r.shape = "t-nlg-op";
  r.method = method;
  r.us = us;
  r.link_bytes = bytes;
  r.gemm_us = 100;
  r.communication_us = 60;
  r.link_us = 50;
  r.parts = Parts{.contention_us = us - 100};
  return r;
}

TEST(Rivals, IdealOverlapIsTheLongerOneOfBothAlone) {
  Row gemm = row("GEMM alone", 100, 0), communication = row("communication alone", 60, 1000);
  gemm.dram_bytes = 30, communication.dram_bytes = 12;
  Row ideal = row(std::string(kIdealOverlap), 0, 0);
  finish_ideal_overlap(ideal, gemm, communication);
  EXPECT_EQ(ideal.us, 100);
  EXPECT_EQ(ideal.link_bytes, 1000U);
  EXPECT_EQ(ideal.dram_bytes, 42U);
  EXPECT_EQ(ideal.parts->sum_us(), 0);
  const Report report = report_of({row("sequential", 160), ideal, row("flux", 120)});
  EXPECT_TRUE(report.passed()) << report.broken.front();
  EXPECT_NE(report.winners_csv.find(",flux,1.333,"), std::string::npos) << "an ideal wins nothing";
}

TEST(Rivals, IdealOverlapIsRefusedWithOneOfBoth) {
  Row communication = row("communication alone", 0);
  communication.refused = "no link";
  Row ideal = row(std::string(kIdealOverlap), 0);
  finish_ideal_overlap(ideal, row("GEMM alone", 100), communication);
  EXPECT_EQ(ideal.refused, "no link");
}

// Reasons have commas and quotes.
TEST(RivalsReport, IsATableThatCanBeReadAgain) {
  Row refused = row("t3", 0), in_switch = row("in-switch", 130);
  refused.refused = "no \"t3\", here";
  in_switch.hardware = "T3 and in-switch";
  const Report report = report_of({row("sequential", 160), refused, in_switch});
  for (const std::string* text : {&report.runs_csv, &report.winners_csv}) {
    CsvTable table(*text, "the report");
    while (table.next_row()) EXPECT_EQ(table.text(0), "h200-x4");
  }
  EXPECT_NE(report.text.find("no \"t3\", here"), std::string::npos);
}

TEST(RivalsReport, CallsPartsOfTheGapByOneName) {
  Row flux = row("flux", 120);
  const std::pair<double Parts::*, const char*> parts[] = {{&Parts::decomposition_us, "pieces"},
                                                           {&Parts::lost_cus_us, "lost CUs"},
                                                           {&Parts::contention_us, "contention"},
                                                           {&Parts::waiting_us, "waiting"},
                                                           {&Parts::link_us, "link"},
                                                           {&Parts::hidden_us, "hidden"},
                                                           {&Parts::launch_us, "launch"},
                                                           {&Parts::barriers_us, "barriers"},
                                                           {&Parts::tail_us, "tail"}};
  for (const auto& [part, name] : parts) {
    flux.parts = Parts();
    (*flux.parts).*part = 20;
    const Report report = report_of({row("sequential", 160), flux});
    EXPECT_NE(report.winners_csv.find(fmt::format(",20.0,{},flux,", name)), std::string::npos) << name;
    EXPECT_NE(report.text.find(fmt::format("{}, 20.0 of 20.0 us", name)), std::string::npos) << name;
    EXPECT_LT(report.text.find(name), report.text.find("sequential")) << name << " heads a column";
  }
}

TEST(RivalsReport, NamesTheFastestAndWhatCannotRun) {
  Row refused = row("t3", 0);
  refused.refused = "the machine has no hardware of T3";
  const Report report = report_of({row("sequential", 160), row("flux", 120), refused});
  EXPECT_TRUE(report.passed()) << report.broken.front();
  EXPECT_NE(report.winners_csv.find("100.0,60.0,flux,1.333,20.0,contention,flux,1.333,20.0,\n"),
            std::string::npos)
      << report.winners_csv;
  EXPECT_NE(report.runs_csv.find("t3,,,,,,,,,,,,,,,,,,,,,,the machine has no hardware of T3\n"),
            std::string::npos)
      << report.runs_csv;
}

TEST(RivalsReport, TellsHardwareOfTodayFromT3sAndLeavesFormulasOut) {
  Row t3 = row("t3", 110), ideal = row("ideal-rs-nmc", 101);
  t3.hardware = ideal.hardware = "T3";
  const Report report = report_of({row("sequential", 160), row("flux", 120), t3, ideal});
  EXPECT_NE(report.winners_csv.find(",flux,1.333,20.0,contention,t3,1.455,20.0,T3\n"), std::string::npos)
      << report.winners_csv;
}

// Another array is another question.
TEST(RivalsReport, LetsTwoStreamsWinNothing) {
  const Report report = report_of({row("sequential", 160), row("two-streams", 105), row("flux", 120)});
  EXPECT_NE(report.winners_csv.find(",flux,1.333,20.0,contention,flux,1.333,20.0,\n"), std::string::npos)
      << report.winners_csv;
}

// Of T3's fused kernel: what its parts leave out is in another one of them.
TEST(RivalsReport, SaysNothingOfPartsThatAreInOthers) {
  Row t3 = row("t3", 120);
  t3.parts = Parts{.contention_us = 25, .link_us = 5, .hidden_us = -10, .tail_us = std::nan("")};
  EXPECT_EQ(t3.parts->sum_us(), 20);
  const Report report = report_of({row("sequential", 160), t3});
  EXPECT_TRUE(report.passed()) << report.broken.front();
  EXPECT_NE(report.winners_csv.find(",t3,1.333,20.0,contention,"), std::string::npos) << report.winners_csv;
  EXPECT_NE(report.runs_csv.find(",20.00,0.00,0.00,25.00,0.00,5.00,-10.00,0.00,0.00,,66.7,100.00,"),
            std::string::npos)
      << report.runs_csv;
}

TEST(RivalsReport, HasEachCandidateOfAMethod) {
  Row flux = row("flux", 120);
  flux.candidates = {{"all-gather-gemm rows=512", 120}, {"all-gather-gemm rows=256", 130.5}};
  const Report report = report_of({row("sequential", 160), flux});
  EXPECT_EQ(report.candidates_csv,
            "system,links,shape,method,program,us\n"
            "h200-x4,1,t-nlg-op,flux,all-gather-gemm rows=512,120.00\n"
            "h200-x4,1,t-nlg-op,flux,all-gather-gemm rows=256,130.50\n");
}

TEST(RivalsReport, IsBrokenByPartsThatDoNotAddUp) {
  Row flux = row("flux", 120);
  flux.parts->launch_us = 1.1;
  EXPECT_TRUE(report_of({row("sequential", 160), flux}).passed());
  flux.parts->launch_us = 1.3;
  EXPECT_FALSE(report_of({row("sequential", 160), flux}).passed());
}

TEST(RivalsReport, IsBrokenByATimeBelowTheBound) {
  EXPECT_TRUE(report_of({row("sequential", 160), row("flux", 98.5)}).passed());
  const Report report = report_of({row("sequential", 160), row("flux", 97.5)});
  ASSERT_EQ(report.broken.size(), 1U);
  EXPECT_EQ(report.broken[0], "h200-x4 t-nlg-op flux takes 97.5 us, less than its bound of 100.0 us");
}

TEST(RivalsReport, IsBrokenByOtherBytes) {
  EXPECT_TRUE(report_of({row("sequential", 160), row("flux", 120, 1009)}).passed());
  EXPECT_FALSE(report_of({row("sequential", 160), row("flux", 120, 1011)}).passed());
}

// Each against sequential on the same links.
TEST(RivalsReport, KeepsBandwidthsOfLinksApart) {
  Row slow = row("sequential", 240), flux = row("flux", 120);
  slow.links = flux.links = 0.5;
  const Report report = report_of({row("sequential", 160), slow, flux});
  EXPECT_NE(report.winners_csv.find("h200-x4,1,t-nlg-op,"), std::string::npos) << report.winners_csv;
  EXPECT_NE(report.winners_csv.find(",100.0,60.0,flux,2.000,"), std::string::npos) << report.winners_csv;
  EXPECT_NE(report.text.find("h200-x4 links x0.5"), std::string::npos);
}

TEST(Rivals, RefuseAChoiceOfNothing) {
  Choice choice;
  choice.systems = {"h200-x4"};
  choice.shapes = {"llama-70b-o-2k"};
  choice.patterns = {"exchange"};
  EXPECT_THROW(simulate(choice, {.jobs = 1, .cache = "", .quiet = true}), InputError);
}

// Of a method that not all patterns have: why it cannot run where it is one.
TEST(Rivals, SayWhyNotOfTheirOwnPattern) {
  std::filesystem::current_path(T3SIM_SOURCE_DIR);
  Choice choice;
  choice.systems = {"paper"};
  choice.methods = {"in-switch"};
  choice.shapes = {"llama-70b-qkv-1k", "mega-gpt-2-fc2-2k"};
  try {
    simulate(choice, {.jobs = 1, .cache = "", .quiet = true});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("needs topology.kind: switch"), std::string::npos) << e.what();
  }
}

TEST(Rivals, RefuseLinksOfNoBandwidth) {
  Choice choice;
  choice.systems = {"paper"};
  choice.links = {1, 0};
  EXPECT_THROW(simulate(choice, {.jobs = 1, .cache = "", .quiet = true}), InputError);
}

}  // namespace
}  // namespace t3sim::rivals
