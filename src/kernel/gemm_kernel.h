// The GEMM generator: a GemmSpec as a kernel whose workgroup programs are produced on the fly.
#pragma once

#include <algorithm>

#include "kernel/gemm.h"
#include "kernel/program.h"

namespace t3sim {

// Of a workgroup, behind tiles of it that go to one GPU: one of its own memory, one that waits for what has gone over links.
struct Fences {
  bool local = false, remote = false;
};

// What a program has the workgroup of a tile do before its main loop, and after its stores.
class TileSteps {
 public:
  virtual ~TileSteps() = default;
  // Fills `group` with the `done`-th thing to do; false: there are no more.
  virtual bool before(std::uint32_t tile, std::uint32_t done, Group& group) const = 0;
  virtual bool after(std::uint32_t tile, std::uint32_t done, Group& group) const = 0;
  // Is what was left of a workgroup's tiles to be done between these two of it?
  virtual bool parts(std::uint32_t tile, std::uint32_t next) const = 0;
  // The same as after() for what was left until then. `fences`: what the workgroup has waited for there.
  virtual bool last(std::uint32_t tile, std::uint32_t done, Fences& fences, Group& group) const = 0;
};

class GemmKernel final : public KernelSource {
 public:
  // Throws InputError when the spec cannot be.
  explicit GemmKernel(const GemmSpec& spec);

  // `order`: tile by position, each once, instead of the specification's; of clusters the first tile counts.
  // `steps`: what workgroups do beside their tiles; must outlive this. Null: nothing.
  GemmKernel(const GemmSpec& spec, const std::vector<std::uint32_t>& order, const TileSteps* steps);

  std::uint32_t workgroups() const override { return workgroups_; }
  // Persistent kernels: the first tile of the workgroup; Group::tile says the tile of each store.
  std::uint32_t tile(std::uint32_t i) const override { return work(i).tile; }
  std::unique_ptr<WorkgroupProgram> program(std::uint32_t i,
                                            std::unique_ptr<WorkgroupProgram> reuse) override;
  std::uint32_t part(std::uint32_t i) const override { return place_of(i / spec_.cluster).part; }
  unsigned buffers() const override { return spec_.buffers; }
  KernelTraits traits() const override;

  const GemmSpec& spec() const { return spec_; }
  const TiledMatrix& output() const { return c_; }

  // Parts of a program, for kernels that time them differently. Loads and FLOPs of a K step of a tile:
  void fill_step(std::uint32_t tile, std::uint32_t step, Group& group) const;
  // The stores of one wavefront of a tile, behind those that the group has.
  void add_stores(const WavefrontTile& tile, Group& group) const;

 private:
  static constexpr std::uint32_t kPieces = 4;  // in which an epilogue hands a tile over
  class Program;
  // A piece of work: one tile, and the K steps of it that this workgroup does. kNoTile: none, where the rows
  // of tiles are no multiple of a cluster.
  struct Work {
    std::uint32_t tile;
    std::uint32_t beside;  // the cluster's first tile
    std::uint32_t first_step, last_step;
    std::uint32_t part;
  };
  std::uint32_t clusters() const {
    return spec_.first_clusters == 0 ? clusters_.tiles() : std::min(spec_.first_clusters, clusters_.tiles());
  }
  std::uint32_t works() const { return clusters() * spec_.cluster * spec_.split_k; }
  Work work(std::uint32_t position) const;
  // Of the `i`-th cluster of works: which cluster of tiles, in their order, and which part of K.
  struct Place {
    std::uint32_t cluster, part;
  };
  Place place_of(std::uint32_t i) const {
    if (spec_.parts_last) return {i % clusters(), i / clusters()};
    return {i / spec_.split_k, i % spec_.split_k};
  }
  // The position that workgroup `i` of a persistent kernel takes after `done` others; works() or more: there is none left.
  std::uint32_t position_after(std::uint32_t i, std::uint32_t done);
  std::uint64_t step_flops(std::uint32_t k_count) const;
  void fill_empty_step(const Work& work, std::uint32_t step, Group& group) const;
  std::uint32_t tile_of(std::uint32_t cluster, std::uint32_t member) const;
  Block loaded_part(std::uint32_t tile, const Block& block) const;
  bool has_epilogue() const { return spec_.store_bytes_per_cycle > 0 || spec_.accumulate; }
  std::uint32_t pieces() const { return has_epilogue() ? std::min(kPieces, spec_.wavefronts) : 0; }
  void fill_piece(const Work& work, std::uint32_t piece, Group& group) const;
  void add_tile(const Work& work, Group& group) const;
  void redirect_parts(const Work& work, Group& group) const;
  void add_loads(const MatrixLayout& matrix, const Block& block, Group& group) const;

  std::uint32_t cluster_at(std::uint32_t position) const {
    return order_.empty() ? spec_.order.tile(clusters_, position) : order_[position];
  }

  GemmSpec spec_;
  std::vector<std::uint32_t> order_;  // cluster by position; empty: the specification's
  const TileSteps* steps_ = nullptr;
  MatrixLayout a_, b_;
  TiledMatrix c_;
  TileGrid clusters_;  // C in tiles of whole clusters
  bool a_m_contiguous_, b_k_contiguous_;
  std::uint32_t workgroups_;
  std::vector<std::vector<std::uint32_t>>
      taken_;  // GemmSpec::takes_next: by cluster of workgroups, clusters of works
  std::uint32_t next_taken_ = 0;
};

}  // namespace t3sim
