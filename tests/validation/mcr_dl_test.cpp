// MCR-DL's evaluation: its models, and what mixing gains where there is nothing to gain.
#include <gtest/gtest.h>

#include "validation/mcr_dl/evaluation.h"

namespace t3sim::mcr_dl {
namespace {

const char* const kStudy = T3SIM_SOURCE_DIR "/validation/mcr-dl/study.yaml";

// Two of one kind under two names.
Values twins() {
  message::Backend nccl = message::backend_named("nccl"), other = nccl;
  other.name = "mpi-gdr";
  return {read_study(kStudy), {nccl, other}};
}

TEST(MixingIdenticalBackends, GainsNothing) {
  Machines machines("");
  const auto rows = evaluate(machines, twins(), Model::dlrm, {8}, false);
  const double alone = row_of(rows, Model::dlrm, 8, "nccl", false).step.us;
  for (const char* policy : {"mpi-gdr", "by operation", "by size"})
    EXPECT_EQ(row_of(rows, Model::dlrm, 8, policy, false).step.us, alone) << policy;
}

TEST(MixedBackends, AreHardlySlowerThanTheBestAlone) {
  Machines machines("");
  const Values values{read_study(kStudy),
                      {message::backend_named("nccl"), message::backend_named("mpi-gdr")}};
  const auto rows = evaluate(machines, values, Model::dlrm, {16}, false);
  const double best = std::min(row_of(rows, Model::dlrm, 16, "nccl", false).step.us,
                               row_of(rows, Model::dlrm, 16, "mpi-gdr", false).step.us);
  EXPECT_LE(row_of(rows, Model::dlrm, 16, "by size", false).step.us, 1.01 * best);
}

TEST(DsMoe, SendsItsTokensToExpertsAndBackInThreePasses) {
  const model::Graph graph = graph_of(read_study(kStudy), Model::moe, 64);
  int exchanges = 0;
  for (const model::Operation& o : graph.operations)
    exchanges += o.call && o.call->kind == message::Kind::all_to_all;
  EXPECT_EQ(exchanges, 12 * 2 * 3);
}

// 350 million for all tokens; ten layers of 32 experts and two of 64.
TEST(DsMoe, HasFourBillionParameters) {
  const model::Graph graph = graph_of(read_study(kStudy), Model::moe, 256);
  double parameters = 0;
  for (const model::Operation& o : graph.operations) {
    if (!o.call || o.call->kind != message::Kind::all_reduce) continue;
    const auto replicas = static_cast<double>(graph.groupings[o.call->grouping].front().size());
    parameters += static_cast<double>(o.call->bytes) / 2 * 256 / replicas;
  }
  EXPECT_NEAR(parameters / 1e9, 4.1, 0.1);
}

// The same bytes as in DeepSpeed's buckets; buffers hold no more than they may.
TEST(DsMoe, SumsItsGradientsTensorByTensorToo) {
  const Study study = read_study(kStudy);
  const auto summed = [](const model::Graph& graph) {
    double bytes = 0;
    for (const model::Operation& o : graph.operations)
      if (o.call && o.call->kind == message::Kind::all_reduce) bytes += static_cast<double>(o.call->bytes);
    return bytes;
  };
  const double vectors = 24 * 13 * 1024 * 2;  // norms and biases
  const model::FusionRule rule{8 << 20, 1'000'000'000, true, 800e9};
  EXPECT_DOUBLE_EQ(summed(moe_by_tensors(study, 32, rule)),
                   summed(graph_of(study, Model::moe, 32)) + vectors);
}

TEST(Fusion, OfGradientsMakesAStepShorter) {
  Machines machines("");
  const Study study = read_study(kStudy);
  const std::vector<message::Backend> nccl{message::backend_named("nccl")};
  const auto step = [&](const std::optional<model::FusionRule>& rule) {
    return machines.of("lassen", 16)
        .step(moe_by_tensors(study, 16, rule), nccl, Mix::none, nullptr, kMcrDl)
        .us;
  };
  EXPECT_LT(step(model::FusionRule{64 << 20, 5'000'000'000, true, 800e9}), step(std::nullopt));
}

TEST(FrameworksOverhead, IsFigure7s) {
  EXPECT_DOUBLE_EQ(kPyTorch.overhead.percent(1024), 18);
  EXPECT_DOUBLE_EQ(kPyTorch.overhead.percent(4 << 20), 4);
  EXPECT_NEAR(kMcrDl.overhead.percent(64 << 10), 3, 1e-9);
}

}  // namespace
}  // namespace t3sim::mcr_dl
