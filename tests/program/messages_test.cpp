// Every message about a program's text: one line with its place, what is wrong and what is allowed.
#include <gtest/gtest.h>

#include "draws.h"
#include "program_text.h"

namespace t3sim::program {
namespace {

const std::string kProgram = R"(name: x
parameters: {m: 256}
let: {next: (rank + 1) % gpus}
arrays:
  a: {rows: m, columns: 128}
  b: {rows: 128, columns: m}
  c: {rows: m, columns: m}
  d: {rows: m, columns: m, on: 0, copies: 2}
signals: {s: 4}
streams:
  main:
    - launch: {gemm: {a: a, b: b, c: c}}
    - COMMAND
)";

// Of a command in line 13.
std::string of(const std::string& command) { return refusal(replaced(kProgram, "COMMAND", command)); }
// Of a line that is put in place of another one.
std::string with(const std::string& line, const std::string& other) {
  return refusal(replaced(replaced(kProgram, "COMMAND", "flush"), line, other));
}

TEST(ProgramMessages, UnknownKeysAndCommandsNameTheNearest) {
  EXPECT_EQ(with("signals:", "signal:"),
            "p.yaml:9:1: program: unknown key \"signal\"; did you mean signals?");
  EXPECT_EQ(with("rows: m, columns: 128", "row: m, columns: 128"),
            "p.yaml:5:7: array: unknown key \"row\"; did you mean rows?");
  EXPECT_EQ(of("lunch: {gemm: {}}"), "p.yaml:13:7: unknown command \"lunch\"; did you mean launch?");
  EXPECT_EQ(of("put: {from: a, to: c}"), "p.yaml:13:12: put: says no \"signal\"");
  EXPECT_EQ(
      of("give: {from: a, to: c}"),
      "p.yaml:13:7: unknown command \"give\"; allowed: launch, copy, put, collective, signal, wait, record, "
      "wait-event, sync, host, barrier, flush, repeat, for, let, if, do, else, on, name");
  EXPECT_EQ(of("barier"), "p.yaml:13:7: unknown command \"barier\"; did you mean barrier?");
  EXPECT_EQ(of("copy: {from: a, too: c}"), "p.yaml:13:23: copy: unknown key \"too\"; did you mean to?");
  EXPECT_EQ(of("{copy: {from: a, to: c}, flush: }"),
            "p.yaml:13:32: \"flush\": there is \"copy\" already; one command an item");
  EXPECT_EQ(of("{name: y}"), "p.yaml:13:7: says no command and no \"do\"");
  EXPECT_EQ(of("[flush]"), "p.yaml:13:7: expected a command, found a list");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c}, sum: {to: a}}"),
            "p.yaml:13:15: launch: needs one body; allowed: gemm, sum, embedding, gemv");
  EXPECT_EQ(of("launch: {sum: {to: c}, order: tile}"),
            "p.yaml:13:30: order: is of what is cut into tiles; of a sum that says rows or columns");
  EXPECT_EQ(of("{do: [flush], else: [flush]}"), "p.yaml:13:21: else: there is no if beside it");
  EXPECT_EQ(of("{for: [1], do: [flush]}"), "p.yaml:13:13: for: expected {NAME: FIRST .. LAST}, found a list");
}

TEST(ProgramMessages, MissingKeysAreNamed) {
  EXPECT_EQ(refusal(""), "p.yaml: the file is empty; expected a program");
  EXPECT_EQ(refusal("[1]"),
            "p.yaml:1:1: program: expected keys and values (name, doc, gpus, require, parameters, let, "
            "arrays, signals, streams, commands, queue, promises, sampled, tune), found a list");
  EXPECT_EQ(refusal("name: x\n"), "p.yaml:1:1: program: says no \"arrays\"");
  EXPECT_EQ(refusal("arrays: {}\nstreams: {}\n"), "p.yaml:1:1: program: says no \"name\"");
  EXPECT_EQ(refusal("name: x\narrays: {}\n"), "p.yaml:1:1: program: says no \"streams\"");
  EXPECT_EQ(refusal("name: x\narrays: {}\nstreams: [main]\n"), "p.yaml:1:1: program: says no \"commands\"");
  EXPECT_EQ(refusal("name: x\narrays: {}\nstreams: {x: [flush]}\ncommands: []\n"),
            "p.yaml:4:11: commands: the streams have their commands already; name the streams in a list");
  EXPECT_EQ(with("rows: m, columns: 128", "rows: m"), "p.yaml:5:6: array: says no \"columns\"");
  EXPECT_EQ(of("copy: {from: a}"), "p.yaml:13:13: copy: says no \"to\"");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b}}"), "p.yaml:13:22: gemm: says no \"c\"");
  EXPECT_EQ(of("launch: {order: tile}"),
            "p.yaml:13:15: launch: needs one body; allowed: gemm, sum, embedding, gemv");
}

