// membench.csv: latency of dependent loads by footprint, and streams by the number of thread blocks. One GPU.
// nvcc -O3 -arch=native membench.cu -o membench && ./membench >membench.csv
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr std::size_t kStreamBytes = std::size_t{1} << 30;
constexpr int kThreads = 512, kRepeats = 9, kLoads = 4096;
constexpr std::size_t kLine = 128;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "membench: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

enum class Stream { read, write, copy, reduce };
constexpr const char* kNames[] = {"stream_read", "stream_write", "stream_copy", "stream_reduce"};
constexpr double kArrays[] = {1, 1, 2, 3};  // that pass through the memory: reduce reads two and writes one

__device__ uint4 sum(uint4 a, uint4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

template <Stream kind>
__global__ void stream(uint4* to, const uint4* from, const uint4* other, std::size_t count) {
  uint4 total{};
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += 4 * step) {
    uint4 value[4], second[4];
#pragma unroll
    for (int u = 0; u < 4; ++u)
      if (i + u * step < count) {
        if (kind != Stream::write) value[u] = from[i + u * step];
        if (kind == Stream::reduce) second[u] = other[i + u * step];
      }
#pragma unroll
    for (int u = 0; u < 4; ++u)
      if (i + u * step < count) {
        if (kind == Stream::read) total = sum(total, value[u]);
        if (kind == Stream::write) to[i + u * step] = {1, 2, 3, 4};
        if (kind == Stream::copy) to[i + u * step] = value[u];
        if (kind == Stream::reduce) to[i + u * step] = sum(value[u], second[u]);
      }
  }
  if (kind == Stream::read && total.x == 0x9e3779b9) to[0] = total;  // so that the loads are not left out
}

__global__ void chase(const std::uint32_t* next, std::uint32_t at, int loads, std::uint32_t* out, long long* cycles) {
  const long long start = clock64();
  for (int i = 0; i < loads; ++i) at = __ldcg(next + at);
  *cycles = clock64() - start;
  *out = at;
}

template <Stream kind>
double stream_GBps(int blocks, uint4* memory) {
  const std::size_t count = kStreamBytes / sizeof(uint4);
  std::vector<float> ms(kRepeats);
  cudaEvent_t start, end;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&end));
  for (float& m : ms) {
    check(cudaEventRecord(start));
    stream<kind><<<blocks, kThreads>>>(memory, memory + count, memory + 2 * count, count);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&m, start, end));
  }
  std::nth_element(ms.begin(), ms.begin() + kRepeats / 2, ms.end());
  return kArrays[static_cast<int>(kind)] * kStreamBytes / (ms[kRepeats / 2] * 1e6);
}

// Cycles of a load that depends on the one before, in a random order of all lines.
double chase_cycles(std::size_t bytes, std::uint32_t* memory) {
  const std::size_t lines = bytes / kLine, words = kLine / sizeof(std::uint32_t);
  std::vector<std::uint32_t> order(lines), next(lines * words);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (std::size_t i = 0; i < lines; ++i) next[order[i] * words] = order[(i + 1) % lines] * words;
  check(cudaMemcpy(memory, next.data(), bytes, cudaMemcpyHostToDevice));
  std::uint32_t* out;
  long long *cycles, found = 0;
  check(cudaMalloc(&out, sizeof *out));
  check(cudaMalloc(&cycles, sizeof *cycles));
  const int all = static_cast<int>(std::min<std::size_t>(lines, 1 << 18));
  chase<<<1, 1>>>(memory, 0, all, out, cycles);  // those that fit are in the L2 from here on
  chase<<<1, 1>>>(memory, order[0] * words, kLoads, out, cycles);
  check(cudaMemcpy(&found, cycles, sizeof found, cudaMemcpyDeviceToHost));
  check(cudaFree(out));
  check(cudaFree(cycles));
  return static_cast<double>(found) / kLoads;
}

}  // namespace

int main() {
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  std::printf("gpu,test,param,value,unit\n");
  int clock = 0;
  check(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
  std::printf("%s,core_clock_max,,%d,kHz\n", gpu.name, clock);
  uint4* memory;
  check(cudaMalloc(&memory, 3 * kStreamBytes));
  check(cudaMemset(memory, 0, 3 * kStreamBytes));
  for (const int kb : {256, 1024, 4096, 16384, 24576, 32768, 49152, 65536, 131072, 524288})
    std::printf("%s,chase_random_128B,%d KB,%.1f,core cycles\n", gpu.name, kb,
                chase_cycles(std::size_t{1024} * kb, reinterpret_cast<std::uint32_t*>(memory)));
  const int cus = gpu.multiProcessorCount;
  for (const int blocks : {8, 16, 32, cus / 2, cus * 3 / 4, cus, 2 * cus, 4 * cus, 8 * cus, 16 * cus}) {
    const double rates[] = {stream_GBps<Stream::read>(blocks, memory), stream_GBps<Stream::write>(blocks, memory),
                            stream_GBps<Stream::copy>(blocks, memory), stream_GBps<Stream::reduce>(blocks, memory)};
    for (int kind = 0; kind < 4; ++kind)
      std::printf("%s,%s,%d blocks x%d,%.1f,GB/s\n", gpu.name, kNames[kind], blocks, kThreads, rates[kind]);
  }
  return 0;
}
