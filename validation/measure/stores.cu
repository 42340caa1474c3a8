// Thread blocks of 512 threads that load and store between two GPUs: what links carry of whole lines, one way and both ways at once, and
// what stores into the own memory get beside stores that wait for the links. Needs two GPUs with peer access.
//
//   nvcc -O3 -arch=native stores.cu -o stores && ./stores > stores.csv
//
// Columns: what; blocks; ways (GPUs that do it at the same time); GB/s a GPU of the first half of each block's warps, of the second.
// `send`: the warps copy from own memory to the other GPU. `keep`: from own memory to own memory. `store`: the other GPU is stored to, and
// nothing loaded. `fetch`: the other GPU is loaded from, and nothing stored. Both halves of the warps do the same, or two things.
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

enum Work : int { none, send, keep, store, fetch };
const char* const kNames[] = {"none", "send", "keep", "store", "fetch"};

constexpr int kThreads = 512, kUnroll = 8;
constexpr std::uint64_t kBuffer = 512ULL << 20;  // over any L2
constexpr long long kNanoseconds = 4'000'000;    // that a reading takes

__device__ long long now() {
  long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

struct Places {
  const uint4* own;
  uint4 *result, *other;
};

__device__ void piece(int work, const Places& p, std::uint64_t at, std::uint64_t step) {
  uint4 v[kUnroll];
  const uint4* from = work == fetch ? p.other : p.own;
  uint4* to = work == keep ? p.result : p.other;
  for (int i = 0; i < kUnroll; ++i) v[i] = work == store ? uint4{1, 2, 3, unsigned(at)} : __ldcg(from + at + i * step);
  if (work == fetch) {
    unsigned sum = 0;
    for (int i = 0; i < kUnroll; ++i) sum += v[i].x + v[i].y + v[i].z + v[i].w;
    if (sum == 0x12345678) p.result[at] = v[0];
    return;
  }
  for (int i = 0; i < kUnroll; ++i) to[at + i * step] = v[i];
}

// Half of the warps do one thing and half another, over and over until the time is over; each half says how much.
__global__ void go(int first, int second, Places p, unsigned long long* bytes) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, half = warp % 2;
  const int work = half == 0 ? first : second;
  if (work == none) return;
  const long long end = now() + kNanoseconds;
  const std::uint64_t step = 32, tile = step * kUnroll;  // of 16 bytes: a warp takes 4 KiB at a time
  const std::uint64_t tiles = kBuffer / 2 / 16 / tile, warps = gridDim.x * (kThreads / 64);
  const std::uint64_t base = half * (kBuffer / 2 / 16);
  unsigned long long done = 0;
  for (std::uint64_t i = blockIdx.x * (kThreads / 64) + warp / 2; now() < end; i += warps, ++done)
    piece(work, p, base + i % tiles * tile + lane, step);
  if (lane == 0) atomicAdd(bytes + half, done * tile * 16);
}

struct Gpu {
  uint4 *own, *result, *target;
  unsigned long long* bytes;
};

int main() {
  Gpu gpus[2];
  for (int g = 0; g < 2; ++g) {
    CHECK(cudaSetDevice(g));
    CHECK(cudaDeviceEnablePeerAccess(1 - g, 0));
    for (uint4** a : {&gpus[g].own, &gpus[g].result, &gpus[g].target}) {
      CHECK(cudaMalloc(a, kBuffer));
      CHECK(cudaMemset(*a, 7, kBuffer));
    }
    CHECK(cudaMalloc(&gpus[g].bytes, 16));
  }
  const auto run = [&](int first, int second, int blocks, int ways) {
    std::vector<double> halves[2];
    for (int repeat = 0; repeat < 5; ++repeat) {
      for (int g = 0; g < ways; ++g) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemset(gpus[g].bytes, 0, 16));
        CHECK(cudaDeviceSynchronize());
      }
      for (int g = 0; g < ways; ++g) {
        CHECK(cudaSetDevice(g));
        go<<<blocks, kThreads>>>(first, second, {gpus[g].own, gpus[g].result, gpus[1 - g].target}, gpus[g].bytes);
      }
      for (int g = 0; g < ways; ++g) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceSynchronize());
        unsigned long long bytes[2];
        CHECK(cudaMemcpy(bytes, gpus[g].bytes, 16, cudaMemcpyDeviceToHost));
        for (int h = 0; h < 2; ++h) halves[h].push_back(double(bytes[h]) / kNanoseconds);
      }
    }
    double medians[2];
    for (int h = 0; h < 2; ++h) {
      std::sort(halves[h].begin(), halves[h].end());
      medians[h] = halves[h][halves[h].size() / 2];
    }
    std::printf("%s+%s,%d,%d,%.1f,%.1f\n", kNames[first], kNames[second], blocks, ways, medians[0], medians[1]);
  };
  std::printf("what,blocks,ways,first_GBps,second_GBps\n");
  const int whats[][2] = {{store, store}, {store, none}, {fetch, fetch}, {send, send}, {send, none}, {none, keep},
                          {keep, keep},   {send, keep},  {store, keep},  {send, fetch}};
  for (const auto& what : whats)
    for (int blocks : {1, 4, 8, 16, 24, 32, 64, 132})
      for (int ways : {1, 2}) run(what[0], what[1], blocks, ways);
  return 0;
}
