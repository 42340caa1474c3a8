#include "system/collectives.h"

namespace t3sim {
namespace {

template <class T>
std::shared_ptr<const T> shared(T value) {
  return std::make_shared<const T>(std::move(value));
}

}  // namespace

Collectives collectives(const Config& config) {
  const std::uint32_t n = config.gpus.count;
  Collectives c;
  c.name = "reduce-scatter";
  c.key = "rs";
  c.fused = shared(fused_ring_reduce_scatter(n));
  c.by_dma = shared(dma_ring_reduce_scatter(n));
  c.kernel = shared(kernel_ring_reduce_scatter(n));
  c.gather = shared(kernel_ring_all_gather(n));
  return c;
}

}  // namespace t3sim
