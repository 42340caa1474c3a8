// What an exchange of slices between two GPUs waits for: thread blocks that send and receive as a library's channels do, with the time of
// each step. Also how long a flag takes beside stores, and what stores of 2 to 16 bytes a thread carry. Needs two GPUs with peer access.
//
//   nvcc -O3 -arch=native slices.cu -o slices && ./slices OUT
//
// OUT/slices.csv: a block of 512 threads is a channel: half of its warps send, half receive. A slice goes into one of the receiver's
// `slots`; the sender's warps meet, one thread fences and raises a flag there, the receiver copies the slice into its own memory and
// returns the slot. Columns: channels; slice_bytes; slots; ways (1: GPU 0 sends and GPU 1 receives); fence (0: the flag is raised without
// one, so the data may be late); GBps a GPU and way; us a slice, mean of all: sender's wait for a slot, its copy, the meeting, the fence
// and flag; receiver's wait, its copy.
// OUT/channels.csv: of readings like those, when each channel's sender and its receiver ended, and on which SM (with a fence, two slots).
// Columns: cluster (blocks that start together, as a library's channels do; 1: none), channels, slice_bytes, ways, repeat, gpu, channel, sm, sender_us, receiver_us from the first begin on its GPU.
// OUT/blocks.csv: what each block stored that did nothing else for 4 ms. Columns: cluster, blocks, ways, gpu, block, sm, GBps.
// OUT/flags.csv: a thread of GPU 0 raises a flag at GPU 1, whose thread answers, beside `blocks` blocks that store 16 B a thread into the
// other GPU, on one GPU or both. Columns: blocks, ways, stored (1: a line is stored and fenced ahead of each flag), us there and back, us
// of it until the flag was written (the fence).
// OUT/widths.csv: bytes a thread stores at a time, neighbours next to each other; to (own memory or the other GPU's); blocks; threads a
// block; ways; GBps a GPU.
// OUT/tile_stores.csv: the same of blocks of 128 threads that store tiles of 128x128 halves into a matrix of 3,072 columns, as Triton does: 2
// bytes a thread (it knows no alignment): the four warps share a row, 64 bytes each; or 16: half a warp has a row.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                   \
  do {                                                                                \
    if (const cudaError_t e = (call); e != cudaSuccess) {                             \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (0)

using Flag = volatile unsigned;
constexpr int kThreads = 512, kHalf = kThreads / 2, kUnroll = 8, kMaxChannels = 132,
              kFlagGap = 32;                    // a flag has a line for itself
constexpr std::uint64_t kBytes = 128ULL << 20;  // each way
constexpr std::uint64_t kFifo = 512ULL << 20;

__device__ long long now() {
  long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

__device__ unsigned sm() {
  unsigned id;
  asm volatile("mov.u32 %0, %smid;" : "=r"(id));
  return id;
}

__device__ void meet(int which) { asm volatile("bar.sync %0, %1;" ::"r"(which), "n"(kHalf) : "memory"); }

struct Times {
  unsigned long long wait, copy, meet, fence, receiver_wait, receiver_copy, begin, end, sender_end, sm;
};

struct Side {
  const uint4* input;
  uint4 *output, *fifo, *peer_fifo;
  Flag *tail, *head;            // here: slices that have come, slots that came back
  Flag *peer_tail, *peer_head;  // there
  Times* times;
  bool sends, receives;
};

__device__ void copy(uint4* to, const uint4* from, std::uint64_t bytes, int thread) {
  for (std::uint64_t at = thread; at < bytes / 16; at += kHalf * kUnroll) {
    uint4 v[kUnroll];
    for (int i = 0; i < kUnroll; ++i) v[i] = __ldcg(from + at + i * kHalf);
    for (int i = 0; i < kUnroll; ++i) to[at + i * kHalf] = v[i];
  }
}

__device__ void send(const Side& s, Times& t, std::uint64_t slices, std::uint64_t slice, unsigned slots,
                     bool fence, int thread) {
  Flag& head = s.head[blockIdx.x * kFlagGap];
  for (std::uint64_t n = 0; n < slices; ++n) {
    const long long a = clock64();
    if (thread == 0)
      while (n >= head + slots) {
      }
    meet(1);
    const long long b = clock64();
    copy(s.peer_fifo + (blockIdx.x * slots + n % slots) * (slice / 16),
         s.input + (blockIdx.x * slices + n) * (slice / 16), slice, thread);
    const long long c = clock64();
    meet(1);
    const long long d = clock64();
    if (thread == 0) {
      if (fence) __threadfence_system();
      s.peer_tail[blockIdx.x * kFlagGap] = unsigned(n + 1);
      const long long e = clock64();
      t.wait += b - a, t.copy += c - b, t.meet += d - c, t.fence += e - d;
    }
  }
  if (thread == 0) t.sender_end = now();
}

__device__ void receive(const Side& s, Times& t, std::uint64_t slices, std::uint64_t slice, unsigned slots,
                        int thread) {
  Flag& tail = s.tail[blockIdx.x * kFlagGap];
  for (std::uint64_t n = 0; n < slices; ++n) {
    const long long a = clock64();
    if (thread == 0)
      while (tail <= n) {
      }
    meet(2);
    const long long b = clock64();
    copy(s.output + (blockIdx.x * slices + n) * (slice / 16),
         s.fifo + (blockIdx.x * slots + n % slots) * (slice / 16), slice, thread);
    meet(2);
    if (thread == 0) {
      s.peer_head[blockIdx.x * kFlagGap] = unsigned(n + 1);
      t.receiver_wait += b - a, t.receiver_copy += clock64() - b;
    }
  }
}

// The first words of both GPUs' flags say that both are there.
__global__ void exchange(Side s, std::uint64_t slices, std::uint64_t slice, unsigned slots, bool fence,
                         Flag* hello, Flag* peer_hello) {
  const int thread = threadIdx.x % kHalf;
  if (threadIdx.x == 0) {
    peer_hello[blockIdx.x * kFlagGap] = 1;
    while (hello[blockIdx.x * kFlagGap] == 0) {
    }
  }
  __syncthreads();
  Times& t = s.times[blockIdx.x];
  if (threadIdx.x == 0) {
    t.begin = now();
    t.sm = sm();
  }
  const long long first = clock64(), from = now();
  if (threadIdx.x < kHalf) {
    if (s.sends) send(s, t, slices, slice, slots, fence, thread);
  } else if (s.receives) {
    receive(s, t, slices, slice, slots, thread);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    t.end = now();
    const double ns_per_cycle = double(t.end - from) / double(clock64() - first);
    for (unsigned long long* each : {&t.wait, &t.copy, &t.meet, &t.fence, &t.receiver_wait, &t.receiver_copy})
      *each = (unsigned long long)(double(*each) * ns_per_cycle);
  }
}

__global__ void flood(uint4* other, std::uint64_t words, long long ns, unsigned long long* out) {
  const std::uint64_t threads = std::uint64_t(gridDim.x) * kThreads;
  std::uint64_t at = std::uint64_t(blockIdx.x) * kThreads + threadIdx.x, n = 0;
  for (const long long end = now() + ns; now() < end; n += kUnroll)
    for (int i = 0; i < kUnroll; ++i, at += threads) {
      if (at >= words) at -= words;
      other[at] = uint4{1, 2, 3, unsigned(at)};
    }
  atomicAdd(out + 2 * blockIdx.x, n * 16);
  if (threadIdx.x == 0) out[2 * blockIdx.x + 1] = sm();
}

__global__ void load_link(uint4* other, std::uint64_t bytes, long long ns) {
  const std::uint64_t threads = std::uint64_t(gridDim.x) * kThreads;
  std::uint64_t at = std::uint64_t(blockIdx.x) * kThreads + threadIdx.x;
  const std::uint64_t words = bytes / 16;
  for (const long long end = now() + ns; now() < end;)
    for (int i = 0; i < kUnroll; ++i, at += threads) other[at % words] = uint4{1, 2, 3, unsigned(at)};
}

constexpr int kPings = 200;

__global__ void ping(Flag* here, Flag* there, uint4* line, bool stored, long long* out) {
  if (threadIdx.x >= 8) return;
  long long written = 0;
  const long long from = now(), first = clock64();
  for (unsigned n = 1; n <= kPings; ++n) {
    const long long a = clock64();
    if (stored) {
      line[threadIdx.x] = uint4{n, n, n, n};
      __syncwarp(0xff);
    }
    if (threadIdx.x == 0) {
      if (stored) __threadfence_system();
      *there = n;
      written += clock64() - a;
      while (*here < n) {
      }
    }
    __syncwarp(0xff);
  }
  if (threadIdx.x != 0) return;
  const double ns_per_cycle = double(now() - from) / double(clock64() - first);
  out[0] = now() - from;
  out[1] = (long long)(double(written) * ns_per_cycle);
}

__global__ void answer(Flag* here, Flag* there) {
  for (unsigned n = 1; n <= kPings; ++n) {
    while (*here < n) {
    }
    *there = n;
  }
}

struct alignas(16) Words {
  unsigned w[4];
  Words() = default;
  __device__ explicit Words(std::uint64_t at) : w{unsigned(at), 1, 2, 3} {}
};

// Never wider than it says, whatever the compiler sees.
__device__ void store(unsigned short* to, std::uint64_t at) {
  asm("st.global.b16 [%0], %1;" ::"l"(to), "h"((unsigned short)(at)) : "memory");
}
__device__ void store(unsigned* to, std::uint64_t at) {
  asm("st.global.b32 [%0], %1;" ::"l"(to), "r"(unsigned(at)) : "memory");
}
__device__ void store(unsigned long long* to, std::uint64_t at) {
  asm("st.global.b64 [%0], %1;" ::"l"(to), "l"(at) : "memory");
}
__device__ void store(Words* to, std::uint64_t at) { *to = Words(at); }

// A warp stores 16 neighbouring runs of 32 elements, then goes on behind those of all other warps.
template <typename T>
__global__ void store_width(T* to, std::uint64_t mask, long long ns, unsigned long long* done) {
  constexpr int kRuns = 16;
  const std::uint64_t warps = std::uint64_t(gridDim.x) * blockDim.x / 32, lane = threadIdx.x % 32;
  std::uint64_t at = (std::uint64_t(blockIdx.x) * blockDim.x / 32 + threadIdx.x / 32) * 32 * kRuns + lane;
  unsigned long long n = 0;
  for (const long long end = now() + ns; now() < end; n += kRuns * 4)
    for (int again = 0; again < 4; ++again, at = (at + warps * 32 * kRuns) & mask) {
#pragma unroll
      for (int i = 0; i < kRuns; ++i) store(to + at + 32 * i, at);
    }
  atomicAdd(done, n * sizeof(T));
}

constexpr int kTile = 128, kColumns = 3072;

template <typename T>
__global__ void store_tiles(unsigned short* to, long long ns, unsigned long long* done) {
  constexpr int kThreadsARow = kTile * 2 / sizeof(T),
                kRows = kTile / kThreadsARow == 0 ? 1 : kTile / kThreadsARow;
  constexpr int kTilesAcross = kColumns / kTile;
  const int row = threadIdx.x / kThreadsARow, column = threadIdx.x % kThreadsARow;
  const std::uint64_t tiles = kFifo / 2 / kColumns / kTile * kTilesAcross;
  std::uint64_t tile = blockIdx.x;
  unsigned long long n = 0;
  for (const long long end = now() + ns; now() < end; tile = (tile + gridDim.x) % tiles, ++n) {
    unsigned short* corner = to + tile / kTilesAcross * kTile * kColumns + tile % kTilesAcross * kTile;
#pragma unroll 16
    for (int i = 0; i < kTile; i += kRows)
      store(reinterpret_cast<T*>(corner + std::uint64_t(i + row) * kColumns) + column, tile);
  }
  if (threadIdx.x == 0) atomicAdd(done, n * kTile * kTile * 2);
}

struct Gpu {
  uint4 *input, *output, *fifo, *target;
  unsigned* flags;  // tail, head, hello, ping
  Times* times;
  long long* out;
  unsigned long long* done;
  cudaStream_t beside;
};

constexpr int kFlags = kMaxChannels * kFlagGap;
Gpu gpus[2];

void use(int g) { CHECK(cudaSetDevice(g)); }

void sync() {
  for (int g = 0; g < 2; ++g) {
    use(g);
    CHECK(cudaDeviceSynchronize());
  }
}

void clear() {
  for (int g = 0; g < 2; ++g) {
    use(g);
    CHECK(cudaMemset(gpus[g].flags, 0, 4 * kFlags * sizeof(unsigned)));
    CHECK(cudaMemset(gpus[g].times, 0, kMaxChannels * sizeof(Times)));
    CHECK(cudaMemset(gpus[g].done, 0, 8));
  }
  sync();
}

template <typename... Parameters, typename... Arguments>
void launch(int blocks, int cluster, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  cudaLaunchAttribute attributes[2];
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {unsigned(cluster), 1, 1};
  attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
  config.attrs = attributes;
  config.numAttrs = cluster > 1 ? 2 : 0;
  CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

void one_exchange(int cluster, int channels, std::uint64_t slice, unsigned slots, int ways, bool fence) {
  clear();
  for (int g = 0; g < 2; ++g) {
    use(g);
    const Gpu &own = gpus[g], &peer = gpus[1 - g];
    const Side side{own.input, own.output,          own.fifo,           peer.fifo,
                    own.flags, own.flags + kFlags,  peer.flags,         peer.flags + kFlags,
                    own.times, ways == 2 || g == 0, ways == 2 || g == 1};
    launch(channels, cluster, exchange, side, kBytes / channels / slice, slice, slots, fence,
           own.flags + 2 * kFlags, peer.flags + 2 * kFlags);
  }
  sync();
}

std::vector<Times> times_of(int g, int channels) {
  std::vector<Times> t(channels);
  use(g);
  CHECK(cudaMemcpy(t.data(), gpus[g].times, channels * sizeof(Times), cudaMemcpyDeviceToHost));
  return t;
}

void channels_of(std::FILE* file, int cluster, int channels, std::uint64_t slice, int ways) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    one_exchange(cluster, channels, slice, 2, ways, true);
    for (int g = 0; g < 2; ++g) {
      const std::vector<Times> t = times_of(g, channels);
      unsigned long long begin = ~0ULL;
      for (const Times& one : t) begin = std::min(begin, one.begin);
      for (int c = 0; c < channels; ++c)
        std::fprintf(file, "%d,%d,%llu,%d,%d,%d,%d,%llu,%.1f,%.1f\n", cluster, channels,
                     static_cast<unsigned long long>(slice), ways, repeat, g, c, t[c].sm,
                     t[c].sender_end ? double(t[c].sender_end - begin) * 1e-3 : 0.0,
                     double(t[c].end - begin) * 1e-3);
    }
  }
  std::fflush(file);
}

void blocks_of(std::FILE* file, int cluster, int blocks, int ways) {
  constexpr long long ns = 4'000'000;
  for (int g = 0; g < 2; ++g) {
    use(g);
    CHECK(cudaMemset(gpus[g].times, 0, kMaxChannels * sizeof(Times)));
    CHECK(cudaDeviceSynchronize());
  }
  for (int g = 0; g < ways; ++g) {
    use(g);
    launch(blocks, cluster, flood, gpus[1 - g].target, kFifo / 16, ns,
           reinterpret_cast<unsigned long long*>(gpus[g].times));
  }
  sync();
  for (int g = 0; g < ways; ++g) {
    std::vector<unsigned long long> out(2 * blocks);
    use(g);
    CHECK(cudaMemcpy(out.data(), gpus[g].times, out.size() * 8, cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; ++b)
      std::fprintf(file, "%d,%d,%d,%d,%d,%llu,%.2f\n", cluster, blocks, ways, g, b, out[2 * b + 1],
                   double(out[2 * b]) / ns);
  }
  std::fflush(file);
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void slices(std::FILE* file, int channels, std::uint64_t slice, unsigned slots, int ways, bool fence) {
  const std::uint64_t count = kBytes / channels / slice;
  std::vector<double> columns[7];
  for (int repeat = 0; repeat < 5; ++repeat) {
    one_exchange(1, channels, slice, slots, ways, fence);
    double seconds = 0;
    Times sum{};
    for (int g = 0; g < 2; ++g) {
      const std::vector<Times> t = times_of(g, channels);
      unsigned long long begin = ~0ULL, end = 0;
      for (const Times& one : t) {
        begin = std::min(begin, one.begin), end = std::max(end, one.end);
        sum.wait += one.wait, sum.copy += one.copy, sum.meet += one.meet, sum.fence += one.fence;
        sum.receiver_wait += one.receiver_wait, sum.receiver_copy += one.receiver_copy;
      }
      seconds = std::max(seconds, double(end - begin) * 1e-9);
    }
    const double each = 1e-3 / (double(count) * channels * ways);
    const double row[] = {double(count * channels * slice) / seconds * 1e-9,
                          sum.wait * each,
                          sum.copy * each,
                          sum.meet * each,
                          sum.fence * each,
                          sum.receiver_wait * each,
                          sum.receiver_copy * each};
    for (int i = 0; i < 7; ++i) columns[i].push_back(row[i]);
  }
  std::fprintf(file, "%d,%llu,%u,%d,%d,%.1f", channels, static_cast<unsigned long long>(slice), slots, ways,
               int(fence), median(columns[0]));
  for (int i = 1; i < 7; ++i) std::fprintf(file, ",%.2f", median(columns[i]));
  std::fprintf(file, "\n");
  std::fflush(file);
}

void flags(std::FILE* file, int blocks, int ways, bool stored) {
  std::vector<double> there_and_back, written;
  for (int repeat = 0; repeat < 5; ++repeat) {
    clear();
    for (int g = 0; g < ways && blocks > 0; ++g) {
      use(g);
      load_link<<<blocks, kThreads, 0, gpus[g].beside>>>(gpus[1 - g].target, kFifo, 20'000'000);
    }
    Flag *here = gpus[0].flags + 3 * kFlags, *there = gpus[1].flags + 3 * kFlags;
    use(1);
    answer<<<1, 1>>>(there, here);
    use(0);
    ping<<<1, 32>>>(here, there, gpus[1].output, stored, gpus[0].out);
    sync();
    use(0);
    long long out[2];
    CHECK(cudaMemcpy(out, gpus[0].out, sizeof out, cudaMemcpyDeviceToHost));
    there_and_back.push_back(double(out[0]) * 1e-3 / kPings),
        written.push_back(double(out[1]) * 1e-3 / kPings);
  }
  std::fprintf(file, "%d,%d,%d,%.2f,%.2f\n", blocks, ways, int(stored), median(there_and_back),
               median(written));
  std::fflush(file);
}

constexpr long long kStoring = 4'000'000;  // ns

// A line of what GPU 0 stores, beside the other GPU if both do. store(to, done): launches a kernel that stores there for kStoring.
template <typename Store>
void stores(std::FILE* file, std::size_t bytes, bool other, int blocks, int threads, int ways, Store store) {
  std::vector<double> rates;
  for (int repeat = 0; repeat < 5; ++repeat) {
    clear();
    for (int g = 0; g < ways; ++g) {
      use(g);
      store(gpus[other ? 1 - g : g].target, gpus[g].done);
    }
    sync();
    use(0);
    unsigned long long done;
    CHECK(cudaMemcpy(&done, gpus[0].done, 8, cudaMemcpyDeviceToHost));
    rates.push_back(double(done) / kStoring);
  }
  std::fprintf(file, "%zu,%s,%d,%d,%d,%.1f\n", bytes, other ? "other" : "own", blocks, threads, ways,
               median(rates));
  std::fflush(file);
}

template <typename T>
void width(std::FILE* file, bool other, int blocks, int threads, int ways) {
  stores(file, sizeof(T), other, blocks, threads, ways, [&](uint4* to, unsigned long long* done) {
    store_width<T><<<blocks, threads>>>(reinterpret_cast<T*>(to), kFifo / sizeof(T) - 1, kStoring, done);
  });
}

template <typename T>
void tiles(std::FILE* file, bool other, int blocks, int ways) {
  constexpr int threads = 128;
  stores(file, sizeof(T), other, blocks, threads, ways, [&](uint4* to, unsigned long long* done) {
    store_tiles<T><<<blocks, threads>>>(reinterpret_cast<unsigned short*>(to), kStoring, done);
  });
}

std::FILE* begin(const std::string& path, const char* columns) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) std::exit(2);
  std::fprintf(file, "%s\n", columns);
  return file;
}

int main(int argc, char** argv) {
  const std::string out = argc > 1 ? argv[1] : ".";
  setenv("CUDA_MODULE_LOADING", "EAGER",
         1);  // a kernel that is loaded late would wait for the one it is to meet
  for (int g = 0; g < 2; ++g) {
    use(g);
    CHECK(cudaDeviceEnablePeerAccess(1 - g, 0));
    for (uint4** a : {&gpus[g].input, &gpus[g].output}) {
      CHECK(cudaMalloc(a, kBytes));
      CHECK(cudaMemset(*a, 7, kBytes));
    }
    for (uint4** a : {&gpus[g].fifo, &gpus[g].target}) CHECK(cudaMalloc(a, kFifo));
    CHECK(cudaMalloc(&gpus[g].flags, 4 * kFlags * sizeof(unsigned)));
    CHECK(cudaMalloc(&gpus[g].times, kMaxChannels * sizeof(Times)));
    CHECK(cudaMalloc(&gpus[g].out, 16));
    CHECK(cudaMalloc(&gpus[g].done, 8));
    CHECK(cudaStreamCreateWithFlags(&gpus[g].beside, cudaStreamNonBlocking));
  }
  std::FILE* file = begin(out + "/slices.csv",
                          "channels,slice_bytes,slots,ways,fence,GBps,wait_us,copy_us,meet_us,fence_us,"
                          "receiver_wait_us,receiver_copy_us");
  for (int ways : {1, 2})
    for (bool fence : {true, false})
      for (std::uint64_t slice : {32ULL << 10, 128ULL << 10, 512ULL << 10})
        for (unsigned slots : {2U, 8U})
          for (int channels : {1, 2, 4, 8, 16, 32, 64})
            if (kBytes / channels / slice >= 4 && channels * slots * slice <= kFifo)
              slices(file, channels, slice, slots, ways, fence);
  std::fclose(file);
  file = begin(out + "/channels.csv",
               "cluster,channels,slice_bytes,ways,repeat,gpu,channel,sm,sender_us,receiver_us");
  for (int cluster : {1, 4})
    for (int ways : {1, 2})
      for (int channels : {8, 16, 24, 32, 64})
        for (std::uint64_t slice : {128ULL << 10, 512ULL << 10})
          channels_of(file, cluster, channels, slice, ways);
  std::fclose(file);
  file = begin(out + "/blocks.csv", "cluster,blocks,ways,gpu,block,sm,GBps");
  for (int cluster : {1, 4})
    for (int ways : {1, 2})
      for (int blocks : {4, 8, 16, 24, 32, 64, 132}) blocks_of(file, cluster, blocks, ways);
  std::fclose(file);
  file = begin(out + "/flags.csv", "blocks,ways,stored,us,written_us");
  for (bool stored : {false, true})
    for (int ways : {1, 2})
      for (int blocks : {0, 1, 4, 6, 8, 12, 16, 32, 64, 128}) flags(file, blocks, ways, stored);
  std::fclose(file);
  file = begin(out + "/widths.csv", "bytes,to,blocks,threads,ways,GBps");
  for (bool other : {false, true})
    for (int ways : {1, 2})
      for (int threads : {128, 512})
        for (int blocks : {1, 8, 32, 132, 264}) {
          if (!other && ways == 2) continue;
          width<unsigned short>(file, other, blocks, threads, ways);
          width<unsigned>(file, other, blocks, threads, ways);
          width<unsigned long long>(file, other, blocks, threads, ways);
          width<Words>(file, other, blocks, threads, ways);
        }
  std::fclose(file);
  file = begin(out + "/tile_stores.csv", "bytes,to,blocks,threads,ways,GBps");
  for (bool other : {false, true})
    for (int ways : {1, 2})
      for (int blocks : {1, 2, 8, 32, 132, 264}) {
        if (!other && ways == 2) continue;
        tiles<unsigned short>(file, other, blocks, ways);
        tiles<Words>(file, other, blocks, ways);
      }
  std::fclose(file);
  return 0;
}
