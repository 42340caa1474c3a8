// What it costs that one kernel follows another in a stream whose queue is full: a first kernel spins while the host issues all of
// them. Blocks note when the first of them begins and the last one ends (%globaltimer), by atomics, whose time is in what many
// blocks take.
//
//   nvcc -O3 -arch=native launches.cu -o launches && ./launches > launches.csv
//
// Columns: what; blocks of 64 threads; ns that each spins (embedding: 0); us a kernel, by events around all of them; medians of
// the us from a kernel's first begin to its last end, and from there to the first begin of the next.
#include <algorithm>
#include <cstdio>
#include <vector>

using u64 = unsigned long long;
u64 *times, host_times[400];

__device__ u64 now() {
  u64 t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}
__device__ void begin(u64* times) {
  if (!threadIdx.x) atomicMin(times, now());
}
__device__ void end(u64* times) {
  if (!threadIdx.x) atomicMax(times + 1, now());
}
__global__ void spin(u64 ns, u64* times) {
  const u64 from = now();
  begin(times);
  while (now() - from < ns) {}
  end(times);
}
// A block a bag of 70 rows of 1 KiB, a float4 a thread.
__global__ void embedding(const float4* table, const int* rows, float4* out, int bags, u64* times) {
  begin(times);
  for (int bag = blockIdx.x; bag < bags; bag += gridDim.x) {
    float4 sum = {0, 0, 0, 0};
    for (int i = 0; i < 70; ++i) {
      const float4 v = table[(size_t)rows[bag * 70 + i] * 64 + threadIdx.x];
      sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    out[bag * 64 + threadIdx.x] = sum;
  }
  end(times);
}
__global__ void clear(u64* times, int count) {
  for (int i = 0; i < count; ++i) times[2 * i] = ~0ull, times[2 * i + 1] = 0;
}
__global__ void draw(int* rows, int count) {
  for (int i = threadIdx.x + blockIdx.x * 256; i < count; i += gridDim.x * 256) {
    unsigned h = i * 2654435761u;
    h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
    rows[i] = h % 1000000;
  }
}

template <class Launch>
void line(const char* what, int blocks, u64 ns, int kernels, Launch launch) {
  cudaEvent_t first, last;
  cudaEventCreate(&first), cudaEventCreate(&last);
  for (int round = 0; round < 3; ++round) {
    clear<<<1, 1>>>(times, kernels);
    spin<<<1, 32>>>(20000000, times + 300);
    cudaEventRecord(first);
    for (int i = 0; i < kernels; ++i) launch(i);
    cudaEventRecord(last);
    cudaDeviceSynchronize();
    float ms;
    cudaEventElapsedTime(&ms, first, last);
    cudaMemcpy(host_times, times, 16 * kernels, cudaMemcpyDefault);
    std::vector<double> gaps, runs;
    for (int i = 0; i < kernels; ++i) {
      runs.push_back(host_times[2 * i + 1] - host_times[2 * i]);
      if (i) gaps.push_back((double)host_times[2 * i] - (double)host_times[2 * i - 1]);
    }
    std::sort(gaps.begin(), gaps.end()), std::sort(runs.begin(), runs.end());
    if (round)
      std::printf("%s,%d,%llu,%.2f,%.2f,%.2f\n", what, blocks, ns, ms * 1e3 / kernels, runs[kernels / 2] / 1e3,
                  gaps[kernels / 2] / 1e3);
  }
}

int main() {
  cudaMalloc(&times, 8192);
  float4 *table, *out;
  int* rows;
  cudaMalloc(&table, (size_t)32 << 30), cudaMalloc(&out, 64 << 20), cudaMalloc(&rows, 18350080);
  draw<<<256, 256>>>(rows, 4587520);
  std::printf("what,blocks,ns,each_us,runs_us,gap_us\n");
  for (int blocks : {1, 132, 528, 4096})
    for (u64 ns : {0, 2000, 10000})
      line("spin", blocks, ns, 100, [&](int i) { spin<<<blocks, 64>>>(ns, times + 2 * i); });
  for (int bags : {512, 1024, 2048})
    line("embedding", bags, 0, 32, [&](int i) {
      embedding<<<bags, 64>>>(table + (size_t)i * 64000000, rows + i * bags * 70, out, bags, times + 2 * i);
    });
}
