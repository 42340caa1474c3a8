// From a text to commands: loops, expressions, views, addresses, kernels.
#include "program/evaluate.h"

#include <gtest/gtest.h>

#include "program/tiles.h"
#include "program_text.h"

namespace t3sim::program {
namespace {

constexpr std::uint64_t kPage = 2 * 1024 * 1024;

// A program with these streams, over arrays a and c of 256 x 256 and b of 256 x 512.
std::string with_streams(const std::string& streams, const std::string& more = "") {
  return "name: x\n" + more +
         "arrays:\n"
         "  a: {rows: 256, columns: 256, contents: values}\n"
         "  b: {rows: 256, columns: 512, contents: values}\n"
         "  c: {rows: 256, columns: 512, copies: 2, contents: values}\n"
         "signals: {s: 4, t: {count: 4, value: i + rank}}\n"
         "streams:\n" +
         streams;
}

std::vector<std::string> names(const Program& program, std::uint32_t gpu = 0) {
  std::vector<std::string> all;
  for (const Command& command : program.gpus[gpu].commands) all.push_back(command.name);
  return all;
}
using Names = std::vector<std::string>;

template <class T>
const T& action(const Program& program, std::size_t command, std::uint32_t gpu = 0) {
  return std::get<T>(program.gpus[gpu].commands[command].action);
}
const Launch& launch(const Program& program, std::size_t command = 0, std::uint32_t gpu = 0) {
  return action<Launch>(program, command, gpu);
}
const GemmBody& gemm(const Program& program, std::size_t command = 0) {
  return std::get<GemmBody>(launch(program, command).body);
}

TEST(Evaluate, NestsLoopsWithTheFirstVariableOutermost) {
  const Program p = program_of(with_streams(
      "  x: [{for: {i: 0 .. 1, j: i .. 1}, let: {k: 2 * i + j}, do: [{signal: \"s[k] = j + 5\"}]}]\n"));
  EXPECT_EQ(names(p), (Names{"signal s[0] = 5", "signal s[1] = 6", "signal s[3] = 6"}));
}

TEST(Evaluate, ALoopWhoseEndIsBeforeItsBeginningIsEmpty) {
  EXPECT_TRUE(names(program_of(with_streams("  x: [{for: {i: 0 .. -1}, signal: \"s[i]\"}]\n"))).empty());
}

TEST(Evaluate, TakesTheSideOfAnIfThatIsTrueForTheRank) {
  const Program p = program_of(with_streams(
      "  x: [{if: rank == 0, do: [{signal: \"s[0]\"}], else: [{signal: \"s[1]\"}, {signal: \"s[2]\"}]}]\n"));
  EXPECT_EQ(names(p, 0), (Names{"signal s[0] = 1"}));
  EXPECT_EQ(names(p, 1), (Names{"signal s[1] = 1", "signal s[2] = 1"}));
}

TEST(Evaluate, RepeatsCommands) {
  EXPECT_EQ(names(program_of(with_streams("  x: [{repeat: 3, do: [flush]}]\n"))),
            (Names{"flush", "flush", "flush"}));
}

TEST(Evaluate, ParametersHaveDefaultsThatMayUseEarlierOnes) {
  const std::string text =
      with_streams("  x: [{signal: \"s[0] = n\"}]\n", "parameters: {m: 3, n: m * gpus}\n");
  EXPECT_EQ(names(program_of(text, 4)), (Names{"signal s[0] = 12"}));
  EXPECT_EQ(names(program_of(text, 4, {{"m", 5}})), (Names{"signal s[0] = 20"}));
}

TEST(Evaluate, LetsMayDifferBetweenGpus) {
  const Program p = program_of(with_streams("  x: [{signal: \"s[0] = mine\"}]\n", "let: {mine: 7 + rank}\n"));
  EXPECT_EQ(names(p, 1), (Names{"signal s[0] = 8"}));
}

TEST(Evaluate, IssuesStreamByStreamOrInTheOrderOfCommands) {
  const Program by_stream =
      program_of(with_streams("  x: [{signal: \"s[0]\"}]\n  y: [{signal: \"s[1]\"}]\n"));
  EXPECT_EQ(by_stream.gpus[0].streams, (Names{"x", "y"}));
  EXPECT_EQ(by_stream.gpus[0].commands[1].stream, 1U);
  const Program listed = program_of(with_streams(
      "  [x, y]\ncommands:\n"
      "  - {on: y, signal: \"s[0]\"}\n  - {on: x, do: [{signal: \"s[1]\"}, {signal: \"s[2]\"}]}\n"));
  EXPECT_EQ(names(listed), (Names{"signal s[0] = 1", "signal s[1] = 1", "signal s[2] = 1"}));
  EXPECT_EQ(listed.gpus[0].commands[0].stream, 1U);
  EXPECT_EQ(listed.gpus[0].commands[2].stream, 0U);
}

TEST(Evaluate, MakesAStreamForEachValue) {
  const Program p = program_of(with_streams("  peer[d in 1 .. gpus - 1]: [{signal: \"s[0] = d\"}]\n"), 3);
  EXPECT_EQ(p.gpus[0].streams, (Names{"peer[1]", "peer[2]"}));
  EXPECT_EQ(names(p), (Names{"signal s[0] = 1", "signal s[0] = 2"}));
}

TEST(Evaluate, ARecordingMakesAnEventAndAWaitMeansTheLastOne) {
  const Program p = program_of(
      with_streams("  x: [{for: {i: 0 .. 2}, do: [{record: \"e[i % 2]\"}, {wait-event: \"e[i % 2]\"}]}]\n"));
  EXPECT_EQ(p.gpus[0].events, (Names{"e[0]", "e[1]", "e[0] (2)"}));
  for (const std::size_t i : {0, 1, 2}) EXPECT_EQ(action<WaitEvent>(p, 2 * i + 1).event, i);
}

TEST(Evaluate, HostCommandsWaitForStreamsEventsAndWords) {
  const Program p =
      program_of(with_streams("  x: [{record: e}, {sync: x}, {sync: e}, {sync: \"t[0] >= 0\"}, {host: 5 us}, "
                              "{barrier: host}, barrier]\n"));
  EXPECT_EQ(action<SyncStream>(p, 1).stream, 0U);
  EXPECT_EQ(action<SyncEvent>(p, 2).event, 0U);
  EXPECT_EQ(action<SyncSignal>(p, 3).wait.value, 0U);
  EXPECT_EQ(action<HostTime>(p, 4).ps, 5'000'000U);
  EXPECT_TRUE(action<Barrier>(p, 5).host);
  EXPECT_FALSE(action<Barrier>(p, 6).host);
  EXPECT_EQ(action<Barrier>(p, 6).number, 1U);
}

TEST(Evaluate, ViewsHaveDefaultsAndOpenEnds) {
  const Program p =
      program_of(with_streams("  x: [{copy: {from: \"c@1[copy 1, rows 16:]\", to: \"c[rows :240]\"}}]\n"));
  const Copy& copy = action<Copy>(p, 0);
  EXPECT_EQ(copy.from, (View{2, 1, 1, 16, 240, 0, 512}));
  EXPECT_EQ(copy.to, (View{2, 0, 0, 0, 240, 0, 512}));
  EXPECT_EQ(names(p), (Names{"copy c@1[rows 16:256, copy 1] to c[rows 0:240, copy 0]"}));
}

TEST(Evaluate, PlacesArraysOnPagesOneBehindTheOtherAndSignalsBehind) {
  const Program p = program_of(with_streams("  x: [flush]\n"));
  EXPECT_EQ(p.arrays[0].address, kPage);
  EXPECT_EQ(p.arrays[1].address, 2 * kPage);
  EXPECT_EQ(p.arrays[2].address, 3 * kPage);
  EXPECT_EQ(p.arrays[2].pitch_bytes, 1024U);
  EXPECT_EQ(p.arrays[2].stride_bytes, 256U * 1024);
  EXPECT_EQ(p.signals[0].address, 4 * kPage);
  EXPECT_EQ(p.signals[1].address, 4 * kPage + 4 * 128);
  EXPECT_EQ(p.end_address, 5 * kPage);
}

TEST(Evaluate, ARowIsPaddedToALine) {
  const Program p = program_of(
      "name: x\narrays: {a: {rows: 3, columns: 65}, b: {rows: 65, columns: 3, column_major: true}}\n"
      "streams: {x: [flush]}\n");
  for (const Array& array : p.arrays) EXPECT_EQ(array.pitch_bytes, 256U);
}

TEST(Evaluate, WordsHaveInitialValuesPerGpu) {
  const Program p = program_of(with_streams("  x: [flush]\n"));
  EXPECT_EQ(p.signals[1].initial[1], (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(p.signals[0].initial[1], (std::vector<std::uint64_t>{0, 0, 0, 0}));
}

TEST(Evaluate, WhatNoCommandWritesHasValuesBefore) {
  const Program p = program_of(
      "name: x\narrays: {a: {rows: 8, columns: 8}, b: {rows: 8, columns: 8},\n"
      "  c: {rows: 8, columns: 8, given: \"rows rank:rank + 1\"}}\n"
      "streams: {x: [{copy: {from: a, to: b}}, {copy: {from: a, to: c}}]}\n");
  EXPECT_EQ(p.arrays[0].contents, Contents::values);
  EXPECT_EQ(p.arrays[1].contents, Contents::nothing);
  EXPECT_EQ(p.arrays[2].contents, Contents::values);
  EXPECT_EQ(p.arrays[2].given[1], (View{2, 1, 0, 1, 1, 0, 8}));
}

TEST(Evaluate, AGemmOfViewsHasTheirAddressesAndPitches) {
  const Program p = program_of(with_streams(
      "  x: [{launch: {gemm: {a: \"a[rows 128:, columns 64:128]\", b: \"b[rows 64:128, columns 0:256]\",\n"
      "       c: \"c[rows 0:128, columns 256:, copy 1]\", accumulate: rank == 0}}}]\n"));
  const GemmSpec& spec = gemm(p).spec;
  EXPECT_EQ(spec.shape, (GemmShape{128, 256, 64}));
  EXPECT_EQ(spec.layout, GemmLayout::tt);
  EXPECT_TRUE(spec.row_major_output);
  EXPECT_EQ(spec.a_address, kPage + 128 * 512 + 64 * 2);
  EXPECT_EQ(spec.b_address, 2 * kPage + 64 * 1024);
  EXPECT_EQ(spec.c_address, 3 * kPage + 256 * 1024 + 512);
  EXPECT_EQ(spec.a_pitch, 512U);
  EXPECT_EQ(spec.c_pitch, 1024U);
  EXPECT_TRUE(gemm(p).accumulate);
  EXPECT_FALSE(std::get<GemmBody>(launch(p, 0, 1).body).accumulate);
}

TEST(Evaluate, LayoutsFollowFromTheArrays) {
  const Program p = program_of(
      "name: x\narrays:\n  a: {rows: 128, columns: 64, column_major: true}\n  b: {rows: 64, columns: 128, "
      "column_major: true}\n"
      "  c: {rows: 128, columns: 128, column_major: true}\nstreams: {x: [{launch: {gemm: {a: a, b: b, c: "
      "c}}}]}\n");
  EXPECT_EQ(gemm(p).spec.layout, GemmLayout::nn);
  EXPECT_FALSE(gemm(p).spec.row_major_output);
}

TEST(Evaluate, TheKernelIsNamedOrTiledOrTheMachines) {
  const std::string text = with_streams("  x: [{launch: {gemm: {a: a, b: b, c: c}KERNEL}}]\n");
  EXPECT_EQ(
      gemm(program_of(replaced(text, "KERNEL", ", tile: 64x32x16, wavefronts: 4, buffers: 3"))).spec.tile,
      (TileShape{64, 32, 16}));
  EXPECT_EQ(gemm(program_of(replaced(text, "KERNEL", ", kernel: triton_128x256x64_s3_g8"))).spec.buffers, 3U);
  Setting setting;
  setting.kernel = [](const GemmShape& shape, DataType, const KernelOptions& options) {
    EXPECT_EQ(options.cus, 16U);
    GemmSpec spec;
    spec.shape = shape;
    spec.tile = {32, 64, 64};
    return spec;
  };
  const Program p =
      evaluate(read_text(replaced(text, "KERNEL", ", cus: 4 .. 19, priority: -1"), "p.yaml"), setting);
  EXPECT_EQ(gemm(p).spec.tile, (TileShape{32, 64, 64}));
  EXPECT_EQ(launch(p).first_cu, 4U);
  EXPECT_EQ(launch(p).cus, 16U);
  EXPECT_EQ(launch(p).priority, -1);
}

TEST(Evaluate, PartsOfSplitKHaveAWorkspaceForEachStream) {
  Setting setting;
  setting.kernel = [](const GemmShape& shape, DataType, const KernelOptions&) {
    GemmSpec spec;
    spec.shape = shape;
    spec.split_k = 2;
    spec.split_workspace = true;
    return spec;
  };
  const Program p =
      evaluate(read_text(with_streams("  x: [{repeat: 2, launch: {gemm: {a: a, b: b, c: \"c[copy 0]\"}}}]\n"
                                      "  y: [{launch: {gemm: {a: a, b: b, c: \"c[copy 1]\"}}}]\n"),
                         "p.yaml"),
               setting);
  EXPECT_EQ(gemm(p, 0).spec.workspace_address, 5 * kPage);
  EXPECT_EQ(gemm(p, 1).spec.workspace_address, 5 * kPage);
  EXPECT_EQ(gemm(p, 2).spec.workspace_address, 6 * kPage);
  EXPECT_EQ(gemm(p, 2).spec.workspace_bytes(), 2U * 2 * 256 * 1024);
  EXPECT_EQ(p.end_address, 7 * kPage);
}

TEST(Evaluate, TilesGoInTheOrderOfTheirKeyAndElseInTheKernels) {
  const std::string text = with_streams("  x: [{launch: {gemm: {a: a, b: b, c: c}, order: KEY}}]\n");
  EXPECT_EQ(launch(program_of(replaced(text, "KEY", "column % 2"))).order,
            (std::vector<std::uint32_t>{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(launch(program_of(replaced(text, "KEY", "(row - rank) % tile_rows")), 0, 1).order,
            (std::vector<std::uint32_t>{4, 5, 6, 7, 0, 1, 2, 3}));
  GemmBody grouped = gemm(program_of(with_streams("  x: [{launch: {gemm: {a: a, b: b, c: c}}}]\n")));
  grouped.spec.order = {OrderKind::column_major, 8, 0};
  grouped.spec.persistent = 3;
  EXPECT_EQ(own_order(grouped), (std::vector<std::uint32_t>{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(Evaluate, TilesWaitSetAndStore) {
  const Program p =
      program_of(with_streams("  x:\n    - launch:\n        gemm: {a: a, b: b, c: c}\n"
                              "        wait: {for: {w: 0 .. row}, if: column == 3, do: \"s[w] >= 2\"}\n"
                              "        sets: [\"s@1[column] += 3\", {if: tile == 7, do: \"t[0] = 9\"}]\n"
                              "        stores: {if: row == 1, to: \"c@1[copy 1]\", row: 0, op: add}\n"));
  const Launch& l = launch(p);
  ASSERT_EQ(l.waits.of(7).size(), 2U);
  EXPECT_EQ(l.waits.of(7)[1], (SignalWait{{0, 1, 0}, 2}));
  EXPECT_TRUE(l.waits.of(6).empty());
  EXPECT_EQ(l.sets.of(7)[0], (SignalSet{{0, 3, 1}, 3, true}));
  EXPECT_EQ(l.sets.of(7)[1], (SignalSet{{1, 0, 0}, 9, false}));
  EXPECT_TRUE(l.stores.of(3).empty());
  // Down to copy 1 by its stride, up by the 128 rows of a tile.
  EXPECT_EQ(l.stores.of(5)[0], (TileTarget{1, 256 * 1024 - 128 * 1024, Op::update}));
}

TEST(Evaluate, ASumMayHaveAnyNumberOfOperands) {
  const Program p =
      program_of(with_streams("  x: [{launch: {sum: {from: [{for: {i: 0 .. 1}, do: \"c[copy i]\"}, b], to: "
                              "c}}}, {launch: {sum: {to: a}}}]\n"));
  EXPECT_EQ(std::get<SumBody>(launch(p, 0).body).from.size(), 3U);
  EXPECT_TRUE(std::get<SumBody>(launch(p, 1).body).from.empty());
  EXPECT_EQ(names(p), (Names{"sum c[copy 0] = c[copy 0] and 2 more", "zero a"}));
}

TEST(Evaluate, KeepsPromisesAndParameters) {
  const Program p =
      program_of(with_streams("  x: [flush]\n", "promises: {c: a times b}\nparameters: {m: 3}\n"));
  ASSERT_EQ(p.promises.size(), 1U);
  EXPECT_EQ(p.promises[0].name, "c");
  EXPECT_EQ(p.promises[0].parts.size(), 2U);
  EXPECT_EQ(p.promises[0].text, "a times b");
  EXPECT_EQ(p.parameters[0].second, 3);
}

TEST(Evaluate, NamesOfCommandsSayTheRoundOfTheirLoop) {
  const Program p = program_of(with_streams("  x: [{for: {i: 1 .. 2}, name: step, signal: \"s[i]\"}]\n"));
  EXPECT_EQ(names(p), (Names{"step (i = 1)", "step (i = 2)"}));
}

TEST(Evaluate, TheSameTextGivesTheSameProgram) {
  const std::string text = with_streams("  x: [{for: {i: 0 .. 3}, signal: \"s[i]\"}]\n");
  EXPECT_EQ(names(program_of(text)), names(program_of(text)));
}

}  // namespace
}  // namespace t3sim::program
