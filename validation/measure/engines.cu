// What it costs that a stream goes on from SMs to a copy engine and back. Two GPUs, a process each, one of which only lends its memory;
// all is issued while a first kernel spins, so the queue is full. Kernels spin for 50 us and note when they begin and end
// (%globaltimer). Beside pulls, a thread on another stream notes when the last word has come.
//
//   nvcc -O3 -arch=native engines.cu -o engines && ./engines > engines.csv
//
// Columns: what (-132: kernels of 132 blocks instead of one); KiB that a copy moves; us a turn, by events around all turns; us from a
// kernel's end to the next one's begin; of these, until the last word has come (pulls). Medians. A turn is
//   copy            a copy                       kernel          a kernel
//   copy-kernel     one and then the other, in one stream
//   copy-events     the same, copies in a stream of their own, which waits for the kernel, which waits for the copy, by events
//   kernel-events   two kernels in turn in two streams, each of which waits for the other by an event
//   write-kernel    a kernel and a value that the stream writes into the other GPU's memory (cuStreamWriteValue32)
//   write-wait      a kernel, a value that a second stream writes after it, by an event, and for which the first one waits
#include <cuda.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using u64 = unsigned long long;

#define CHECK(call)                                                                  \
  if (const int error = static_cast<int>(call)) {                                    \
    std::fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, error); \
    std::exit(1);                                                                    \
  }

constexpr int kTurns = 40, kRounds = 7;
constexpr u64 kKernelNs = 50'000;
u64 *times, *came;  // begin and end of each kernel; when the last word of each copy came
volatile unsigned* last_word;

__device__ u64 now() {
  u64 t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}
__global__ void spin(u64 ns, u64* times, volatile unsigned* word) {
  const u64 from = now();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    times[0] = from;
    if (word) *word = 0;
  }
  while (now() - from < ns) {}
  if (blockIdx.x == 0) times[1] = now();
}

// Of each of `turns` copies; gives up after 40 ms, if somebody else has set the word.
__global__ void watch(int turns, u64* came, volatile unsigned* word) {
  const u64 from = now();
  for (int i = 0; i < turns; ++i) {
    while (*word != 0 && now() - from < 40'000'000) {}
    while (*word == 0 && now() - from < 40'000'000) {}
    came[i] = now();
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// `turn(i)` issues a turn; `kernels` of them note their times.
// `watcher`: a stream on which the last words are watched.
void line(const char* what, size_t kib, cudaStream_t stream, int kernels, const std::function<void(int)>& turn,
          cudaStream_t watcher = nullptr) {
  cudaEvent_t first, last;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&last));
  std::vector<double> turns, gaps, arrivals;
  for (int round = 0; round < kRounds; ++round) {
    spin<<<1, 32, 0, stream>>>(4'000'000, times + 2 * kTurns, nullptr);
    if (watcher) watch<<<1, 1, 0, watcher>>>(kTurns, came, last_word);
    CHECK(cudaEventRecord(first, stream));
    for (int i = 0; i < kTurns; ++i) turn(i);
    CHECK(cudaEventRecord(last, stream));
    CHECK(cudaDeviceSynchronize());
    float ms;
    CHECK(cudaEventElapsedTime(&ms, first, last));
    if (round == 0) continue;
    turns.push_back(ms * 1e3 / kTurns);
    std::vector<u64> seen(2 * kernels + 2);
    CHECK(cudaMemcpy(seen.data(), times, 16 * kernels, cudaMemcpyDefault));
    for (int i = 1; i < kernels; ++i) gaps.push_back((double(seen[2 * i]) - double(seen[2 * i - 1])) * 1e-3);
    if (!watcher) continue;
    std::vector<u64> arrived(kTurns);
    CHECK(cudaMemcpy(arrived.data(), came, 8 * kTurns, cudaMemcpyDefault));
    for (int i = 0; i + 1 < kTurns; ++i) arrivals.push_back((double(arrived[i]) - double(seen[2 * i + 1])) * 1e-3);
  }
  std::printf("%s,%zu,%.2f,%.2f,", what, kib, median(turns), median(gaps));
  watcher ? std::printf("%.2f\n", median(arrivals)) : std::printf("\n");
}

// The other process: memory of GPU 1, full of ones.
[[noreturn]] void lend(size_t bytes, int lent, int done) {
  char* memory;
  cudaIpcMemHandle_t handle;
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&memory, bytes));
  CHECK(cudaMemset(memory, 1, bytes));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaIpcGetMemHandle(&handle, memory));
  CHECK(write(lent, &handle, sizeof handle) != sizeof handle);
  char end;
  CHECK(read(done, &end, 1) != 1);
  std::exit(0);
}

