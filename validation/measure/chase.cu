// Loads that each wait for the one before, of one thread of one SM: the latency of the L2, or of memory behind it, whatever else
// the GPU does meanwhile. Used by beside.py.
#include <cstdint>

__global__ void chase(const std::uint32_t* next, int loads, float* cycles) {
  std::uint32_t at = 0;
  const long long begin = clock64();
  for (int i = 0; i < loads; ++i) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(next + std::uint64_t(at) * 32));
  const long long end = clock64();
  *cycles = float(end - begin) / loads + (at == ~0u);
}

extern "C" int chase_on(const void* next, int loads, void* cycles, void* stream) {
  chase<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(static_cast<const std::uint32_t*>(next), loads,
                                                        static_cast<float*>(cycles));
  return static_cast<int>(cudaGetLastError());
}