TEST(ProgramMessages, ExpressionsSayWhereAndOnWhichGpu) {
  EXPECT_EQ(of("signal: \"s[m - q]\""),
            "p.yaml:13:22: unknown name \"q\"; allowed here: gpus, m, rank, next");
  EXPECT_EQ(of("signal: \"s[m = 2]\""), "p.yaml:13:16: expected a value at the end");
  EXPECT_EQ(of("signal: s[1 / rank]"), "p.yaml:13:19: GPU 0: division by zero");
  EXPECT_EQ(of("{let: {rank: 1}, do: [flush]}"),
            "p.yaml:13:14: \"rank\" has a meaning already; choose another name");
  EXPECT_EQ(of("{let: {m: 1}, do: [flush]}"), "p.yaml:13:14: \"m\" is declared already; choose another name");
  EXPECT_EQ(of("{for: {d: 1 - 2}, do: [flush]}"), "p.yaml:13:17: expected FIRST .. LAST, found \"1 - 2\"");
  EXPECT_EQ(with("rows: m, columns: 128", "rows: next, columns: 128"),
            "p.yaml:5:13: next differs between GPUs; arrays, signals and require are the same on all");
  EXPECT_EQ(with("rows: m, columns: 128", "rows: rank, columns: 128"),
            "p.yaml:5:13: rank has no value here: arrays, signals and require are the same on all GPUs");
  EXPECT_EQ(with("rows: m, columns: 128", "rows: m - 256, columns: 128"),
            "p.yaml:5:13: rows 0; allowed: 1 to 2147483648");
  EXPECT_EQ(
      refusal(replaced(replaced(kProgram, "COMMAND", "flush"), "name: x", "name: x\nrequire: m % gpus == 0"),
              3),
      "p.yaml:2:10: require: the program needs m % gpus == 0; here gpus = 3, m = 256");
  EXPECT_EQ(refusal(replaced(kProgram, "COMMAND", "flush"), 2, {{"n", 3}}),
            "p.yaml: unknown parameter \"n\"; allowed: m");
}

TEST(ProgramMessages, SayWhereALoopHasTooManyRounds) {
  T3_SKIP_IF_SANITIZED();  // ten million
  EXPECT_EQ(of("{for: {i: 0 .. 99999999}, do: []}"), "p.yaml:13:14: more than 10000000 rounds of loops");
}

TEST(ProgramMessages, DeclarationsAreChecked) {
  EXPECT_EQ(with("rows: m, columns: 128", "rows: m, columns: 128, type: FP17"),
            "p.yaml:5:36: unknown type \"FP17\"; did you mean FP16?");
  EXPECT_EQ(with("rows: m, columns: 128", "rows: m, columns: 128, contents: value"),
            "p.yaml:5:40: unknown contents \"value\"; did you mean values?");
  EXPECT_EQ(with("rows: m, columns: 128", "rows: m, columns: 128, given: rows 0:300"),
            "p.yaml:5:42: GPU 0: rows 0:300 of a, which has 0:256");
  EXPECT_EQ(with("on: 0", "on: 2"), "p.yaml:8:32: there is no GPU 2; allowed: 0 to 1");
  EXPECT_EQ(with("{s: 4}", "{c: 4}"), "p.yaml:9:11: \"c\" is an array already; choose another name");
  EXPECT_EQ(with("{s: 4}", "{s: {count: 0}}"), "p.yaml:9:22: count 0; allowed: 1 to 1048576");
  EXPECT_EQ(with("{s: 4}", "{s: {count: 4, value: 0 - i}}"),
            "p.yaml:9:32: GPU 0: value -1; allowed: 0 to 4611686018427387904");
  EXPECT_EQ(with("signals: {s: 4}", "promises: {e: a}"),
            "p.yaml:9:12: unknown array \"e\"; allowed: a, b, c, d");
  EXPECT_EQ(with("signals: {s: 4}", "queue: full"),
            "p.yaml:9:8: queue: found \"full\"; allowed: live, filled");
}

