// Wrong plans, each refused with its reason.
#include "plan/plan_check.h"

#include <gtest/gtest.h>

#include <string>

#include "plan/plan_library.h"
#include "plan_text.h"
#include "ring_reference.h"

namespace t3sim {
namespace {

// Three GPUs, each of which produces all chunks; `rules` say what becomes of them.
std::string fused(const std::string& rules, const std::string& kind = "custom") {
  return "name: x\nkind: " + kind + "\norder: {count: n, chunk: (r + i) % n}\nrules:\n" + rules;
}
std::string unfused(const std::string& rules, const std::string& kind = "custom") {
  return "name: x\nkind: " + kind + "\nrules:\n" + rules;
}

TEST(WrongPlan, SendsToAGpuThatDoesNotExist) {
  EXPECT_EQ(refusal(fused("  - remote_map: {to: r - 1, op: update}\n")),
            "a.yaml:5:22: rules.0.remote_map.to: GPU 0, chunk 0: GPU -1; allowed: 0 to 2");
}
TEST(WrongPlan, SendsToAnArrayThatDoesNotExist) {
  EXPECT_EQ(refusal(fused("  - remote_map: {to: (r + 1) % n, array: 1, op: update}\n")),
            "a.yaml:5:42: rules.0.remote_map.array: GPU 0, chunk 0: array 1; allowed: 0 to 0");
}
TEST(WrongPlan, SendsToItself) {
  EXPECT_EQ(refusal(fused("  - remote_map: {to: c, op: update}\n")),
            "a.yaml:5:3: GPU 0, chunk 0: remote_map to the GPU itself");
  EXPECT_EQ(refusal(fused("  - {local: update, dma_map: [{to: r, op: update}]}\n")),
            "a.yaml:5:3: GPU 0, chunk 0: dma_map to the GPU itself");
}
TEST(WrongPlan, ProducesAChunkThatDoesNotExist) {
  EXPECT_EQ(refusal("name: x\norder: {count: n, chunk: r + i}\nrules: [{local: update}]\n"),
            "a.yaml:2:26: order.chunk: GPU 1: chunk 3; allowed: 0 to 2");
}
TEST(WrongPlan, ProducesAChunkTwice) {
  EXPECT_EQ(refusal("name: x\norder: {count: n, chunk: i / 2}\nrules: [{local: update}]\n"),
            "a.yaml:3:8: GPU 0, chunk 0: is twice in the order");
}
TEST(WrongPlan, ProducesAChunkWithoutARuleForIt) {
  EXPECT_EQ(
      refusal(fused("  - {when: c != 2, local: update}\n")),
      "a.yaml:5:3: GPU 0, chunk 2: is in the order, but no rule says where its stores go, nor that it is "
      "present");
}
TEST(WrongPlan, HasARuleForStoresOfAChunkThatIsNotProduced) {
  EXPECT_EQ(refusal("name: x\norder: {count: 1, chunk: r}\nrules: [{local: update}]\n"),
            "a.yaml:3:8: GPU 0, chunk 1: a rule says where its stores go, but it is not in the order");
}
TEST(WrongPlan, ProducesOtherArraysThanTheOutput) {
  EXPECT_EQ(refusal("name: x\narrays: 2\norder: {count: n, chunk: i}\nrules: [{local: update}]\n"),
            "a.yaml:4:8: GPU 0, array 1, chunk 0: kernels produce chunks of array 0 only");
}
TEST(WrongPlan, HasDataInReceiveArraysBefore) {
  EXPECT_EQ(refusal("name: x\narrays: 2\nrules: [{present: true}]\n"),
            "a.yaml:3:8: GPU 0, array 1, chunk 0: only chunks of array 0 can be present");
}
TEST(WrongPlan, ExpectsAnUpdateThatNobodySends) {
  EXPECT_EQ(
      refusal(fused("  - {local: update, expect: {local: 1, remote: 1}}\n")),
      "a.yaml:5:37: rules.0.expect.local: GPU 0, chunk 0: expects 1 local + 1 remote updates an element, "
      "but 1 + 0 will come: it would wait for ever");
}
TEST(WrongPlan, ForwardsBeforeAllUpdatesHaveCome) {
  EXPECT_EQ(
      refusal(fused("  - when: c == r\n"
                    "    local: update\n"
                    "    dma_map: [{to: (r + 1) % n, op: update}]\n"
                    "    expect: {local: 1, remote: 1}\n"
                    "  - {remote_map: {to: c, op: update}}\n")),
      "a.yaml:8:21: rules.0.expect.local: GPU 0, chunk 0: expects 1 local + 1 remote updates an element, "
      "but 1 + 2 will come: it would be forwarded before all have come");
}
TEST(WrongPlan, HasTwoWritersThatStore) {
  EXPECT_EQ(
      refusal(fused("  - {when: c == r, local: store}\n  - remote_map: {to: c, op: store}\n")),
      "a.yaml:5:3: GPU 0, chunk 0: two writers store to it: its own kernel's stores and stores of GPU 1");
}
TEST(WrongPlan, MixesUpdatesWithAStore) {
  EXPECT_EQ(
      refusal(fused("  - {when: c == r, local: update}\n"
                    "  - {when: c == (r + 1) % n, remote_map: {to: c, op: store}}\n"
                    "  - {local: update}\n")),
      "a.yaml:5:3: GPU 0, chunk 0: stores of GPU 2 store to it and its own kernel's stores update it: the "
      "result depends on who is first");
}
TEST(WrongPlan, ForwardsAChunkThatIsNeverComplete) {
  EXPECT_EQ(refusal(unfused("  - {when: c == r, dma_map: [{to: (r + 1) % n, op: store}]}\n")),
            "a.yaml:4:3: GPU 0, chunk 0: dma_map to GPU 1 would never start: nobody writes the chunk, and it "
            "is not "
            "present");
}
TEST(WrongPlan, WaitsInACircle) {
  EXPECT_EQ(refusal(fused("  - {local: update, dma_map: [{to: (r + 1) % n, op: update}]}\n")),
            "a.yaml:5:3: GPU 0, chunk 0: a cycle of waiting: GPU 0 waits for the DMA of GPU 2, which waits "
            "for the DMA "
            "of GPU 1, which waits for the DMA of GPU 0");
}
TEST(WrongPlan, WaitsInACircleThatOthersWaitFor) {
  EXPECT_EQ(
      refusal(fused("  - {when: r == 0, local: update}\n"
                    "  - {when: r == 1, local: update, dma_map: [{to: 2, op: update}, {to: 0, op: update}]}\n"
                    "  - {local: update, dma_map: [{to: 1, op: update}]}\n")),
      "a.yaml:5:3: GPU 1, chunk 0: a cycle of waiting: GPU 1 waits for the DMA of GPU 2, which waits for the "
      "DMA "
      "of GPU 1");
}
TEST(WrongPlan, AddsToStaleData) {
  EXPECT_EQ(refusal(unfused("  - {when: c == r, present: true, dma_map: [{to: (r + 1) % n, op: update}]}\n")),
            "a.yaml:4:3: GPU 0, chunk 2: DMA of GPU 2 would add to stale data: the chunk is not present, and "
            "no kernel "
            "of this plan begins with a zeroed output");
}
TEST(WrongPlan, ProducesWhatIsPresent) {
  EXPECT_EQ(refusal(fused("  - {local: update, present: true}\n")),
            "a.yaml:5:3: GPU 0, chunk 0: is present, and the kernel produces it as well: its memory holds "
            "stale data");
}
TEST(WrongPlan, OverwritesWhatIsPresent) {
  EXPECT_EQ(refusal(unfused("  - {when: c != r, present: true}\n"
                            "  - {present: true, dma_map: [{to: (r + 1) % n, op: store}]}\n")),
            "a.yaml:4:3: GPU 0, chunk 2: is present, but DMA of GPU 2 would overwrite it");
}

TEST(WrongKind, ReduceScatterThatForgetsAGpu) {
  EXPECT_EQ(refusal(fused("  - {when: c == r or r == 2, local: update}\n"
                          "  - remote_map: {to: c, op: update}\n",
                          "reduce-scatter")),
            "a.yaml:5:3: GPU 0, chunk 0: no GPU ends with the sum of all 3 GPUs, as a reduce-scatter must; "
            "this one "
            "holds GPU 0's + GPU 1's");
}
TEST(WrongKind, ReduceScatterThatAddsAGpuTwice) {
  EXPECT_EQ(refusal(fused("  - {when: c == r, local: update}\n"
                          "  - {when: c == (r + 1) % n, remote_map: {to: c, op: update}}\n"
                          "  - {local: update, dma_map: [{to: c, op: update}, {to: c, op: update}]}\n",
                          "reduce-scatter")),
            "a.yaml:5:3: GPU 0, chunk 0: no GPU ends with the sum of all 3 GPUs, as a reduce-scatter must; "
            "this one "
            "holds GPU 0's + 2 x GPU 1's + GPU 2's");
}
TEST(WrongKind, ReduceScatterWithTwoOwners) {
  EXPECT_EQ(refusal(fused("  - {when: p == 0, local: update, dma_map: [{to: (r + 1) % n, op: store}]}\n"
                          "  - {remote_map: {to: (r + 1) % n, op: update}}\n",
                          "reduce-scatter"),
                    2),
            "a.yaml:5:3: GPU 1, chunk 0: ends with the sum of all, and GPU 0 as well; a reduce-scatter "
            "leaves it on "
            "one");
}
TEST(WrongKind, AllGatherThatMissesAGpu) {
  EXPECT_EQ(
      refusal("name: x\nkind: all-gather\norder: {count: 1, chunk: r}\nrules:\n"
              "  - {when: c == r, local: store, dma_map: [{to: (r + 1) % n, op: store}]}\n"),
      "a.yaml:5:3: GPU 2, chunk 0: an all-gather leaves one producer's value here, once; it holds nothing");
}
TEST(WrongKind, AllGatherOfDifferentValues) {
  EXPECT_EQ(
      refusal(fused("  - local: store\n", "all-gather")),
      "a.yaml:5:3: GPU 1, chunk 0: an all-gather leaves the same value on all GPUs; it holds GPU 1's, GPU 0 "
      "holds GPU 0's");
}
TEST(WrongKind, AllToAllIntoTheWrongArray) {
  EXPECT_EQ(
      refusal("name: x\nkind: all-to-all\narrays: n\norder: {count: n, chunk: i}\nrules:\n"
              "  - {when: p >= 0 and c == r, local: store}\n"
              "  - {when: p >= 0, remote_map: {to: c, array: (c - r) % n, op: store}}\n"),
      "a.yaml:6:3: GPU 0, array 1, chunk 0: an all-to-all leaves GPU 1's value here, once; it holds GPU 2's");
}
TEST(WrongKind, AllToAllWithoutReceiveArrays) {
  EXPECT_EQ(refusal(fused("  - local: store\n", "all-to-all")),
            "a.yaml:5:3: an all-to-all of 3 GPUs needs 3 arrays and a multiple of 3 chunks; it has 1 and 3");
}

// Plans of the C++ interface.
TEST(WrongPlan, CountsMoreOrFewerArrivalsThanCome) {
  CollectivePlan plan = reference_ring(3, true);
  plan.at(0, 0, 1).stores_in = 2;
  EXPECT_EQ(
      refusal_of([&] { check_plan(plan); }),
      "ring reduce-scatter: GPU 0, chunk 1: waits for 2 remote stores an element, but only 1 will come");
  plan = reference_ring(3, true);
  plan.at(0, 0, 2).dma_in = 0;
  EXPECT_EQ(
      refusal_of([&] { check_plan(plan); }),
      "ring reduce-scatter: GPU 0, chunk 2: is complete after 0 DMA updates an element, but 1 will come: it "
      "would be forwarded before it has changed for the last time");
}
TEST(WrongPlan, OfTheInterfaceLeavesItsSizes) {
  CollectivePlan plan = reference_ring(3, true);
  plan.gpus[1].chunks.pop_back();
  EXPECT_EQ(refusal_of([&] { check_plan(plan); }),
            "ring reduce-scatter: GPU 1: 2 chunks are described, expected 3 in each of 1 arrays");
  plan = reference_ring(3, true);
  plan.at(0, 0, 0).remote.gpu = 3;
  EXPECT_EQ(refusal_of([&] { check_plan(plan); }),
            "ring reduce-scatter: GPU 0, chunk 0: remote_map to GPU 3; allowed: 0 to 2");
  plan = reference_ring(3, true);
  plan.at(0, 0, 1).dma[0].op = Op::read;
  EXPECT_EQ(refusal_of([&] { check_plan(plan); }),
            "ring reduce-scatter: GPU 0, chunk 1: dma_map cannot read; allowed: store, update");
}

// A custom plan promises nothing, and says what it leaves.
TEST(PlanOutcome, CountsHowOftenEachGpuIsInASum) {
  const CollectivePlan plan =
      plan_of(fused("  - {when: c != r, local: update, dma_map: [{to: c, op: update}, {to: c, op: update}]}\n"
                    "  - {local: update}\n"),
              3);
  const PlanOutcome outcome = check_plan(plan);
  EXPECT_EQ(outcome.at(1, 0, 1), (std::vector<Contribution>{{0, 2}, {1, 1}, {2, 2}}));
  EXPECT_EQ(outcome.at(1, 0, 0), (std::vector<Contribution>{{1, 1}}));
  EXPECT_TRUE(outcome.owners(1).empty());
}

}  // namespace
}  // namespace t3sim
