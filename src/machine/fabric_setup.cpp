#include "machine/fabric_setup.h"

#include <fmt/format.h>

#include "base/number.h"
#include "interconnect/link_buffer.h"

namespace t3sim {
namespace {

// Mirror: what GPU 0 sends to GPU d about chunk c is what GPU (gpus - d) sends to it about chunk c - d,
// within groups of as many chunks as there are GPUs.
class Rotation {
 public:
  Rotation(const CollectiveArrays& collective, std::uint32_t gpus) : collective_(collective), gpus_(gpus) {}

  void operator()(Request& request, std::uint32_t d) const {
    const TiledMatrix& array = collective_.array;
    const std::uint32_t from = request.tile % array.grid.tiles();
    const std::uint32_t chunk = collective_.chunks.chunk_of(from);
    const std::uint32_t there = chunk / gpus_ * gpus_ + (chunk + gpus_ - d) % gpus_;
    const std::uint32_t to =
        from - collective_.chunks.first_tile(chunk) + collective_.chunks.first_tile(there);
    const Block old_block = array.grid.block(from), new_block = array.grid.block(to);
    request.tile += to - from;
    request.address +=
        array.address(new_block.row, new_block.column) - array.address(old_block.row, old_block.column);
  }

 private:
  CollectiveArrays collective_;
  std::uint32_t gpus_;
};

// How many updates the elements of each chunk get over links, by GPU, array and chunk: what a switch that
// reduces has to wait for.
class UpdatesIn {
 public:
  UpdatesIn(const CollectiveArrays& collective, const Phase& phase, std::uint32_t split_k)
      : collective_(collective) {
    if (!phase.tracked) return;
    chunks_ = phase.tracked->chunks;
    counts_.assign(phase.tracked->gpus.size(), std::vector<std::uint32_t>(phase.tracked->arrays * chunks_));
    for (const GpuPlan& gpu : phase.tracked->gpus)
      for (std::size_t i = 0; i < gpu.chunks.size(); ++i) {
        const ChunkPlan& chunk = gpu.chunks[i];
        const auto c = narrow<std::uint32_t>(i % chunks_);
        if (chunk.producer == ChunkPlan::Producer::remote) add(chunk.remote, c, split_k);
        for (const Transfer& transfer : chunk.dma) add(transfer, c, 1);
      }
  }
  std::uint32_t operator()(const Request& request) const {
    const std::uint32_t tiles = collective_.array.grid.tiles();
    const std::uint32_t array = request.tile / tiles;
    return counts_[request.gpu][array * chunks_ + collective_.chunks.chunk_of(request.tile % tiles)];
  }

 private:
  void add(const Transfer& to, std::uint32_t chunk, std::uint32_t updates) {
    if (to.op == Op::update) counts_[to.gpu][to.array * chunks_ + chunk] += updates;
  }

  CollectiveArrays collective_;
  std::uint32_t chunks_ = 1;
  std::vector<std::vector<std::uint32_t>> counts_;
};

}  // namespace

namespace {

FabricSetup plain_setup(const Config& config, const std::vector<std::unique_ptr<Gpu>>& gpus) {
  FabricSetup setup;
  setup.topology = topology_of(config);
  setup.count = config.gpus.count;
  for (const auto& gpu : gpus) {
    setup.gpus.push_back(gpu.get());
    setup.ports.push_back(gpu->spec().ports);
  }
  return setup;
}

}  // namespace

std::unique_ptr<Fabric> make_fabric(const Config& config, const TimeBase& time,
                                    const std::vector<std::unique_ptr<Gpu>>& gpus,
                                    std::function<void(Request&, std::uint32_t)> mirror) {
  FabricSetup setup = plain_setup(config, gpus);
  setup.mirror = std::move(mirror);
  return std::make_unique<Fabric>(std::move(setup), time);
}

std::unique_ptr<Fabric> make_fabric(const Config& config, const Phase& phase, const TimeBase& time,
                                    const std::vector<std::unique_ptr<Gpu>>& gpus) {
  const CollectiveArrays collective = collective_arrays(config, phase);
  FabricSetup setup = plain_setup(config, gpus);
  // What channels send lies at the same place on every GPU.
  if (config.gpus.model == GpuModel::mirror && phase.channels)
    setup.mirror = [](Request&, std::uint32_t) {};
  else if (config.gpus.model == GpuModel::mirror)
    setup.mirror = Rotation(collective, setup.count);
  const std::uint32_t split_k = phase.is_fused() ? gemm_spec(config, 0).split_k : 1;
  setup.updates_expected = UpdatesIn(collective, phase, split_k);
  return std::make_unique<Fabric>(std::move(setup), time);
}

std::vector<Route> routes_of(const Phase& phase) {
  std::vector<Route> found;
  if (phase.tracked)
    for (std::uint16_t g = 0; g < phase.tracked->gpus.size(); ++g)
      for (const ChunkPlan& chunk : phase.tracked->gpus[g].chunks) {
        if (chunk.producer == ChunkPlan::Producer::remote) found.emplace_back(g, chunk.remote.gpu);
        for (const Transfer& transfer : chunk.dma) found.emplace_back(g, transfer.gpu);
      }
  if (phase.channels)
    for (std::uint16_t g = 0; g < phase.channels->size(); ++g)
      for (const ChannelConnection& c : (*phase.channels)[g].connections) {
        found.emplace_back(g, c.to);
        found.emplace_back(g, c.from);
      }
  if (phase.steps)
    for (std::uint16_t g = 0; g < phase.steps->gpus.size(); ++g)
      for (const KernelStep& step : phase.steps->gpus[g])
        if (step.gpu != g) found.emplace_back(g, step.gpu);
  return found;
}

std::string buffer_warning(const Config& config) {
  const std::uint32_t gpus = config.gpus.count;
  const TopologyConfig topology = topology_of(config);
  if (topology.link.buffer_bytes == LinkConfig::kAutomaticBuffer) return {};
  BufferedPort tightest;
  for (std::uint32_t rank = 0; rank < gpus; ++rank) {
    const GpuPorts ports = gpu_ports(topology, gpus, narrow<std::uint16_t>(rank));
    if (BufferedPort one = tightest_port(topology.link, ports.out); one.share() < tightest.share())
      tightest = std::move(one);
    if (config.gpus.model == GpuModel::mirror) break;
  }
  return buffer_warning(tightest);
}

void check_routes(const Config& config, const Phase& phase, const std::string& name) {
  const std::string wrong = unreachable(config.topology, config.gpus.count, routes_of(phase));
  if (!wrong.empty()) throw InputError(fmt::format("{}: {}", name, wrong));
}

}  // namespace t3sim