TEST(ProgramMessages, WhatIsTunedIsAParameterWithItsValues) {
  EXPECT_EQ(with("signals: {s: 4}", "tune: {mm: [64]}"),
            "p.yaml:9:8: unknown parameter \"mm\"; did you mean m?");
  EXPECT_EQ(with("signals: {s: 4}", "tune: {m: []}"),
            "p.yaml:9:11: tune: expected a list of values or {halves, least}, found a list");
  EXPECT_EQ(with("signals: {s: 4}", "tune: {m: [64, 0 - 1]}"), "p.yaml:9:16: tune: -1; allowed: 0 and above");
  EXPECT_EQ(with("signals: {s: 4}", "tune: {m: {halves: 256}}"), "p.yaml:9:11: tune: says no \"least\"");
  EXPECT_EQ(with("signals: {s: 4}", "tune: {m: {halves: 0, least: 1}}"),
            "p.yaml:9:20: halves 0; allowed: 1 to 2147483648");
}

TEST(ProgramMessages, AtomicAdditionsAreOfTypesThatHaveThem) {
  const std::string add = "launch: {sum: {from: [\"d[copy 0]\"], to: \"d[copy 1]\", op: add}}";
  EXPECT_EQ(refusal(replaced(replaced(kProgram, "COMMAND", "{if: rank == 0, " + add + "}"), "on: 0, copies",
                             "on: 0, type: BF16, copies")),
            "p.yaml:13:80: op: add: there are no atomic additions of BF16; allowed: FP16, FP32");
}

TEST(ProgramMessages, WhatIsSampledIsAParameterWithItsUnit) {
  EXPECT_EQ(with("signals: {s: 4}", "sampled: {mm: 64}"),
            "p.yaml:9:11: unknown parameter \"mm\"; did you mean m?");
  EXPECT_EQ(with("signals: {s: 4}", "sampled: {m: {unit: 64, few: 2}}"),
            "p.yaml:9:25: sampled: unknown key \"few\"; allowed: unit, fewest");
  EXPECT_EQ(with("signals: {s: 4}", "sampled: {m: {fewest: 2}}"), "p.yaml:9:14: sampled: says no \"unit\"");
  EXPECT_EQ(with("signals: {s: 4}", "sampled: {m: 0}"), "p.yaml:9:14: sampled 0; allowed: 1 to 1073741824");
}

TEST(ProgramMessages, ViewsStayWithinTheirArrays) {
  EXPECT_EQ(of("copy: {from: aa, to: c}"), "p.yaml:13:20: unknown array \"aa\"; did you mean a?");
  EXPECT_EQ(of("copy: {from: \"a[rows 0:257]\", to: c}"),
            "p.yaml:13:28: GPU 0: rows 0:257 of a, which has 0:256");
  EXPECT_EQ(of("copy: {from: \"a[columns 64:64]\", to: c}"),
            "p.yaml:13:31: GPU 0: columns 64:64 of a are none");
  EXPECT_EQ(of("copy: {from: \"a[row 0:2]\", to: c}"),
            "p.yaml:13:23: expected rows FIRST:END, columns FIRST:END or copy NUMBER, each once; found \"row "
            "0:2\"");
  EXPECT_EQ(of("copy: {from: \"a[rows 0]\", to: c}"), "p.yaml:13:28: rows: expected FIRST:END, found \"0\"");
  EXPECT_EQ(of("copy: {from: \"a[rows 0:2\", to: c}"), "p.yaml:13:22: this [ is not closed");
  EXPECT_EQ(of("copy: {from: \"a[rows 0:2]x\", to: c}"), "p.yaml:13:32: expected the end, found \"x\"");
  EXPECT_EQ(of("copy: {from: a@2, to: a}"), "p.yaml:13:22: GPU 0: there is no GPU 2; allowed: 0 to 1");
  EXPECT_EQ(of("copy: {from: \"a@\", to: a}"), "p.yaml:13:22: expected a GPU's number after @");
  EXPECT_EQ(of("copy: {from: d, to: c}"), "p.yaml:13:20: GPU 1: there is no d on GPU 1");
  EXPECT_EQ(of("copy: {from: \"d@0[copy 2]\", to: c}"), "p.yaml:13:30: GPU 0: copy 2; allowed: 0 to 1");
}

