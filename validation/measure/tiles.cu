// Thread blocks that read, write, or read and write a matrix tile by tile, as the epilogue of a GEMM does that has next to nothing to
// multiply: what of a tile's rows memory gives, by how long they are.
//
//   nvcc -O3 -arch=native tiles.cu -o tiles && ./tiles > tiles.csv
//
// Columns: what; bytes of a tile's row; rows of a tile; tiles across that a band has (0: all of the matrix's width); thread blocks; bytes
// that a block has under way; GB/s of all bytes read and written.
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

enum Work : int { read_only, write_only, read_write };
const char* const kNames[] = {"read", "write", "read_write"};

constexpr int kPitch = 7168, kRows = 147456, kTileRows = 128, kThreads = 256, kReadings = 7;

struct Matrix {
  char* data;
  int width, across, band;  // bytes of a tile's row, tiles across the matrix, tiles across a band
};

// Tiles go down a band, row by row of the band's tiles.
__device__ char* tile_at(const Matrix& m, int tile) {
  const int down = kRows / kTileRows;
  const int band = tile / (m.band * down), left = band * m.band;
  const int wide = min(m.band, m.across - left), in_band = tile - band * m.band * down;
  const int row = in_band / wide, column = left + in_band % wide;
  return m.data + std::size_t(row) * kTileRows * kPitch + std::size_t(column) * m.width;
}

template <int kUnroll>
__global__ void go(int work, Matrix m) {
  const int tiles = m.across * (kRows / kTileRows), row_lines = m.width / 16, lines = row_lines * kTileRows;
  unsigned sum = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    char* const tile = tile_at(m, t);
    for (int first = threadIdx.x; first < lines; first += kThreads * kUnroll) {
      uint4 v[kUnroll];
      char* at[kUnroll];
      for (int i = 0; i < kUnroll; ++i) {
        const int line = first + i * kThreads;
        at[i] = line < lines ? tile + std::size_t(line / row_lines) * kPitch + line % row_lines * 16 : nullptr;
      }
      for (int i = 0; i < kUnroll; ++i)
        v[i] = work == write_only || !at[i] ? uint4{1, 2, 3, unsigned(t)} : __ldcg(reinterpret_cast<uint4*>(at[i]));
      for (int i = 0; i < kUnroll; ++i) {
        if (work == read_only) sum += v[i].x + v[i].y + v[i].z + v[i].w;
        v[i].x += 1;
        if (work != read_only && at[i]) *reinterpret_cast<uint4*>(at[i]) = v[i];
      }
    }
  }
  if (sum == 0x12345678) *reinterpret_cast<unsigned*>(m.data) = sum;
}

template <int kUnroll>
void measure(int work, const Matrix& m, int blocks) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> ms;
  for (int i = 0; i <= kReadings; ++i) {
    CHECK(cudaEventRecord(begin));
    go<kUnroll><<<blocks, kThreads>>>(work, m);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float t = 0;
    CHECK(cudaEventElapsedTime(&t, begin, end));
    if (i > 0) ms.push_back(t);
  }
  std::sort(ms.begin(), ms.end());
  const double bytes = double(m.across) * m.width * kRows * (work == read_write ? 2 : 1);
  std::printf("%s,%d,%d,%d,%d,%d,%.1f\n", kNames[work], m.width, kTileRows, m.band == m.across ? 0 : m.band, blocks,
              kUnroll * kThreads * 16, bytes / (ms[ms.size() / 2] * 1e6));
}

int main() {
  cudaDeviceProp gpu;
  CHECK(cudaGetDeviceProperties(&gpu, 0));
  std::printf("# %s, %d SMs\nwhat,row_bytes,tile_rows,band,blocks,block_bytes,GBps\n", gpu.name, gpu.multiProcessorCount);
  char* data = nullptr;
  CHECK(cudaMalloc(&data, std::size_t(kRows) * kPitch));
  CHECK(cudaMemset(data, 0, std::size_t(kRows) * kPitch));
  for (const int work : {read_only, write_only, read_write})
    for (const int width : {128, 256, 384, 512, 640, 1024, 1792, 3584, 7168})
      for (const int band : {0, 11})
        for (const int per_sm : {1, 4}) {
          const int across = kPitch / width;
          if (band >= across) continue;
          const Matrix m{data, width, across, band == 0 ? across : band};
          measure<8>(work, m, per_sm * gpu.multiProcessorCount);
          if (per_sm == 1) measure<4>(work, m, gpu.multiProcessorCount), measure<16>(work, m, gpu.multiProcessorCount);
        }
  return 0;
}
