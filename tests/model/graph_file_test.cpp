// Graphs of files: operations, whole models, and what is wrong with them.
#include <gtest/gtest.h>

#include "base/error.h"
#include "in_folder.h"
#include "model/from_file.h"
#include "model/schedule.h"

namespace t3sim::model {
namespace {

class GraphFiles : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    config::read(config::load_file(T3SIM_SOURCE_DIR "/configs/paper/machine.yaml").root, machine_);
    machine_.topology.kind = TopologyKind::switched;
    machine_.message.endpoint.rate_Bps = 20'000'000'000;
  }
  Timed run(const std::string& text) {
    write_file("g.yaml", text);
    const GraphFile file = read_graph_file("g.yaml");
    Builder builder(machine_, file.spec.products);
    add_graph(builder, file, machine_);
    builder.find_times({1, "", true});
    return run_graph(builder.graph(), builder.shares(), &builder);
  }
  std::string refusal(const std::string& text) {
    try {
      run(text);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }

  Config machine_;
};

TEST_F(GraphFiles, RunTheirOperationsOverAndOver) {
  const std::string layer = "operations:\n- {name: a, time: 10 us}\n- {name: b, time: 5 us, after: [a]}\n";
  EXPECT_EQ(run("repeat: 3\n" + layer).end, 45'000'000u);
}

TEST_F(GraphFiles, TakeRatesForWhatIsNotGiven) {
  const Rates rates(machine_);
  const Timed timed = run("operations: [{name: a, gemm: 1024x1024x512}, {name: b, moves: 1 MiB}]\n");
  EXPECT_NEAR(static_cast<double>(timed.end) / 1e6, rates.gemm_us(1024, 1024, 512) + rates.pass_us(1 << 20),
              1e-4);
}

// Pairs of neighbours on a ring: as long as one pair alone.
TEST_F(GraphFiles, RunCollectivesOfGroupsSideBySide) {
  const auto time = [&](const std::string& gpus) {
    return run("operations: [{name: a, collective: all-reduce, bytes: 1 MiB, group: 2, gpus: " + gpus +
               "}]\n")
        .end;
  };
  EXPECT_EQ(time("[0, 1, 2, 3, 4, 5, 6, 7]"), time("[2, 3]"));
  EXPECT_GT(time("[0, 2]"), 0u);
}

// Shares that do not divide are padded, in long calls, too.
TEST_F(GraphFiles, RunCollectivesOfAnyNumberOfGpus) {
  const auto time = [&](std::uint64_t bytes) {
    Call call;
    call.kind = message::Kind::all_gather;
    call.bytes = bytes;
    CollectiveCosts costs(machine_);
    return costs.of(call, {{0, 1, 2}}).time;
  };
  EXPECT_EQ(time(1'000'000), time(1'000'002));
  EXPECT_GT(time(120'000'000), time(60'000'000));
}

// What long collectives are continued from is a line: so long as slices follow one another, it is exact within little.
TEST_F(GraphFiles, GoOnWithLongCollectivesAsTheyBegan) {
  const auto whole = [&](int mib) {
    Call call;
    call.bytes = static_cast<std::uint64_t>(mib) << 20;
    CollectiveCosts costs(machine_);
    return static_cast<double>(costs.of(call, {{0, 1, 2, 3, 4, 5, 6, 7}}).time);
  };
  EXPECT_NEAR(whole(64) + (whole(64) - whole(32)), whole(96), 1);
}

TEST_F(GraphFiles, OfWhatIsWrongSayWhereAndWhatIsNear) {
  const std::pair<const char*, const char*> wrong[] = {
      {"operations:\n- {name: first, time: 1 us}\n- {name: b, time: 1 us, after: [frst]}\n",
       "g.yaml:3:32: operations.1.after: there is no operation \"frst\"; did you mean first?"},
      {"operations:\n- {name: a, time: 1 us}\n- {name: a, time: 1 us}\n- {name: b, time: 1 us, after: [a]}\n",
       "g.yaml:4:32: operations.2.after: there is more than one operation \"a\": which?"},
      {"operations:\n- {name: a, time: 1 us, after: [b]}\n- {name: b, time: 1 us, after: [a]}\n",
       "operations wait for each other: \"a\" after \"b\" after \"a\""},
      {"operations: [{name: a, time: 1 us, moves: 3 B}]\n", "needs one of time, moves, gemm and collective"},
      {"operations: [{name: a, time: 1 us, gpus: [8]}]\n", "GPU 8: the machine has 8"},
      {"operations: [{name: a, collective: all-reduce, bytes: 8 B, group: 3}]\n",
       "cannot be divided into groups of 3"},
      {"operations: [{name: a, gemm: 256x256x64, collective: all-reduce, scheme: t3}]\n",
       "g.yaml:1:30: operations.0.gemm: gemm 256x256x64 on 8: gpus.count: 4 tiles cannot be cut into 8 "
       "chunks"},
      {"operations: [{name: a, timee: 1 us}]\n", "did you mean operations.0.time?"},
      {"memory: 2 GB\ngpu_memory: 1 GB\noperations: [{name: a, time: 1 us}]\n",
       "g.yaml:1:9: memory: needs 2.0 GB on a GPU"},
      {"transformer: {model: llama3-8c, sequence: 128}\n", "did you mean llama3-8b?"},
      {"transformer: {model: deepseek-v3, sequence: 128}\n", "DeepSeek-V3 has layers of several kinds"},
      {"transformer: {model: llama3-8b, sequence: 128, dp: 2, ep: 2}\n", "Llama 3 8B has no experts"},
      {"transformer: {model: mixtral-8x7b, sequence: 128, dp: 6, ep: 3}\n",
       "8 experts of 6 replicas cannot be spread over 3 (ep)"},
      {"transformer: {model: llama3-8b, sequence: 128, pp: 3}\n",
       "32 blocks cannot be divided into 3 stages"},
      {"transformer: {model: llama3-8b, sequence: 128, tp: 4, dp: 4}\n",
       "needs 16 GPUs (tp 4 x pp 1 x dp 4)"},
      {"gpu_memory: 80 GB\ntransformer: {model: llama3-70b, sequence: 4096, tp: 8}\n",
       "needs 171.8 GB on a GPU (weights 17.1"},
      {"transformer: {model: llama3-8b, sequence: 128, tp: 3}\n",
       "g.yaml:1:52: transformer.tp: 14336 (ffn) cannot be split over 3 GPUs"},
      {"operations: [{name: a, time: 1 us, backend: nccl}]\n",
       "g.yaml:1:45: operations.0.backend: is of a collective"},
      {"operations: [{name: a, moves: 1 MB, scheme: t3}]\n", "scheme: is of gemm and collective together"},
      {"operations: [{name: a, time: 1 us, count: 2}]\n", "count: is of gemm"},
      {"operations: [{name: a, gemm: 256x256x64, group: 2}]\n", "group: is of a collective"},
      {"operations: [{name: a, gemm: 256x256x64, collective: all-reduce, bytes: 1 MB}]\n",
       "bytes: is of a collective without gemm"},
      {"operations: [{name: a, gemm: 256x256x64, count: 2, collective: all-reduce}]\n",
       "count: is of gemm without a collective"},
      {"repeat: 2\ntransformer: {model: llama3-8b, sequence: 128}\n", "repeat: is of operations"},
      {"table: t.csv\noperations: [{name: a, time: 1 us}]\n", "table: is of operations with backend: auto"},
      {"operations: [{name: a, time: 1 us, gpus: []}]\n", "gpus: is empty: leave it out for all GPUs"},
      {"operations: [{name: a, gemm: 16777216x16777216x16777216, count: 1000000}]\n",
       "g.yaml:1:30: operations.0.gemm: takes"},
      {"name: nothing\n", "needs operations, or a transformer"}};
  for (const auto& [text, what] : wrong) {
    const std::string message = refusal(text);
    EXPECT_NE(message.find(what), std::string::npos) << text << message;
    EXPECT_NE(message.find("g.yaml:"), std::string::npos) << message;
  }
}

TEST_F(GraphFiles, OfModelsThatTheMachinesMemoryCannotHoldAreRefusedUnlessTheySayMore) {
  machine_.gpus.memory_bytes = 80'000'000'000;
  const std::string model = "transformer: {model: llama3-70b, sequence: 4096, tp: 8}\n";
  EXPECT_NE(refusal(model).find("which has 80.0 (the machine's gpus.memory)"), std::string::npos);
  EXPECT_EQ(refusal("gpu_memory: 200 GB\n" + model), "");
}

// 8 experts of which a token takes two, on 4 of 8 replicas' GPUs each: 2 of a layer here.
TEST_F(GraphFiles, OfExpertsExchangeTokensAndReduceGradientsAmongThoseThatHaveTheSame) {
  write_file("g.yaml", "transformer: {model: mixtral-8x7b, blocks: 1, sequence: 128, dp: 8, ep: 4}\n");
  const GraphFile file = read_graph_file("g.yaml");
  Builder builder(machine_, file.spec.products);
  add_graph(builder, file, machine_);
  const Graph& graph = builder.graph();
  double flops = 0, exchanged = 0, reduced = 0;
  for (const Operation& o : graph.operations) {
    if (o.name.starts_with("experts")) flops += o.flops;
    if (!o.call) continue;
    const Grouping& groups = graph.groupings[o.call->grouping];
    if (o.call->kind == message::Kind::all_to_all) {
      EXPECT_EQ(groups[0], (GpuSet{0, 1, 2, 3}));
      exchanged += static_cast<double>(o.bytes);
    }
    if (o.name == "gradients of experts") {
      EXPECT_EQ(groups[0], (GpuSet{0, 4}));
      reduced += static_cast<double>(o.bytes);
    }
  }
  const double weights = 3 * 4096.0 * 14336;  // of an expert
  EXPECT_NEAR(flops, 3 * 2 * 2 * 128 * weights, 1e-6 * flops);
  EXPECT_EQ(exchanged, 4 * 2 * 128 * 4096 * 2.0);
  EXPECT_EQ(reduced, 2 * 2 * weights);
}

TEST_F(GraphFiles, OfTransformersRunEachProductOfEachLayerOfEachMicroBatch) {
  write_file(
      "g.yaml",
      "transformer: {model: llama3-8b, blocks: 4, sequence: 128, micro_batches: 3, tp: 2, pp: 2, dp: 2}\n");
  const GraphFile file = read_graph_file("g.yaml");
  Builder builder(machine_, file.spec.products);
  add_graph(builder, file, machine_);
  double flops = 0;
  std::uint64_t reduced = 0;
  for (const Operation& o : builder.graph().operations) {
    flops += o.flops * static_cast<double>(builder.graph().sets[o.set].size());
    if (o.name == "gradients") reduced += o.bytes;
  }
  const double parameters = 4 * (4096.0 * (4096 + 2 * 1024) + 4096.0 * 4096 + 3 * 4096.0 * 14336);
  const double attention = 4 * 4.0 * 128 * 128 * 4096;  // products with no weights, of a sequence
  EXPECT_NEAR(flops, 3 * 3 * 2 * (2 * parameters * 128 + attention), 1e-6 * flops);
  EXPECT_EQ(reduced,
            static_cast<std::uint64_t>(2 * parameters / 2));  // by the GPUs of a tensor-parallel group
}

// One forward, one backward: of 2 stages and m batches, each waits for one pass of the other.
TEST_F(GraphFiles, OfPipelinesIdleWhileTheyFillAndDrain) {
  const auto idle = [&](int batches) {
    const Timed t = run("transformer: {model: llama3-8b, blocks: 4, sequence: 4096, pp: 2, micro_batches: " +
                        std::to_string(batches) + "}\n");
    return static_cast<double>(t.end - t.classes[0].compute) / static_cast<double>(t.end);
  };
  EXPECT_GT(idle(1), 0.4);
  EXPECT_LT(idle(8), 0.15);
}

TEST_F(GraphFiles, OfReplicasThatShareStateHoldLess) {
  TransformerSpec spec;
  spec.model = "llama3-8b";
  spec.sequence = 128;
  spec.dp = 8;
  double before = 1e300;
  for (spec.zero = 0; spec.zero <= 3; ++spec.zero) {
    EXPECT_LT(transformer_footprint(spec).bytes(), before);
    before = transformer_footprint(spec).bytes();
  }
  spec.zero = 3;
  spec.dp = 1;
  spec.blocks = 1;
  const Footprint f = transformer_footprint(spec);
  EXPECT_EQ(f.weights + f.gradients + f.optimizer, 16 * (4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336));
}

}  // namespace
}  // namespace t3sim::model