int main() {
  constexpr size_t kBytes = 64 << 20;
  int lent[2], done[2];
  CHECK(pipe(lent));
  CHECK(pipe(done));
  if (fork() == 0) lend(kBytes, lent[1], done[0]);
  char *here, *there;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&here, kBytes));
  CHECK(cudaMalloc(&times, 16 * (kTurns + 1)));
  CHECK(cudaMalloc(&came, 8 * kTurns));
  cudaIpcMemHandle_t handle;
  CHECK(read(lent[0], &handle, sizeof handle) != sizeof handle);
  CHECK(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&there), handle, cudaIpcMemLazyEnablePeerAccess));
  cudaStream_t a, b, c;
  for (cudaStream_t* stream : {&a, &b, &c}) CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  std::vector<cudaEvent_t> to(kTurns), back(kTurns);
  for (int i = 0; i < kTurns; ++i) {
    CHECK(cudaEventCreateWithFlags(&to[i], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&back[i], cudaEventDisableTiming));
  }
  const auto cross = [](cudaStream_t from, cudaStream_t into, cudaEvent_t event) {
    CHECK(cudaEventRecord(event, from));
    CHECK(cudaStreamWaitEvent(into, event, 0));
  };
  std::printf("what,kib,turn_us,gap_us,came_us\n");
  for (const int blocks : {1, 132}) {
    const auto kernel = [&](cudaStream_t stream, int i, bool watched = false) {
      spin<<<blocks, 64, 0, stream>>>(kKernelNs, times + 2 * i, watched ? const_cast<unsigned*>(last_word) : nullptr);
    };
    line(blocks == 1 ? "kernel" : "kernel-132", 0, a, kTurns, [&](int i) { kernel(a, i); });
    line(blocks == 1 ? "kernel-events" : "kernel-events-132", 0, a, kTurns, [&](int i) {
      kernel(i % 2 ? b : a, i);
      cross(i % 2 ? b : a, i % 2 ? a : b, to[i]);
    });
    line(blocks == 1 ? "write-kernel" : "write-kernel-132", 0, a, kTurns, [&](int i) {
      kernel(a, i);
      CHECK(cuStreamWriteValue32(a, reinterpret_cast<CUdeviceptr>(there), i, 0));
    });
    line(blocks == 1 ? "write-wait" : "write-wait-132", 0, a, kTurns, [&](int i) {
      CHECK(cuStreamWriteValue32(a, reinterpret_cast<CUdeviceptr>(here), 0, 0));
      kernel(a, i);
      cross(a, b, to[i]);
      CHECK(cuStreamWriteValue32(b, reinterpret_cast<CUdeviceptr>(here), 1, 0));
      CHECK(cuStreamWaitValue32(a, reinterpret_cast<CUdeviceptr>(here), 1, CU_STREAM_WAIT_VALUE_GEQ));
    });
    for (const bool pull : {true, false})
      for (const size_t kib : {64, 4096, 65536}) {
        last_word = reinterpret_cast<unsigned*>(here + (kib << 10) - 4);
        const cudaStream_t watcher = pull ? c : nullptr;
        const auto copy = [&](cudaStream_t stream) {
          CHECK(cudaMemcpyAsync(pull ? here : there, pull ? there : here, kib << 10, cudaMemcpyDefault, stream));
        };
        char what[64];
        const auto name = [&](const char* turn) {
          std::snprintf(what, sizeof what, "%s-%s%s", turn, pull ? "pull" : "push", blocks == 1 ? "" : "-132");
          return what;
        };
        if (blocks == 1) line(name("copy"), kib, a, 0, [&](int) { copy(a); });
        line(name("copy-kernel"), kib, a, kTurns, [&](int i) {
          kernel(a, i, pull);
          copy(a);
        }, watcher);
        line(name("copy-events"), kib, a, kTurns, [&](int i) {
          kernel(a, i, pull);
          cross(a, b, to[i]);
          copy(b);
          cross(b, a, back[i]);
        }, watcher);
      }
  }
  // Chunks and their signals in turn, as all-gather + GEMM has them.
  for (const size_t kib : {64, 512, 3072})
    line("copy-write", kib, a, 0, [&](int i) {
      CHECK(cudaMemcpyAsync(here, there, kib << 10, cudaMemcpyDefault, a));
      CHECK(cuStreamWriteValue32(a, reinterpret_cast<CUdeviceptr>(here) + kBytes - 64, i, 0));
    });
  CHECK(write(done[1], "", 1) != 1);
}
