#include "model/spec.h"

namespace t3sim::model {
namespace {

constexpr std::uint64_t kMostTime = 1'000'000'000'000'000, kMostBytes = 1ULL << 44;  // 1000 s
constexpr std::uint64_t kMostRate = 100'000 * config::kGB;
constexpr config::Limits kGpus{1, 4096}, kExtent{1, 1 << 24};

}  // namespace

static void describe(config::Visitor& v, CompressSpec& c) {
  v.count("ratio", c.ratio, {1, 64}, "so many bytes are sent as one; 1: as they are");
  v.bandwidth("encode", c.encode_Bps, {0, kMostRate}, "of the kernel that encodes, of its input");
  v.bandwidth("decode", c.decode_Bps, {0, kMostRate}, "of the kernel that decodes, of its output");
}

static void describe(config::Visitor& v, FusionSpec& f) {
  v.size("bytes", f.bytes, {0, kMostBytes}, "a buffer that has so many goes; 0: there is no fusion");
  v.time("wait", f.wait_ps, {0, kMostTime}, "so does one whose first tensor has waited so long");
  v.flag("overlap", f.overlap, "those that went for their wait run beside other backends' buffers");
  v.bandwidth("copy", f.copy_Bps, {0, kMostRate}, "of memory, in which tensors are copied in and out");
}

static void describe(config::Visitor& v, FrameworkSpec& f) {
  v.count("small", f.small, {0, 1000}, "percent that it adds to calls of messages up to 4 KiB");
  v.count("large", f.large, {0, 1000}, "from 1 MiB on; between them on a line");
}

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
  v.flag("fuse", o.fuse, "of the collective: with others of its kind, as `fusion` says");
  v.section("compress", o.compress, "of the collective: encoded before, and decoded after it");
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
  v.section("framework", g.framework, "what it adds to each collective");
  v.section("fusion", g.fusion, "of collectives that say fuse");
  v.sections("operations", g.operations, "in the order in which streams take them");
  v.section("transformer", g.transformer, "instead of operations: a model");
}

GraphFile read_graph(const config::Node& root) {
  GraphFile file;
  file.sources = config::read(root, file.spec);
  return file;
}

GraphFile read_graph_file(const std::string& path) {
  config::Document document = config::load_file(path);
  GraphFile file = read_graph(document.root);
  file.files = std::move(document.files);
  return file;
}

}  // namespace t3sim::model
