// The language in which collectives are written (docs/collectives.md).
#include "plan/plan_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "in_folder.h"
#include "plan/plan_library.h"
#include "plan_text.h"

namespace t3sim {
namespace {

const std::string kRing = R"(name: ring
order: {count: n, chunk: (r + i) % n}
rules:
  - when: p == 0
    remote_map: {to: (r - 1) % n, op: update}
  - when: p < n - 1
    local: update
    dma_map: [{to: (r - 1) % n, op: update}]
  - local: update
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

TEST(PlanFile, DecidesByTheFirstRuleThatMatches) {
  const CollectivePlan plan = plan_of(kRing, 3);
  EXPECT_EQ(plan.at(1, 0, 1).producer, ChunkPlan::Producer::remote);
  EXPECT_EQ(plan.at(1, 0, 2).dma, (std::vector<Transfer>{{0, 0, Op::update}}));
  EXPECT_TRUE(plan.at(1, 0, 0).dma.empty());
}

TEST(PlanFile, MakesATransferForEachD) {
  const CollectivePlan plan = plan_of(
      "name: x\norder: {count: 1, chunk: r}\nrules:\n"
      "  - when: c == r\n    local: store\n"
      "    dma_map: [{for: d in 1 .. n - 1, to: (r + d) % n, op: store}]\n",
      4);
  EXPECT_EQ(plan.at(2, 0, 2).dma,
            (std::vector<Transfer>{{3, 0, Op::write}, {0, 0, Op::write}, {1, 0, Op::write}}));
}

TEST(PlanFile, MakesNoTransferWhenTheRangeIsEmpty) {
  const CollectivePlan plan = plan_of(
      "name: x\norder: {count: n, chunk: i}\nrules:\n"
      "  - {local: store, dma_map: [{for: d in 1 .. 0, to: (r + d) % n, op: store}]}\n",
      2);
  EXPECT_TRUE(plan.at(0, 0, 0).dma.empty());
}

TEST(PlanFile, TakesParameters) {
  const std::string text =
      "name: x\nparameters: {parts: {default: 2, min: 1, max: 4}}\nchunks: n * parts\n"
      "rules: [{present: true}]\n";
  EXPECT_EQ(plan_of(text, 3).chunks, 6U);
  EXPECT_EQ(plan_of(text, 3, 0, {{"parts", 4}}).chunks, 12U);
  EXPECT_EQ(refusal(text, 3, 0, {{"parts", 5}}), "a.yaml: parameter parts = 5; allowed: 1 to 4");
  EXPECT_EQ(refusal(text, 3, 0, {{"part", 1}}), "a.yaml: has no parameter \"part\"; allowed: parts");
}

TEST(PlanFile, KeepsTheSizeOfADmaBlock) {
  EXPECT_EQ(plan_of("tiles_per_block: 8\n" + kRing, 3).tiles_per_block, 8U);
  EXPECT_EQ(plan_of(kRing, 3).tiles_per_block, 0U);
}

TEST(PlanFile, SaysWhichGpusItNeeds) {
  const std::string text = "name: x\nrequire: n % node_size == 0\nrules: [{present: true}]\n";
  EXPECT_EQ(refusal(text, 6, 3), "(accepted)");
  EXPECT_EQ(refusal(text, 6, 4),
            "a.yaml:2:10: require: this collective needs n % node_size == 0; here n = 6, node_size = 4");
  EXPECT_EQ(refusal(text, 6), "a.yaml:2:14: require: node_size is not given: the GPUs are not in nodes");
}

TEST(PlanFile, PlacesMistakesInExpressions) {
  EXPECT_EQ(refusal(replaced(kRing, "p == 0", "p = 0")),
            "a.yaml:4:13: rules.0.when: expected an operator or the end, found \"=\"; did you mean ==?");
  EXPECT_EQ(refusal(replaced(kRing, "to: (r - 1) % n", "to: \"(r - i) % n\"")),
            "a.yaml:5:28: rules.0.remote_map.to: unknown name \"i\"; allowed here: n, r, c, a, p");
  EXPECT_EQ(refusal(replaced(kRing, "(r + i) % n", "(r + i) % (n - 3)")),
            "a.yaml:2:34: order.chunk: GPU 0: division by zero");
  EXPECT_EQ(refusal(replaced(kRing, "count: n", "count: n + 1")),
            "a.yaml:2:16: order.count: GPU 0: number 4; allowed: 0 to 3");
  EXPECT_EQ(refusal("chunks: 0\n" + kRing), "a.yaml:1:9: chunks: number 0; allowed: 1 to 1048576");
  EXPECT_EQ(refusal("arrays: 256\n" + kRing), "a.yaml:1:9: arrays: number 256; allowed: 1 to 255");
  EXPECT_EQ(refusal("chunks: 1000000\n" + kRing, 5),
            "a.yaml:1:9: chunks: 1000000 chunks x 1 arrays x 5 GPUs are more than 4194304");
}

TEST(PlanFile, PlacesMistakesInRanges) {
  const std::string text =
      "name: x\norder: {count: n, chunk: i}\nrules:\n"
      "  - {local: store, dma_map: [{for: RANGE, to: d, op: store}]}\n";
  EXPECT_EQ(refusal(replaced(text, "RANGE", "i in 1 .. 2")),
            "a.yaml:4:36: rules.0.dma_map.0.for: expected d in FIRST .. LAST, found \"i in 1 .. 2\"");
  EXPECT_EQ(refusal(replaced(text, "RANGE", "d in 1 .. n + q")),
            "a.yaml:4:50: rules.0.dma_map.0.for: unknown name \"q\"; allowed here: n, r, c, a, p");
  EXPECT_EQ(refusal(replaced(text, "RANGE", "d in 1 .. 1000000")),
            "a.yaml:4:45: rules.0.dma_map.0.for: GPU 0, chunk 0: end 1000000; allowed: 0 to 3");
}

TEST(PlanFile, RefusesUnknownAndMissingKeys) {
  EXPECT_EQ(refusal(replaced(kRing, "remote_map", "remote_mpa")),
            "a.yaml:5:5: unknown key \"rules.0.remote_mpa\"; did you mean rules.0.remote_map?");
  EXPECT_EQ(refusal(replaced(kRing, "local: update", "local: add")),
            "a.yaml:7:12: rules.1.local: \"add\" is not allowed; allowed: store | update");
  EXPECT_EQ(refusal(replaced(kRing, "{to: (r - 1) % n, op: update}", "{op: update}")),
            "a.yaml:5:17: rules.0.remote_map: says no \"to\": the GPU that gets the chunk");
  EXPECT_EQ(refusal(replaced(kRing, "[{to: (r - 1) % n, op: update}]", "[{to: (r - 1) % n}]")),
            "a.yaml:8:15: rules.1.dma_map.0: says no \"op\"; allowed: store, update");
  EXPECT_EQ(refusal(replaced(kRing, "count: n, ", "")),
            "a.yaml:2:8: order: needs both \"count\" and \"chunk\"");
  EXPECT_EQ(refusal("name: x\n"), "a.yaml: says no \"rules\"");
  EXPECT_EQ(refusal("rules: []\n"), "a.yaml: says no \"name\"");
  EXPECT_EQ(refusal("[1, 2]\n"), "a.yaml: expected keys and values of a collective, found a list");
  EXPECT_EQ(refusal("name: x\nrules: [{expect: {local: 1}}]\n"),
            "a.yaml:2:18: rules.0.expect: needs both \"local\" and \"remote\"");
}

TEST(PlanFile, RefusesStoresToTwoPlaces) {
  EXPECT_EQ(refusal(replaced(kRing, "    remote_map", "    local: update\n    remote_map")),
            "a.yaml:6:17: rules.0.remote_map: the rule says \"local\" as well: stores go to one place only");
}

TEST(PlanFile, RefusesParametersThatCannotBeNames) {
  const auto with = [](const std::string& parameter) {
    return refusal("name: x\nparameters:\n  " + parameter + "\nrules: [{present: true}]\n");
  };
  EXPECT_EQ(with("c: {default: 1}"),
            "a.yaml:3:3: parameters.c: the name has a meaning already; choose another");
  EXPECT_EQ(with("2x: {default: 1}"),
            "a.yaml:3:3: parameters.2x: is no name: use letters, digits and _, first a letter");
  EXPECT_EQ(with("x: {default: 5, max: 4}"), "a.yaml:3:16: parameters.x.default: 5 is not within 0 .. 4");
}

class PlanFiles : public InFolder {};

TEST_F(PlanFiles, AreFoundByTheirPath) {
  write_file("mine/ring.yaml", kRing);
  EXPECT_EQ(plan_library::load("mine/ring.yaml", 4).name, "ring");
  EXPECT_EQ(refusal_of([] { plan_library::load("mine/rung.yaml", 4); }),
            "mine/rung.yaml: no such file, or it cannot be read");
  EXPECT_EQ(refusal_of([] { plan_library::load("mine/", 4); }), "mine/: is a directory, not a collective");
  write_file("wrong.yaml", replaced(kRing, "p == 0", "p == q"));
  EXPECT_EQ(refusal_of([] { plan_library::load("wrong.yaml", 4); }),
            "wrong.yaml:4:16: rules.0.when: unknown name \"q\"; allowed here: n, r, c, a, p");
}

TEST(Explain, ShowsStepsAsFigure7) {
  const std::string expected =
      R"(ring reduce-scatter, 3 GPUs, 3 chunks; += updates, = stores; DMA starts when all that is above it has come

step  GPU 0                GPU 1                GPU 2
1     chunk 0              chunk 1              chunk 2
       stores += GPU 2      stores += GPU 0      stores += GPU 1
2     chunk 1              chunk 2              chunk 0
       += own stores        += own stores        += own stores
       += stores of GPU 1   += stores of GPU 2   += stores of GPU 0
       DMA += GPU 2         DMA += GPU 0         DMA += GPU 1
3     chunk 2              chunk 0              chunk 1
       += own stores        += own stores        += own stores
       += DMA of GPU 1      += DMA of GPU 2      += DMA of GPU 0
       kept                 kept                 kept

Output address space configuration:
GPU 0:
  order(0, 1, 2)
  remote_map(output[0], GPU 2 output[0], update)
  local_map(output[1], update)
  dma_map(output[1], GPU 2 output[1], update, after 1 local + 1 remote)
  local_map(output[2], update)
  keep(output[2], after 1 local + 1 remote)
GPU 1:
)";
  EXPECT_EQ(describe(fused_ring_reduce_scatter(3)).substr(0, expected.size()), expected);
}

TEST(Explain, ShowsOneGpuForAllWhereThereAreManyAlike) {
  const std::string text = describe(fused_ring_reduce_scatter(16));
  EXPECT_NE(
      text.find(
          "GPU r does with chunk c + r what GPU 0 does with chunk c, and sends to GPU g + r where GPU 0 "
          "sends to GPU g (modulo 16).\n"),
      std::string::npos);
  EXPECT_EQ(text.find("GPU 1:"), std::string::npos);
  const std::string nodes = describe(plan_library::load("two-level-reduce-scatter", 16, 4));
  EXPECT_NE(nodes.find("GPUs 8 to 15 are not shown.\n"), std::string::npos);
  EXPECT_NE(nodes.find("GPU 7:"), std::string::npos);
}

TEST(Explain, ShowsArraysAndBlocks) {
  const std::string exchange = describe(plan_library::load("all-to-all-dma", 3));
  EXPECT_NE(exchange.find("  present(output[1])\n  dma_map(output[1], GPU 1 array2[1], store, at once)\n"),
            std::string::npos)
      << exchange;
  EXPECT_NE(exchange.find("       DMA = GPU 1 array 2"), std::string::npos) << exchange;
  EXPECT_NE(
      describe(plan_of("tiles_per_block: 8\n" + kRing, 3))
          .find("dma_map(output[1], GPU 2 output[1], update, after 1 local + 1 remote, 8 tiles a block)"),
      std::string::npos);
}

// docs/collectives.md, from a line that begins with `start` to the end of its block.
std::string block_of_docs(const std::string& start) {
  std::ifstream file(T3SIM_SOURCE_DIR "/docs/collectives.md");
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const std::size_t first = text.find("\n" + start);
  if (first == text.npos) return "";
  return text.substr(first + 1, text.find("```", first) - first - 1);
}

TEST(Docs, ShowTheDirectReduceScatterOfTheProgram) {
  const CollectivePlan documented = plan_of(block_of_docs("name: direct reduce-scatter"), 5);
  EXPECT_EQ(documented, plan_library::load("direct-reduce-scatter", 5));
}

TEST(Docs, ShowWhatExplainPrints) {
  const std::string documented = block_of_docs("direct reduce-scatter, 3 GPUs");
  EXPECT_GT(documented.size(), 500U);
  EXPECT_EQ(describe(plan_library::load("direct-reduce-scatter", 3)).substr(0, documented.size()),
            documented);
}

}  // namespace
}  // namespace t3sim
