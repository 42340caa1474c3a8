#include "model/spec.h"

namespace t3sim::model {
namespace {

constexpr std::uint64_t kMostTime = 1'000'000'000'000'000, kMostBytes = 1ULL << 44;  // 1000 s
constexpr config::Limits kGpus{1, 4096}, kExtent{1, 1 << 24};

}  // namespace

void describe(config::Visitor& v, OperationSpec& o) {
  v.text("name", o.name, "by which others say that they come after it");
  v.text("stream", o.stream, "a GPU takes those of a stream one after the other");
  v.texts("after", o.after, "names of operations that end before it begins");
  v.counts("gpus", o.gpus, {0, 4095}, "that do it; not said: all");
  v.time("time", o.time_ps, {0, kMostTime}, "given: what it takes");
  v.size("moves", o.moves, {0, kMostBytes},
         "an element-wise operator: bytes of memory that it reads and writes");
  v.dimensions("gemm", o.gemm, {1, 1 << 24}, "a product of matrices, M x N x K");
  v.choice("collective", o.collective, "among GPUs; with gemm: the sub-layer that both are, at cycle level");
  v.count("count", o.count, kExtent, "independent products, in one kernel");
  v.choice("layout", o.layout, {{"tn", GemmLayout::tn}, {"nn", GemmLayout::nn}}, "of the product's operands");
  v.text("scheme", o.scheme, "of a sub-layer: sequential, t3, t3-mca, ...");
  v.size("bytes", o.bytes, {0, kMostBytes}, "of the collective: the full array on each GPU");
  v.count("group", o.group, {0, 4096}, "GPUs of a group; 0: all that do it");
  v.count("stride", o.stride, kGpus, "how far apart those of a group lie");
  v.choice("algorithm", o.algorithm, "of the collective; not said: the first of its kind");
  v.choice("protocol", o.protocol, "of the collective");
  v.count("channels", o.channels, {1, 512}, "of the collective; not said: the library's");
  v.text("backend", o.backend,
         "of the collective: a name, a file, or auto, the table's; not said: the machine's library");
}

void describe(config::Visitor& v, TransformerSpec& t) {
  v.text("model", t.model, "its name (t3sim list models)");
  v.choice("phase", t.phase, "training: forward, backward, optimiser; prompt: forward");
  v.count("sequence", t.sequence, kExtent, "tokens of a sequence");
  v.count("micro_batch", t.micro_batch, kExtent, "sequences at a time");
  v.count("micro_batches", t.micro_batches, {1, 4096}, "of a step, a replica");
  v.count("tp", t.tp, kGpus, "GPUs that share each layer");
  v.count("pp", t.pp, kGpus, "stages of the pipeline");
  v.count("dp", t.dp, kGpus, "replicas");
  v.count("ep", t.ep, kGpus, "of dp: replicas over which the experts of each layer are spread");
  v.count("zero", t.zero, {0, 3}, "replicas share: 1 the optimiser's state, 2 gradients too, 3 weights too");
  v.text("scheme", t.scheme,
         "of sub-layers with an all-reduce: message, or at cycle level sequential, t3, t3-mca, ...");
  v.choice("attention", t.attention, "how it is computed");
  v.count("heads", t.heads, kExtent, "instead of the model's");
  v.count("blocks", t.blocks, {1, 10000}, "instead of the model's");
  v.count("vocabulary", t.vocabulary, kExtent, "rows of the output layer; not said: there is none");
}

void describe(config::Visitor& v, GraphSpec& g) {
  v.text("name", g.name, "for people");
  v.count("repeat", g.repeat, {1, 100'000}, "the operations, so many times one after the other");
  v.choice("products", g.products, "times of products: estimate (the machine's rates) or cycle (runs)");
  v.size("gpu_memory", g.gpu_memory, {1, kMostBytes}, "what a GPU has; not said: the machine's gpus.memory");
  v.size("memory", g.memory, {0, kMostBytes}, "what a GPU needs; of a transformer it follows");
  v.path("table", g.table, "of t3sim tune backends, for operations of backend: auto");
  v.flag("extrapolate", g.extrapolate, "beyond the table's sizes the nearest counts");
  v.sections("operations", g.operations, "in the order in which streams take them");
  v.section("transformer", g.transformer, "instead of operations: a model");
}

GraphFile read_graph_file(const std::string& path) {
  config::Document document = config::load_file(path);
  GraphFile file;
  file.sources = config::read(document.root, file.spec);
  file.files = std::move(document.files);
  return file;
}

}  // namespace t3sim::model