TEST(ProgramMessages, CopiesAndCollectivesMustFit) {
  EXPECT_EQ(of("copy: {from: a, to: c}"),
            "p.yaml:13:13: GPU 0: copy: from is 256 x 128, to is 256 x 256: they must be alike");
  EXPECT_EQ(
      of("copy: {from: c@0, to: d@0}"),
      "p.yaml:13:13: GPU 1: copy: from GPU 0 to GPU 0; one end must be here: a copy engine pushes or pulls");
  EXPECT_EQ(of("collective: {kind: all-gathr, in: a, out: c}"),
            "p.yaml:13:26: unknown kind \"all-gathr\"; did you mean all-gather?");
  EXPECT_EQ(of("collective: {kind: all-gather, in: a, out: a}"),
            "p.yaml:13:19: GPU 0: collective: in is 256 x 128, out is 256 x 128: out has 2 times the rows");
  EXPECT_EQ(of("collective: {kind: all-reduce, in: a@0, out: a}"),
            "p.yaml:13:19: GPU 1: collective: in and out must be in this GPU's memory");
}

TEST(ProgramMessages, LaunchesMustFit) {
  EXPECT_EQ(of("launch: {gemm: {a: b, b: b, c: c}}"),
            "p.yaml:13:22: GPU 0: gemm: c is 256 x 256, a 128 x 256, b 128 x 256: they must be m x n, m x k, "
            "k x n");
  EXPECT_EQ(
      of("launch: {gemm: {a: a@next, b: b, c: c}}"),
      "p.yaml:13:22: GPU 0: gemm: a is on GPU 1; operands are in the kernel's own memory: copy them first");
  EXPECT_EQ(of("launch: {gemm: {a: \"a[columns 32:64]\", b: \"b[rows 32:64]\", c: c}}"),
            "p.yaml:13:22: GPU 0: gemm: a[columns 32:64] begins within a 128 B line; it must begin on one");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c}, kernel: nvjet}"),
            "p.yaml:13:50: GPU 0: 'nvjet' is no kernel name that is known: names are like "
            "nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT or triton_128x256x64_s3_g8");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c}, tile: 128x128}"),
            "p.yaml:13:48: tile '128x128' is not written MxNxK, like 128x128x32");
  EXPECT_EQ(
      of("launch: {gemm: {a: a, b: b, c: c}, tile: 128x8x32}"),
      "p.yaml:13:48: GPU 0: GEMM: tile n 8 is 16 bytes of FP16: it must be a multiple of a 32 B sector");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c}, cus: 0}"),
            "p.yaml:13:47: GPU 0: cus: the launch has no CUs");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c}, cus: 8 .. 4}"),
            "p.yaml:13:47: GPU 0: cus: the launch has no CUs");
  EXPECT_EQ(
      of("launch: {gemm: {a: a, b: b, c: c}, stores: {to: a}}"),
      "p.yaml:13:55: GPU 0: stores: a must be of the output's type, and as wide in memory (512 and 256 B)");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c}, stores: {to: c@next, row: row * tile_m + 1}}"),
            "p.yaml:13:68: GPU 0: stores: a tile of 128 rows goes to row 129 of 256");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c}, stores: {to: c@next, op: adds}}"),
            "p.yaml:13:67: unknown op \"adds\"; did you mean add?");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c}, stores: [{to: c@0}, {to: c@1}]}"),
            "p.yaml:13:62: GPU 0: stores: tile 0 goes to two places");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c}, order: roww}"),
            "p.yaml:13:49: unknown name \"roww\"; allowed here: gpus, m, rank, next, tile, row, column, "
            "tile_rows, tile_columns, tile_m, tile_n; did you mean row?");
  EXPECT_EQ(of("launch: {sum: {from: a, to: c}}"),
            "p.yaml:13:28: GPU 0: sum: from is 256 x 128, to is 256 x 256: they must be alike");
}

