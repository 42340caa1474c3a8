// Thread blocks of 512 threads that add halves to what the other GPU's memory holds: what links carry of reductions, by how many halves an
// instruction adds. Needs two GPUs of compute capability 9 with peer access.
//
//   nvcc -O3 -arch=sm_90a reductions.cu -o reductions && ./reductions > reductions.csv
//
// Columns: what; memory ("other" GPU's or "own"); what it begins as ("zeros": cleared beforehand, not timed); blocks; ways (GPUs that do it
// at the same time); bytes of a GPU; median us of five; GB/s per GPU.
// `store`: 16 bytes per thread, nothing added. `red_f16`: a half per thread. `red_f16x2`: two. `red_v4_f16x2`: eight, an instruction of
// compute capability 9. `bulk_f16`: tiles of 16 KiB from shared memory by the copy unit (cp.reduce.async.bulk). `bulk_store`: the same,
// nothing added. `clear`: cudaMemsetAsync of as many bytes of own memory. The last line of each kind says whether sums came out right.
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                             \
  do {                                                                                          \
    if (const cudaError_t e = (call); e != cudaSuccess) {                                       \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));           \
      std::exit(1);                                                                             \
    }                                                                                           \
  } while (0)

enum Work : int { store, red_f16, red_f16x2, red_v4_f16x2, bulk_store, bulk_f16, clear_own };
const char* const kNames[] = {"store", "red_f16", "red_f16x2", "red_v4_f16x2", "bulk_store", "bulk_f16", "clear"};

constexpr int kThreads = 512, kTile = 16384;  // bytes of a bulk tile
constexpr std::uint32_t kOnes = 0x3c003c00;   // two halves of 1

template <int work>
__device__ void put(char* at) {
  if constexpr (work == store)
    asm volatile("st.global.v4.b32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(kOnes) : "memory");
  else if constexpr (work == red_f16)
    asm volatile("red.relaxed.sys.global.add.noftz.f16 [%0], %1;" ::"l"(at), "h"((unsigned short)0x3c00) : "memory");
  else if constexpr (work == red_f16x2)
    asm volatile("red.relaxed.sys.global.add.noftz.f16x2 [%0], %1;" ::"l"(at), "r"(kOnes) : "memory");
  else
    asm volatile("red.relaxed.sys.global.v4.f16x2.add.noftz [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(kOnes) : "memory");
}

template <int work, int bytes>
__global__ void by_thread(char* to, std::uint64_t size) {
  const std::uint64_t threads = std::uint64_t(gridDim.x) * kThreads;
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * kThreads + threadIdx.x; i < size / bytes; i += threads) put<work>(to + i * bytes);
}

template <bool add>
__global__ void by_bulk(char* to, std::uint64_t size) {
  __shared__ alignas(128) std::uint32_t tile[2][kTile / 4];
  for (int i = threadIdx.x; i < 2 * kTile / 4; i += kThreads) tile[0][i] = kOnes;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  int turn = 0;
  for (std::uint64_t at = std::uint64_t(blockIdx.x) * kTile; at < size; at += std::uint64_t(gridDim.x) * kTile, turn ^= 1) {
    const std::uint32_t from = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile[turn]));
    if constexpr (add)
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;" ::"l"(to + at), "r"(from), "r"(kTile)
                   : "memory");
    else
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + at), "r"(from), "r"(kTile) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

void start(int work, char* to, std::uint64_t size, int blocks) {
  switch (work) {
    case store: by_thread<store, 16><<<blocks, kThreads>>>(to, size); break;
    case red_f16: by_thread<red_f16, 2><<<blocks, kThreads>>>(to, size); break;
    case red_f16x2: by_thread<red_f16x2, 4><<<blocks, kThreads>>>(to, size); break;
    case red_v4_f16x2: by_thread<red_v4_f16x2, 16><<<blocks, kThreads>>>(to, size); break;
    case bulk_store: by_bulk<false><<<blocks, kThreads>>>(to, size); break;
    case bulk_f16: by_bulk<true><<<blocks, kThreads>>>(to, size); break;
    default: CHECK(cudaMemsetAsync(to, 0, size));
  }
  CHECK(cudaGetLastError());
}

struct Gpu {
  char* own;
  cudaEvent_t begin, end;
};

int main() {
  constexpr std::uint64_t kMost = 256ULL << 20;
  Gpu gpus[2];
  for (int g = 0; g < 2; ++g) {
    CHECK(cudaSetDevice(g));
    CHECK(cudaDeviceEnablePeerAccess(1 - g, 0));
    CHECK(cudaMalloc(&gpus[g].own, kMost));
    CHECK(cudaEventCreate(&gpus[g].begin));
    CHECK(cudaEventCreate(&gpus[g].end));
  }
  std::printf("what,memory,begins_as,blocks,ways,bytes,us,GBps,right\n");
  const auto run = [&](int work, bool other, int blocks, int ways, std::uint64_t size) {
    std::vector<double> us;
    bool right = true;
    for (int repeat = 0; repeat < 6; ++repeat) {
      for (int g = 0; g < 2; ++g) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemset(gpus[g].own, 0, size));
        CHECK(cudaDeviceSynchronize());
      }
      for (int g = 0; g < ways; ++g) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaEventRecord(gpus[g].begin));
        start(work, gpus[other ? 1 - g : g].own, size, blocks);
        CHECK(cudaEventRecord(gpus[g].end));
      }
      double longest = 0;
      for (int g = 0; g < ways; ++g) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceSynchronize());
        float ms = 0;
        CHECK(cudaEventElapsedTime(&ms, gpus[g].begin, gpus[g].end));
        longest = std::max(longest, 1e3 * ms);
      }
      if (repeat > 0) us.push_back(longest);
      std::vector<std::uint16_t> got(1 << 16);
      CHECK(cudaMemcpy(got.data(), gpus[other ? 1 : 0].own + size - 2 * got.size(), 2 * got.size(), cudaMemcpyDeviceToHost));
      for (const std::uint16_t half : got) right &= half == (work == clear_own ? 0 : 0x3c00);
    }
    std::sort(us.begin(), us.end());
    const double median = us[us.size() / 2];
    std::printf("%s,%s,zeros,%d,%d,%llu,%.2f,%.1f,%s\n", kNames[work], other ? "other" : "own", blocks, ways,
                static_cast<unsigned long long>(size), median, 1e-3 * double(size) / median, right ? "yes" : "no");
    std::fflush(stdout);
  };
  for (const std::uint64_t size : {16ULL << 20, 64ULL << 20, 256ULL << 20})
    for (int work = store; work <= bulk_f16; ++work)
      for (const bool other : {true, false})
        for (const int blocks : {132, 264})
          for (const int ways : {1, 2})
            if (other || ways == 1) run(work, other, blocks, ways, size);
  for (const std::uint64_t size : {1ULL << 20, 4ULL << 20, 16ULL << 20, 64ULL << 20}) run(clear_own, false, 1, 1, size);
  // Few blocks: how much one carries.
  for (int work = store; work <= bulk_f16; ++work)
    for (const int blocks : {1, 8, 32}) run(work, true, blocks, 1, 16ULL << 20);
  return 0;
}
