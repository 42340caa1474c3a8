// l2_survival.csv: what of 4 MB is still in the L2 after others have passed. sm_side.csv: which SMs are on one side of it.
// nvcc -O3 -arch=native l2_probe.cu -o l2_probe && ./l2_probe >l2_probe.csv
#include <cstdio>
#include <vector>

namespace {

using Word = unsigned;
constexpr std::size_t kMB = 1 << 20, kLineWords = 32;
constexpr int kWarps = 32;
__device__ Word sink, slow, latency[256];

__device__ Word load(const Word* p) {
  Word value;
  asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(value) : "l"(p));
  return value;
}
// Cycles of a load by the warp.
__device__ Word timed(const Word* p) {
  const Word start = clock();
  const Word odd = load(p) == 0x7777777;
  __syncwarp();
  return clock() - start + odd;
}
// Each line by one SM; another `turn`, another SM.
__global__ void read(const Word* a, Word lines, Word turn) {
  Word sum = 0;
  const Word block = (blockIdx.x * 37 + turn * 29) % gridDim.x;
  for (Word i = block * kWarps + threadIdx.x / 32; i < lines; i += gridDim.x * kWarps)
    sum += load(a + i * kLineWords + threadIdx.x % 32);
  if (sum == 12345) sink = sum;
}
__global__ void write(Word* a, Word lines) {
  for (Word i = blockIdx.x * kWarps + threadIdx.x / 32; i < lines; i += gridDim.x * kWarps)
    a[i * kLineWords + threadIdx.x % 32] = i;
}
__global__ void count_slow(const Word* a, Word lines, Word limit) {
  for (Word i = blockIdx.x; i < lines; i += gridDim.x)
    if (timed(a + i * kLineWords + threadIdx.x) > limit && threadIdx.x == 0) atomicAdd(&slow, 1);
}
__global__ void latencies_of(const Word* a, Word sm) {
  Word here;
  asm volatile("mov.u32 %0,%%smid;" : "=r"(here));
  if (here != sm || threadIdx.x != 0) return;
  for (int i = 0; i < 256; ++i) latency[i] = timed(a + i * 129 * kLineWords);
}

struct Gpu {
  int sms;
  Word *kept, *others, *flush;
  void read_all(const Word* a, std::size_t bytes, Word times) const {
    for (Word t = 0; t < times; ++t) read<<<sms, 32 * kWarps>>>(a, bytes / 128, t);
  }
};

// `others`: how many SMs read each of the other lines; 0: they are written.
double fast_share(const Gpu& gpu, int readers, int others, std::size_t megabytes) {
  const Word lines = 4 * kMB / 128, none = 0;
  Word found = 0;
  gpu.read_all(gpu.flush, 512 * kMB, 1);
  gpu.read_all(gpu.kept, 4 * kMB, readers);
  for (std::size_t at = 0; at < megabytes; at += 2) {
    Word* part = gpu.others + at * kMB / sizeof(Word);
    if (others != 0) gpu.read_all(part, 2 * kMB, others);
    if (others == 0) write<<<gpu.sms, 32 * kWarps>>>(part, 2 * kMB / 128);
  }
  cudaMemcpyToSymbol(slow, &none, sizeof none);
  count_slow<<<gpu.sms, 32>>>(gpu.kept, lines, 470);
  cudaMemcpyFromSymbol(&found, slow, sizeof found);
  return 1 - static_cast<double>(found) / lines;
}

std::vector<Word> cold_latencies(const Gpu& gpu, int sm) {
  std::vector<Word> found(256);
  gpu.read_all(gpu.flush, 512 * kMB, 1);
  latencies_of<<<gpu.sms, 32, 200'000>>>(gpu.kept, sm);  // a block an SM
  cudaMemcpyFromSymbol(found.data(), latency, sizeof latency);
  return found;
}

}  // namespace

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  Gpu gpu{device.multiProcessorCount, nullptr, nullptr, nullptr};
  cudaMalloc(&gpu.kept, 64 * kMB);
  cudaMalloc(&gpu.others, 128 * kMB);
  cudaMalloc(&gpu.flush, 512 * kMB);
  cudaFuncSetAttribute(latencies_of, cudaFuncAttributeMaxDynamicSharedMemorySize, 200'000);
  std::printf("device,readers,readers_of_others,others_mb,share_read_below_470_cycles\n");
  for (const int readers : {1, 4})
    for (const int others : {1, 4, 0})
      for (std::size_t mb = 0; mb <= 96; mb += 6)
        std::printf("%s,%d,%d,%zu,%.2f\n", device.name, readers, others, mb, fast_share(gpu, readers, others, mb));
  const std::vector<Word> first = cold_latencies(gpu, 0);
  std::printf("device,sm,lines_of_256_that_are_near_for_it_as_for_sm_0\n");
  for (int sm = 0; sm < gpu.sms; ++sm) {
    const std::vector<Word> own = cold_latencies(gpu, sm);
    int alike = 0;
    for (int i = 0; i < 256; ++i) alike += (own[i] < 640) == (first[i] < 640);
    std::printf("%s,%d,%d\n", device.name, sm, alike);
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
