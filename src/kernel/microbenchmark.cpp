#include "kernel/microbenchmark.h"

#include <algorithm>
#include <bit>

#include "base/number.h"
#include "kernel/matrix.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kPage = 2 << 20;

unsigned arrays_loaded(MicrobenchmarkKind kind) {
  switch (kind) {
    case MicrobenchmarkKind::stream_read:
    case MicrobenchmarkKind::stream_copy:
      return 1;
    case MicrobenchmarkKind::stream_reduce:
      return 2;
    default:
      return 0;
  }
}

bool stores(MicrobenchmarkKind kind) {
  return kind == MicrobenchmarkKind::stream_write || kind == MicrobenchmarkKind::stream_copy ||
         kind == MicrobenchmarkKind::stream_reduce;
}

}  // namespace

std::uint64_t MicrobenchmarkSpec::moved_bytes() const { return bytes * (arrays_loaded(kind) + stores(kind)); }
std::uint64_t MicrobenchmarkSpec::chase_loads() const {
  const std::uint64_t all = bytes / kLineBytes * passes;
  return max_loads == 0 ? all : std::min(all, max_loads);
}

// A grid-stride loop: in each round the grid covers a consecutive piece of the arrays, a block a part of it.
class MicrobenchmarkKernel::Stream final : public WorkgroupProgram {
 public:
  void restart(const MicrobenchmarkSpec& spec, std::uint32_t block, std::uint32_t wavefront_bytes) {
    spec_ = &spec;
    wavefront_bytes_ = wavefront_bytes;
    piece_ = std::uint64_t{spec.threads} * spec.bytes_per_load;
    offset_ = block * piece_;
  }
  bool next(Group& group) override {
    const std::uint64_t array_step = align_up(spec_->bytes, kPage);
    const unsigned loaded = arrays_loaded(spec_->kind);
    if (offset_ >= spec_->bytes) return false;
    const std::uint64_t end = std::min(offset_ + piece_, spec_->bytes);
    std::uint8_t wavefront = 0;
    for (std::uint64_t at = offset_; at < end; at += wavefront_bytes_, ++wavefront) {
      const auto bytes = narrow<std::uint32_t>(std::min<std::uint64_t>(wavefront_bytes_, end - at));
      for (unsigned a = 0; a < loaded; ++a)
        group.loads.push_back(Run{at + a * array_step, bytes, wavefront, true, false});
      if (stores(spec_->kind))
        group.stores.push_back(Run{at + loaded * array_step, bytes, wavefront, false, false});
    }
    offset_ += piece_ * spec_->blocks;
    group.tile = 0;
    return true;
  }

 private:
  const MicrobenchmarkSpec* spec_ = nullptr;
  std::uint64_t piece_ = 0, offset_ = 0;
  std::uint32_t wavefront_bytes_ = 0;
};

// Visits every line of the footprint once a pass, in an order that no prefetcher or row buffer can use: a
// full-period linear congruential sequence over the next power of two, what lies outside the footprint left
// out.
class MicrobenchmarkKernel::Chase final : public WorkgroupProgram {
 public:
  void restart(const MicrobenchmarkSpec& spec) {
    lines_ = spec.bytes / kLineBytes;
    mask_ = std::bit_ceil(lines_) - 1;
    left_ = spec.chase_loads();
    state_ = 1;
  }
  bool next(Group& group) override {
    if (left_ == 0) return false;
    --left_;
    do state_ = (state_ * 0x5DEECE66DULL + 11) & mask_;
    while (scramble(state_) >= lines_);
    group.loads.push_back(Run{scramble(state_) * kLineBytes, kSectorBytes, 0, true, false});
    group.tile = 0;
    return true;
  }

 private:
  // A permutation of the range: low bits of the sequence alone would be too regular.
  std::uint64_t scramble(std::uint64_t x) const {
    const auto bits = narrow<unsigned>(std::bit_width(mask_));
    x ^= x >> (bits / 2 + 1);
    x = (x * 0x9E3779B97F4A7C15ULL) & mask_;
    return x ^ (x >> (bits / 2 + 1));
  }
  std::uint64_t lines_ = 0, mask_ = 0, left_ = 0, state_ = 0;
};

MicrobenchmarkKernel::MicrobenchmarkKernel(const MicrobenchmarkSpec& spec,
                                           std::uint32_t threads_per_wavefront)
    : spec_(spec), threads_per_wavefront_(threads_per_wavefront) {}

std::uint32_t MicrobenchmarkKernel::workgroups() const {
  return spec_.kind == MicrobenchmarkKind::chase ? 1 : spec_.blocks;
}

KernelTraits MicrobenchmarkKernel::traits() const {
  KernelTraits traits;
  const bool chase = spec_.kind == MicrobenchmarkKind::chase;
  traits.wavefronts = chase ? 1 : std::max(spec_.threads / threads_per_wavefront_, 1U);
  traits.buffers = chase ? 1 : spec_.loads_in_flight;
  return traits;
}

std::unique_ptr<WorkgroupProgram> MicrobenchmarkKernel::program(std::uint32_t i,
                                                                std::unique_ptr<WorkgroupProgram>) {
  if (spec_.kind == MicrobenchmarkKind::chase) {
    auto chase = std::make_unique<Chase>();
    chase->restart(spec_);
    return chase;
  }
  auto stream = std::make_unique<Stream>();
  stream->restart(spec_, i, threads_per_wavefront_ * spec_.bytes_per_load);
  return stream;
}

}  // namespace t3sim