TEST(ProgramMessages, ALaunchMayRequireSomethingOfItsTiles) {
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c@rank}, require: m % tile_m == 0}"), "(accepted)");
  EXPECT_EQ(
      of("launch: {gemm: {a: a, b: b, c: c}, tile: 192x128x32, require: m % tile_m == 0}"),
      "p.yaml:13:69: GPU 0: require: the launch needs m % tile_m == 0; here tile_m = 192, tile_n = 128");
}

TEST(ProgramMessages, KernelsReadTheirOwnMemory) {
  EXPECT_EQ(of("launch: {sum: {from: a@next, to: a}}"),
            "p.yaml:13:28: GPU 0: sum: a@1 is on GPU 1; a kernel reads its own memory: copy it first");
  EXPECT_EQ(of("launch: {sum: {from: \"d@0[copy 0]\", to: \"d@0[copy 1]\", op: ad}}"),
            "p.yaml:13:66: unknown op \"ad\"; did you mean add?");
}

TEST(ProgramMessages, OutputsDoNotOverlapInputs) {
  EXPECT_EQ(of("launch: {gemm: {a: c, b: c, c: c}}"),
            "p.yaml:13:22: GPU 0: gemm: c overlaps a, which other tiles still read");
  EXPECT_EQ(of("copy: {from: \"a[rows 0:16]\", to: \"a[rows 15:31]\"}"),
            "p.yaml:13:13: GPU 0: copy: from and to overlap");
  EXPECT_EQ(of("launch: {sum: {from: [c, \"c[rows 0:256]\"], to: c}}"), "(accepted)");
  EXPECT_EQ(of("launch: {sum: {from: \"a[rows 0:16]\", to: \"a[rows 15:31]\"}}"),
            "p.yaml:13:29: GPU 0: sum: from overlaps to: it must be the same view, or another part");
}

TEST(ProgramMessages, WordsStayWithinTheirSignals) {
  EXPECT_EQ(of("signal: t"), "p.yaml:13:15: unknown signal \"t\"; allowed: s");
  EXPECT_EQ(of("signal: s"), "p.yaml:13:15: s has 4 words: which one? s[NUMBER]");
  EXPECT_EQ(of("signal: s[4]"), "p.yaml:13:17: GPU 0: word of s 4; allowed: 0 to 3");
  EXPECT_EQ(of("signal: s[0] >= 1"), "p.yaml:13:15: a signal is set with = or added to with +=, not >=");
  EXPECT_EQ(of("wait: s[0] += 1"), "p.yaml:13:13: a wait is until a word is at least a value: >=, not +=");
  EXPECT_EQ(of("wait: s@next[0]"),
            "p.yaml:13:13: GPU 0: waits for a word of GPU 1; a GPU waits for its own words only: let the "
            "other one set a word here");
  EXPECT_EQ(of("signal: s[0] ="), "p.yaml:13:15: expected a value at the end");
  EXPECT_EQ(of("signal: s[0] 3"), "p.yaml:13:20: expected =, +=, >= or the end, found \"3\"");
  EXPECT_EQ(of("signal: {word: \"s[0]\", fenc: false}"),
            "p.yaml:13:30: signal: unknown key \"fenc\"; did you mean fence?");
  EXPECT_EQ(of("signal: {fence: false}"), "p.yaml:13:15: signal: says no \"word\"");
  EXPECT_EQ(of("signal: {word: \"s[0]\", fence: last}"),
            "p.yaml:13:37: unknown fence \"last\"; allowed: true, false");
  EXPECT_EQ(of("launch: {gemm: {a: a, b: b, c: c}, sets: {word: \"s[0]\", fence: lost}}"),
            "p.yaml:13:70: unknown fence \"lost\"; did you mean last?");
  EXPECT_EQ(
      of("launch: {gemm: {a: a, b: b, c: c}, sets: {word: \"s[0]\", fence: last}}"),
      "p.yaml:13:48: GPU 0: sets: fence: last is of embedding, gemv and sum; a GEMM's workgroups take tiles "
      "as they come");
  EXPECT_EQ(of("{do: [{signal: \"s[0] += 2\"}, {wait: \"s[0] >= 3\"}]}"),
            "p.yaml:13:37: GPU 0: wait s[0] >= 3: s[0] never becomes 3: all that sets it makes it 2");
}

