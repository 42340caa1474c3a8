// A layer by name has the GEMM that a GPU has of it.
#include "presets/layer.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace t3sim::presets {
namespace {

Layer layer(const std::string& model, const std::string& name, std::uint32_t gpus,
            std::uint32_t tokens = 4096) {
  return layer_of(model_named(model), name, {gpus, tokens});
}

std::string sizes(const Layer& l) {
  return std::to_string(l.m) + "x" + std::to_string(l.n) + "x" + std::to_string(l.k);
}

std::string refusal(const std::string& model, const std::string& name, std::uint32_t gpus) {
  try {
    layer(model, name, gpus);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Layer, AllReducedOnesHaveTheirPartOfK) {
  EXPECT_EQ(sizes(layer("llama3-70b", "mlp-down", 8)), "4096x8192x3584");
  EXPECT_EQ(sizes(layer("llama3-70b", "attn-out", 8)), "4096x8192x1024");
  EXPECT_EQ(sizes(layer("llama3-70b", "mlp-up-backward", 8)), "4096x8192x7168");
  EXPECT_EQ(sizes(layer("llama3-70b", "attn-qkv-backward", 8)), "4096x8192x1280");
}

TEST(Layer, GatheredOnesHaveTheirPartOfN) {
  const Layer up = layer("llama3-70b", "mlp-up", 8);
  EXPECT_EQ(sizes(up), "4096x7168x8192");
  EXPECT_TRUE(up.gathers_input);
  EXPECT_EQ(sizes(layer("llama3-70b", "attn-qkv", 8)), "4096x1280x8192");
}

TEST(Layer, BackwardOnesTakeBothMatricesAsTheyAre) {
  EXPECT_TRUE(layer("gpt-3", "mlp-up-backward", 8).backward);
  EXPECT_FALSE(layer("gpt-3", "mlp-down", 8).backward);
}

TEST(Layer, ThoseOfThePaperHaveItsSizes) {
  EXPECT_EQ(sizes(layer("t-nlg", "mlp-down", 8, 8192)), "8192x4256x2128");
  EXPECT_EQ(sizes(layer("t-nlg", "attn-out", 16, 8192)), "8192x4256x266");
  EXPECT_EQ(sizes(layer("t-nlg", "attn-qkv-backward", 8, 8192)), "8192x4256x1596");
  EXPECT_EQ(sizes(layer("mega-gpt-2", "mlp-up-backward", 16, 16384)), "16384x3072x768");
  EXPECT_EQ(model_named("t-nlg").tokens, 8192u);
}

TEST(Layer, AnExpertHasItsShareOfTheTokens) {
  EXPECT_EQ(sizes(layer("mixtral-8x7b", "expert-down", 4)), "1024x4096x3584");
  EXPECT_EQ(sizes(layer("mixtral-8x22b", "expert-down", 8)), "1024x6144x2048");
  EXPECT_EQ(sizes(layer("deepseek-v3", "expert-down", 8)), "128x7168x256");
}

TEST(Layer, MoreGpusThanKeyValueHeadsShareThem) {
  EXPECT_EQ(sizes(layer("llama3-70b", "attn-qkv", 16)), "4096x768x8192");  // 4 query heads, 2 x 1 of 8
}

TEST(Layer, SaysHowItsSizesCameAbout) {
  EXPECT_EQ(layer("llama3-70b", "mlp-down", 8).text,
            "M 4096 = tokens x N 8192 = hidden x K 3584 = 28672 (ffn) / 8 GPUs");
  EXPECT_EQ(layer("llama3-70b", "mlp-up", 8).text,
            "M 4096 = tokens x N 7168 = 2 x 28672 (ffn) / 8 GPUs (gate and up) x K 8192 = hidden");
}

TEST(Layer, GpusThatDoNotDivideItAreRefusedWithThoseThatDo) {
  EXPECT_EQ(refusal("llama3-70b", "mlp-down", 6),
            "--tp 6: 28672 (ffn) cannot be split over 6 GPUs; the nearest that can: 4 or 7");
  EXPECT_EQ(refusal("llama3-70b", "attn-out", 3),
            "--tp 3: 64 (heads) cannot be split over 3 GPUs; the nearest that can: 2 or 4");
}

TEST(Layer, UnknownNamesAreCorrected) {
  EXPECT_EQ(refusal("llama3-70", "mlp-down", 8),
            "--model: unknown model \"llama3-70\"; did you mean llama3-70b?");
  EXPECT_EQ(refusal("llama3-70b", "mlp-dwn", 8),
            "--layer: unknown layer \"mlp-dwn\"; did you mean mlp-down?");
  EXPECT_EQ(refusal("deepseek-v3", "attn-qkv", 8),
            "--layer: unknown layer \"attn-qkv\"; layers: attn-out, mlp-down, mlp-up, mlp-up-backward, "
            "expert-down");
}

TEST(Layer, EveryModelHasEveryLayerItLists) {
  for (const std::string& name : model_names()) {
    const Model model = model_named(name);
    EXPECT_FALSE(layer_names(model).empty()) << name;
    for (const std::string& kind : layer_names(model)) {
      const Layer l = layer_of(model, kind, {8, model.tokens});
      EXPECT_GT(l.m * l.n * l.k, 0u) << name << " " << kind;
    }
  }
}

}  // namespace
}  // namespace t3sim::presets
