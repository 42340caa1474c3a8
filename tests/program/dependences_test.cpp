// Races: what the dependence checker finds, and where it keeps quiet.
#include "program/dependences.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "program_text.h"

namespace t3sim::program {
namespace {

std::string shipped(const std::string& name) {
  std::ifstream file(std::string(T3SIM_SOURCE_DIR) + "/programs/" + name + ".yaml");
  return {std::istreambuf_iterator<char>(file), {}};
}

// A fault planted into a shipped program: `what` in the text becomes `with`; the message begins with the place and the
// first command, and goes on with `message`.
struct Fault {
  const char* name;
  const char* program;
  const char* what;
  const char* with;
  const char* message;
  std::map<std::string, std::int64_t> parameters = {};
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

// Without the numbers of lines, which change when a program's comment does.
std::string without_lines(const std::string& message) {
  return std::regex_replace(std::regex_replace(message, std::regex("^p.yaml:[1-9]\\d*:[1-9]\\d*: "), ""),
                            std::regex(" \\(line [1-9]\\d*\\)"), "");
}

class Planted : public testing::TestWithParam<Fault> {};

TEST_P(Planted, IsFoundWithBothCommandsAndTheRows) {
  const Fault& fault = GetParam();
  const std::string text = replaced(shipped(fault.program), fault.what, fault.with);
  const std::string message = refusal(text, 4, fault.parameters);
  EXPECT_EQ(without_lines(message), fault.message);
  EXPECT_TRUE(std::regex_search(message, std::regex("^p.yaml:[1-9]\\d*:[1-9]\\d*: "))) << message;
}

const Fault kFaults[] = {
    {"SignalBeforeItsData", "all-gather-gemm", "        - copy: {from",
     "        - signal: here[part]\n        - copy: {from",
     "GPU 0: gemm c = a * b (192 tiles) reads a[rows 2048:2560] (12582912 bytes), which GPU 0: copy a@1[rows "
     "2048:2560] to a[rows 2048:2560] writes: nothing orders the two; signal here[4] = 1 comes before the "
     "data"},
    {"TilesDoNotWait", "all-gather-gemm", "        wait: {for", "        # wait: {for",
     "GPU 0: gemm c = a * b reads a[rows 2048:2560] (12582912 bytes), which GPU 0: copy a@1[rows 2048:2560] "
     "to a[rows 2048:2560] writes: nothing orders the two"},
    {"TilesWaitForTheFirstOfTheirRowsOnly",
     "all-gather-gemm",
     ".. (min((row + 1) * tile_m, m) - 1) / rows",
     ".. row * tile_m / rows",
     "GPU 0: gemm c = a * b (48 tiles) reads a[rows 64:128] (1572864 bytes), which GPU 0: copy a@1[rows "
     "64:128] to a[rows 64:128] writes: nothing orders the two",
     {{"m", 256}, {"rows", 64}}},
    {"SignalsAreSetFromTheBeginning", "all-gather-gemm", "value: i / mine == rank", "value: 1",
     "GPU 0: gemm c = a * b (192 tiles) reads a[rows 2048:2560] (12582912 bytes), which GPU 0: copy a@1[rows "
     "2048:2560] to a[rows 2048:2560] writes: nothing orders the two"},
    {"CopiesLackARow", "all-gather-gemm", "from: \"a@p[rows first : end]\", to: \"a[rows first : end]\"",
     "from: \"a@p[rows first : end - 1]\", to: \"a[rows first : end - 1]\"",
     "GPU 0: gemm c = a * b (192 tiles) reads a[rows 2559:2560] (24576 bytes), which nothing writes"},
    {"CopiesGoToTheWrongRows", "all-gather-gemm", "to: \"a[rows first : end]\"",
     "to: \"a[rows rank * mine * rows : rank * mine * rows + end - first]\"",
     "GPU 3: copy a@0[rows 0:512] to a[rows 6144:6656] reads a@0[rows 0:512] (12582912 bytes), which GPU 0: "
     "copy a@1[rows 2048:2560] to a[rows 0:512] writes: nothing orders the two"},
    {"PushesSignalBeforeTheirData", "all-gather-gemm-push", "        - copy: {from",
     "        - signal: here@p[part]\n        - copy: {from",
     "GPU 0: gemm c = a * b (192 tiles) reads a[rows 2048:2560] (12582912 bytes), which GPU 1: copy a[rows "
     "2048:2560] to a@0[rows 2048:2560] writes: nothing orders the two; signal here@0[4] = 1 comes before "
     "the data"},
    {"APullsSignalHasNoFence", "all-gather-gemm", "- signal: here[part]",
     "- signal: {word: \"here[part]\", fence: false}",
     "GPU 0: gemm c = a * b (192 tiles) reads a[rows 2048:2560] (12582912 bytes), which GPU 0: copy a@1[rows "
     "2048:2560] to a[rows 2048:2560] writes: nothing orders the two; signal here[4] = 1 has "
     "no fence"},
    {"APushsSignalHasNoFence", "all-gather-gemm-push", "- signal: here@p[part]",
     "- signal: {word: \"here@p[part]\", fence: false}",
     "GPU 0: gemm c = a * b (192 tiles) reads a[rows 2048:2560] (12582912 bytes), which GPU 1: copy a[rows "
     "2048:2560] to a@0[rows 2048:2560] writes: nothing orders the two; signal here@0[4] = 1 "
     "has no fence"},
    {"TheNextGpusSignalHasNoFence", "gemm-copy-gemm", "- signal: here@(rank + 1) % gpus",
     "- signal: {word: here@(rank + 1) % gpus, fence: false}",
     "GPU 0: gemm d = received * b2 reads received (33554432 bytes), which GPU 3: copy c to received@0 "
     "writes: nothing orders the two; signal here@0 = 1 has no fence"},
    {"NobodyWaitsForTheTilesOfOthers", "gemm-reduce-scatter", "    - barrier", "    # - barrier",
     "GPU 0: sum sum = parts[copy 0] and 3 more reads parts[copy 1] (50331648 bytes), which GPU 1: gemm c = "
     "a * b (1536 tiles) writes: nothing orders the two"},
    {"OnlyHostsMeet", "gemm-reduce-scatter", "    - barrier", "    - barrier: host",
     "GPU 0: sum sum = parts[copy 0] and 3 more reads parts[copy 1] (50331648 bytes), which GPU 1: gemm c = "
     "a * b (1536 tiles) writes: nothing orders the two"},
    {"ATileIsHandedOnBeforeItIsThere", "gemm-reduce-scatter-beside", "        wait: done[tile]\n", "",
     "GPU 0: copy by CUs c to sent (1 tiles) reads c[rows 0:128, columns 0:128] (32768 bytes), which GPU 0: "
     "gemm c = a * b (1 tiles) writes: nothing orders the two"},
    {"AllStoreIntoOneCopy", "gemm-reduce-scatter", "[copy rank]", "[copy 0]",
     "GPU 0: gemm c = a * b (1536 tiles) writes parts[copy 0] (50331648 bytes), which GPU 1: gemm c = a * b "
     "(1536 tiles) writes, too: nothing orders the two"},
    {"StoresInsteadOfAdditions", "gemm-reduce-scatter-add", "op: add", "op: store",
     "GPU 0: gemm c = a * b (1536 tiles) writes sum (50331648 bytes), which GPU 1: gemm c = a * b (1536 "
     "tiles) writes, too: nothing orders the two"},
    {"AdditionsToNothing", "gemm-reduce-scatter-add", ", contents: zeros", "",
     "GPU 0: gemm c = a * b (1536 tiles) adds to sum (50331648 bytes), which nothing has set before"},
    {"AGemmDoesNotWaitForItsShard", "medium-grained-all-gather-gemm",
     "        - wait: here[q]\n        - launch", "        - launch",
     "GPU 0: gemm c[rows 2048:4096] = a[rows 2048:4096] * b reads a[rows 2048:4096] (50331648 bytes), which "
     "GPU 3: copy a[rows 2048:4096] to a@0[rows 2048:4096] writes: nothing orders the two"},
    {"AShardIsHandedOnBeforeItHasCome", "medium-grained-all-gather-gemm",
     "        - wait: here[q]\n        - copy", "        - copy",
     "GPU 0: copy a[rows 4096:6144] to a@1[rows 4096:6144] reads a[rows 4096:6144] (50331648 bytes), which "
     "GPU 3: copy a[rows 4096:6144] to a@0[rows 4096:6144] writes: nothing orders the two"},
    {"ASumDoesNotWaitForItsPart", "medium-grained-gemm-reduce-scatter", "wait: \"here[s - 1]\"",
     "wait: \"here[s - 1] >= 0\"",
     "GPU 0: sum sum[copy 1] = part[copy 1] and 1 more reads inbox[copy 0] (50331648 bytes), which GPU 3: "
     "copy sum[copy 0] to inbox@0[copy 0] writes: nothing orders the two"},
    {"ASumIsSentBeforeItIsThere", "medium-grained-gemm-reduce-scatter", "        - wait-event: added[s]\n",
     "",
     "GPU 0: copy sum[copy 0] to inbox@1[copy 0] reads sum[copy 0] (50331648 bytes), which GPU 0: copy by "
     "CUs part[copy 0] to sum[copy 0] writes: nothing orders the two"},
    {"PartsOverwriteEachOther", "medium-grained-gemm-reduce-scatter",
     "to: \"inbox@next[copy s, rows :count]\"", "to: \"inbox@next[copy 0, rows :count]\"",
     "GPU 0: sum sum[copy 1] = part[copy 1] and 1 more reads inbox[copy 0] (50331648 bytes), which GPU 3: "
     "copy sum[copy 1] to inbox@0[copy 0] writes: nothing orders the two; signal here@0[0] = 1 comes before "
     "the data"},
    {"ABufferIsFilledWhileItIsRead", "ficco-uniform-fused-1d",
     "- {if: s >= 2, do: [{wait-event: \"computed[buffer]\"}]}",
     "- {if: s >= 3, do: [{wait-event: \"computed[buffer]\"}]}",
     "GPU 0: gemm out[copy 0] = gathered[copy 0] * b reads gathered[rows 512:1024, copy 0] (8388608 bytes), "
     "which GPU 0: copy a@1[rows 1024:1536] to gathered[rows 512:1024, copy 0] writes: nothing orders the "
     "two"},
    {"AnOutputIsOverwrittenWhileItIsScattered", "ficco-uniform-fused-1d",
     "- {if: s >= 2, do: [{wait-event: \"scattered[buffer]\"}]}",
     "- {if: s >= 3, do: [{wait-event: \"scattered[buffer]\"}]}",
     "GPU 0: copy by CUs out[rows 0:512, copy 0] to c[rows 0:512] reads out[rows 0:512, copy 0] (7340032 "
     "bytes), which GPU 0: gemm out[copy 0] = gathered[copy 0] * b writes: nothing orders the two"},
    {"OneBufferWhereTwoAreNeeded", "ficco-hetero-fused-1d", "buffer: s % 2", "buffer: s % 1",
     "GPU 0: gemm out[copy 0] = gathered[copy 0] * b reads gathered[rows 0:512, copy 0] (8388608 bytes), "
     "which GPU 0: copy a@1[rows 512:1024] to gathered[rows 0:512, copy 0] writes: nothing orders the two"},
    {"OneArrivalIsForgotten", "ficco-uniform-fused-1d", "{for: {d: 0 .. gpus - 1}, wait-event",
     "{for: {d: 1 .. gpus - 1}, wait-event",
     "GPU 0: gemm out[copy 0] = gathered[copy 0] * b reads gathered[rows 0:512, copy 0] (8388608 bytes), "
     "which GPU 0: copy by CUs a[rows 0:512] to gathered[rows 0:512, copy 0] writes: nothing orders the two"},
    {"APieceIsNotWaitedFor", "ficco-hetero-unfused-1d", "        - wait-event: arrived[last * gpus + d]\n",
     "",
     "GPU 0: gemm c[rows 4096:4608] = a[rows 4096:4608] * b reads a[rows 4096:4608] (8388608 bytes), which "
     "GPU 0: copy a@1[rows 4096:4608] to a[rows 4096:4608] writes: nothing orders the two"},
    {"TheFirstSliceIsAdded", "ficco-uniform-fused-2d", "accumulate: s > 0", "accumulate: true",
     "GPU 0: gemm c += a[columns 0:2048] * b[rows 0:2048] reads c (117440512 bytes), which is written only "
     "later, by GPU 0: gemm c += a[columns 2048:4096] * b[rows 2048:4096]"},
    {"ASliceOfOnePeerIsForgotten", "ficco-uniform-fused-2d", "{for: {d: 1 .. gpus - 1}, wait-event",
     "{for: {d: 2 .. gpus - 1}, wait-event",
     "GPU 0: gemm c = a[columns 0:2048] * b[rows 0:2048] reads a[rows 2048:4096, columns 0:2048] (8388608 "
     "bytes), which GPU 0: copy a@1[rows 2048:4096, columns 0:2048] to a[rows 2048:4096, columns 0:2048] "
     "writes: nothing orders the two"},
    {"AnEventIsRecordedBeforeTheCopy", "ficco-serial",
     "        - copy: {from: \"a@p[rows p * shard : (p + 1) * shard]\", to: \"a[rows p * shard : (p + 1) * "
     "shard]\"}\n        - record: arrived[d]\n",
     "        - record: arrived[d]\n        - copy: {from: \"a@p[rows p * shard : (p + 1) * shard]\", to: "
     "\"a[rows p * shard : (p + 1) * shard]\"}\n",
     "GPU 0: gemm c = a * b reads a[rows 4096:8192] (67108864 bytes), which GPU 0: copy a@1[rows 4096:8192] "
     "to a[rows 4096:8192] writes: nothing orders the two"},
    {"TheCollectiveReducesWhatIsBeingComputed", "two-streams-gemm-reduce-scatter", "in: c0", "in: c",
     "GPU 0: reduce-scatter c to mine reads c (134217728 bytes), which GPU 0: gemm c = a * b writes: nothing "
     "orders the two"},
    {"TheConsumerDoesNotWait", "gemm-copy-gemm", "    - wait: here\n", "",
     "GPU 0: gemm d = received * b2 reads received (33554432 bytes), which GPU 3: copy c to received@0 "
     "writes: nothing orders the two"},
    {"TheProducerOverwritesWhatIsBeingSent", "gemm-copy-gemm",
     "  consume:", "  again:\n    - launch: {gemm: {a: a, b: b2, c: c}}\n  consume:",
     "GPU 0: copy c to received@1 reads c (33554432 bytes), which GPU 0: gemm c = a * b2 writes: nothing "
     "orders the two"},
};

// A GEMM's tiles go to the next GPU, and each says so to a kernel there.
std::string tiles_that_tell(const std::string& sets) {
  return "name: x\n"
         "arrays: {a: {rows: 256, columns: 128}, b: {rows: 128, columns: 256}, c: {rows: 256, columns: 256}, "
         "got: {rows: 256, columns: 256}, out: {rows: 256, columns: 256}}\n"
         "let: {next: (rank + 1) % gpus}\n"
         "signals: {done: 2}\n"
         "streams:\n"
         "  main:\n"
         "    - launch: {gemm: {a: a, b: b, c: c}, tile: 128x128x32, stores: {to: got@next}, sets: " +
         sets +
         "}\n"
         "    - wait: \"done[0] >= 4\"\n"
         "    - launch: {sum: {from: got, to: out}}\n";
}

TEST(Fences, OfTilesOrderTheirStoresBeforeTheirWord) {
  EXPECT_EQ(refusal(tiles_that_tell("\"done@next[0] += 1\"")), "(accepted)");
  EXPECT_EQ(refusal(tiles_that_tell("{word: \"done@next[0] += 1\", fence: true}")), "(accepted)");
  EXPECT_EQ(refusal(tiles_that_tell("{word: \"done@next[0] += 1\", fence: false}")),
            "p.yaml:9:7: GPU 0: copy by CUs got to out reads got (131072 bytes), which GPU 1: gemm c = a * b "
            "(4 tiles) (line 7) writes: nothing orders the two; gemm c = a * b (line 7) has no fence");
}

TEST(Fences, OfALaterWordOrderAllThatWasBefore) {
  const std::string text =
      "name: x\narrays: {a: {rows: 8, columns: 64}, b: {rows: 8, columns: 64}}\nsignals: {early: 1, late: "
      "1}\n"
      "streams:\n"
      "  u:\n    - copy: {from: a, to: \"b@(rank + 1) % gpus\"}\n"
      "    - signal: {word: \"early@(rank + 1) % gpus\", fence: false}\n"
      "    - signal: late@(rank + 1) % gpus\n"
      "  v:\n    - wait: late\n    - wait: early\n    - launch: {sum: {from: b, to: a}}\n";
  EXPECT_EQ(refusal(replaced(text, "{from: b, to: a}", "{from: b, to: b}")), "(accepted)");
  EXPECT_NE(
      refusal(replaced(replaced(text, "{from: b, to: a}", "{from: b, to: b}"), "    - wait: late\n", ""))
          .find("signal early@0 = 1 (line 7) has no fence"),
      std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Faults, Planted, testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

}  // namespace
}  // namespace t3sim::program