TEST(ProgramMessages, AWordThatNobodySetsIsNamed) {
  EXPECT_EQ(of("wait: s[0]"), "p.yaml:13:7: GPU 0: wait s[0] >= 1: nothing sets s[0], which is 0");
  EXPECT_EQ(
      of("{do: [{signal: \"s[1]\"}, {wait: \"s[0]\"}]}"),
      "p.yaml:13:32: GPU 0: wait s[0] >= 1: nothing sets s[0], which is 0; GPU 0: signal s[1] = 1 (line "
      "13) sets another word of that name");
  EXPECT_EQ(
      of("{do: [{signal: \"s[0]\"}, {wait: {word: \"s[0]\", reset: true}}, {wait: \"s[0]\"}]}"),
      "p.yaml:13:69: GPU 0: wait s[0] >= 1: s[0] is set 1 times, and 1 waits before this one have reset it");
}

TEST(ProgramMessages, EventsAndStreamsMustBeThere) {
  EXPECT_EQ(of("wait-event: e"),
            "p.yaml:13:19: GPU 0: wait-event: the host has recorded no event \"e\" before; recorded: none. "
            "With `commands:` it issues in the order of that list");
  EXPECT_EQ(
      of("sync: mian"),
      "p.yaml:13:13: GPU 0: unknown stream, event recorded before, or signal \"mian\"; did you mean main?");
  EXPECT_EQ(of("host: 5"),
            "p.yaml:13:13: host: 5 has no unit; allowed units: ps, ns, us, ms, s (e.g. 500 ns)");
  EXPECT_EQ(of("barrier: all"), "p.yaml:13:16: barrier: found \"all\"; allowed: nothing, stream, host");
  EXPECT_EQ(of("{on: main, flush: }"), "p.yaml:13:8: on: the command is in a stream already");
  EXPECT_EQ(refusal("name: x\narrays: {}\nstreams: [u, v]\ncommands: [flush]\n"),
            "p.yaml:4:12: on which stream? say on: u | v");
  EXPECT_EQ(refusal("name: x\narrays: {}\nstreams: [u, v]\ncommands: [{on: w, do: [flush]}]\n"),
            "p.yaml:4:17: GPU 0: unknown stream \"w\"; allowed: u, v");
  EXPECT_EQ(refusal("name: x\narrays: {}\nstreams: [u, u]\ncommands: [flush]\n"),
            "p.yaml:3:14: there is a stream \"u\" already");
}

TEST(ProgramMessages, AllGpusComeToBarriersAndCollectives) {
  EXPECT_EQ(of("{if: rank == 0, do: [barrier]}"),
            "p.yaml:13:28: barriers: GPU 0 has 1, GPU 1 has 0; all GPUs must come to each");
  EXPECT_EQ(of("{if: rank == 0, do: [barrier], else: [{barrier: host}]}"),
            "p.yaml:13:46: GPU 1: barrier of hosts where GPU 0 has barrier (line 13)");
  EXPECT_EQ(of("{if: rank == 1, collective: {kind: all-reduce, in: c, out: c}}"),
            "p.yaml:13:23: collectives: GPU 0 has 0, GPU 1 has 1; all GPUs must come to each");
}

// Written in two places, those of the same kind and arrays belong together.
TEST(ProgramMessages, CollectivesInOppositeOrderWaitForEachOther) {
  const std::string arrays =
      "name: x\narrays: {a: {rows: 8, columns: 64}, b: {rows: 8, columns: 64}, x: {rows: 16, columns: 64}, "
      "y: "
      "{rows: 16, columns: 64}}\nstreams:\n  u:\n";
  const std::string x = "{collective: {kind: all-gather, in: a, out: x}}",
                    y = "{collective: {kind: all-gather, in: b, out: y}}";
  const auto both = [&](const std::string& first, const std::string& second) {
    return refusal(arrays + "    - {if: rank == 0, do: [" + x + ", " + y + "]}\n    - {if: rank == 1, do: [" +
                   first + ", " + second + "]}\n");
  };
  EXPECT_EQ(both(x, y), "(accepted)");
  EXPECT_EQ(both(y, x).substr(0, 67), "no progress: p.yaml:6:78: these wait for each other, each for the n");
  EXPECT_EQ(both(x, x),
            "p.yaml:5:78: all-gather b to y: 1 of 2 GPUs come to it; the others have none of these arrays");
}

// Exit status 3, as what a run would show; a ring of streams alone is a wrong program.
TEST(ProgramMessages, HostsThatBlockEachOtherMakeNoProgress) {
  const std::string text = of("{do: [{sync: \"s[rank]\"}, {signal: \"s@next[next]\"}]}");
  EXPECT_TRUE(text.starts_with("no progress: p.yaml:13:14: these wait for each other")) << text;
}

TEST(ProgramMessages, SumsMoveWholeSectorsOfOneLayout) {
  const auto sum = [](const char* a) {
    return refusal("name: x\narrays: {a: " + std::string(a) +
                   ", c: {rows: 64, columns: 64}}\nstreams: {s: [{launch: {sum: {from: a, to: c}}}]}\n");
  };
  EXPECT_EQ(sum("{rows: 64, columns: 64}"), "(accepted)");
  EXPECT_EQ(
      sum("{rows: 64, columns: 64, column_major: true}"),
      "p.yaml:3:37: GPU 0: sum: from and to must be of one type, and both row-major or both column-major");
  EXPECT_EQ(
      refusal("name: x\narrays: {c: {rows: 64, columns: 1000}}\nstreams: {s: [{launch: {sum: {to: c}}}]}\n"),
      "p.yaml:3:35: GPU 0: sum: rows of c must begin and end on 32 B sectors");
}

TEST(ProgramMessages, WhoWaitsForEachOtherIsNamed) {
  EXPECT_EQ(
      of("{do: [{wait: \"s[rank]\"}, {signal: \"s@next[next]\"}]}"),
      "p.yaml:13:14: these wait for each other, each for the next: GPU 0: wait s[0] >= 1 (line 13); GPU 1: "
      "signal s@0[0] = 1 (line 13); GPU 1: wait s[1] >= 1 (line 13); GPU 0: signal s@1[1] = 1 (line 13)");
  EXPECT_EQ(
      refusal("name: x\narrays: {}\nsignals: {s: 2}\nstreams:\n  u: [{wait: \"s[0]\"}, {signal: \"s[1]\"}]\n"
              "  v: [{wait: \"s[1]\"}, {signal: \"s[0]\"}]\n",
              1),
      "p.yaml:5:8: these wait for each other, each for the next: GPU 0: wait s[0] >= 1 (line 5); GPU 0: "
      "signal s[0] = 1 (line 6); GPU 0: wait s[1] >= 1 (line 6); GPU 0: signal s[1] = 1 (line 5)");
  EXPECT_EQ(refusal("name: x\narrays: {}\nsignals: {s: 1}\nstreams:\n  u: [{if: rank == 0, do: [barrier, "
                    "{signal: s@1}], "
                    "else: [{wait: s}, barrier]}]\n"),
            "p.yaml:5:71: these wait for each other, each for the next: all GPUs meet; GPU 1: barrier (line "
            "5); GPU 1: wait s >= 1 (line 5); GPU 0: signal s@1 = 1 (line 5); GPU 0: barrier (line 5)");
  EXPECT_EQ(
      refusal("name: x\narrays: {}\nsignals: {s: 1}\nstreams:\n  u: [{wait: s}, {sync: u}, {signal: s}]\n",
              1),
      "p.yaml:5:8: these wait for each other, each for the next: GPU 0: wait s >= 1 (line 5); GPU 0: signal "
      "s = 1 (line 5)");
}

}  // namespace
}  // namespace t3sim::program
