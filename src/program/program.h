// A program, evaluated for a number of GPUs: what every GPU's host issues, command by command, in order.
//
// A text (docs/programs.md) becomes a Program: its loops are unrolled, its expressions have values. The run
// reads nothing else. Commands are in the words of CUDA and HIP: a host issues them in order, a stream carries
// out its own in order, and what orders two streams or two GPUs are events and signals.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/names.h"
#include "kernel/drawn_rows.h"
#include "kernel/gemm.h"
#include "sim/request.h"

namespace t3sim::program {

// Where in the text a command is written, for messages.
struct Place {
  std::string file;
  int line = 0, column = 0;
};

// What is in an array before the program starts. Functional mode: `values` are numbers of its own for each GPU
// and element. They may be in a part of the array only (Array::given): the rest then has nothing.
enum class Contents : std::uint8_t { nothing, zeros, values };

// A rectangle of an array in the memory of one GPU.
struct View {
  std::uint32_t array = 0;
  std::uint32_t gpu = 0;
  std::uint32_t copy = 0;
  std::uint64_t first_row = 0, rows = 0;
  std::uint64_t first_column = 0, columns = 0;
  bool operator==(const View&) const = default;
};

// A row-major matrix at the same address in the memory of every GPU that has it.
struct Array {
  std::string name;
  std::uint64_t rows = 0, columns = 0;
  DataType type = DataType::fp16;
  std::uint32_t copies = 1;   // one behind the other, for double buffering
  bool column_major = false;  // columns are contiguous instead
  Contents contents = Contents::nothing;
  std::vector<View> given;         // by GPU: the part that has `contents`, in all copies
  std::vector<bool> on;            // by GPU
  std::uint64_t address = 0;       // of copy 0, on a 2 MiB page
  std::uint64_t pitch_bytes = 0;   // from a row (column) to the next; a multiple of a 128 B line
  std::uint64_t stride_bytes = 0;  // from a copy to the next
};

// Words in the memory of every GPU, each on a line of its own.
struct Signals {
  std::string name;
  std::uint32_t count = 0;
  std::uint64_t address = 0;                        // of word 0
  std::vector<std::vector<std::uint64_t>> initial;  // by GPU, then word
};

struct SignalWord {
  std::uint32_t signals = 0, index = 0, gpu = 0;
  bool operator==(const SignalWord&) const = default;
};

// Until the word is at least `value`. A command waits for words of its own GPU only.
struct SignalWait {
  SignalWord word;
  std::uint64_t value = 1;
  bool operator==(const SignalWait&) const = default;
};

// What a word becomes. With a fence it is visible after all that its stream, or the workgroup that sets it, has written
// before; without one at any time.
struct SignalSet {
  SignalWord word;
  std::uint64_t value = 1;
  bool add = false;  // an atomic addition
  bool fence = true;
  bool in_store = false;  // it comes with the tile's data, in the same stores (LL): nobody waits for a fence
  bool last = false;      // after the last tile of the workgroup, behind a fence for all of them
  bool operator==(const SignalSet&) const = default;
};

// A list for each of some tiles, most of them empty or of one.
template <class T>
class ByTile {
 public:
  void add(std::uint32_t tile, T item) {
    if (tile >= lists_.size()) lists_.resize(tile + 1);
    lists_[tile].push_back(std::move(item));
  }
  std::span<const T> of(std::uint32_t tile) const {
    return tile < lists_.size() ? std::span<const T>(lists_[tile]) : std::span<const T>();
  }
  bool empty() const { return lists_.empty(); }
  std::uint32_t tiles() const { return static_cast<std::uint32_t>(lists_.size()); }  // with a list

 private:
  std::vector<std::vector<T>> lists_;
};

// Where the stores of a tile go; where none is said, to `c` itself.
struct TileTarget {
  std::uint32_t gpu = 0;
  std::int64_t offset_bytes = 0;  // from the tile's place in C
  Op op = Op::write;              // update: near-memory op-and-store, or the machine's atomics
  bool operator==(const TileTarget&) const = default;
};

// c (+)= a times b.
struct GemmBody {
  View a, b, c;
  GemmSpec spec;            // the kernel: tile, order, cluster, split-K, addresses and pitches of the views
  bool accumulate = false;  // C is read and added to
};

// to = sum of all of `from`, elementwise; one: a copy by CUs; none: zeros. `to` may be in another GPU's memory.
struct SumBody {
  std::vector<View> from;
  View to;
  bool add = false;                               // to += the sum, by atomic additions
  std::uint32_t tile_rows = 0, tile_columns = 0;  // of a tile; 0: not cut into tiles
};

// Row by row, to = the sum of rows of `table` that are drawn at random (kernel/drawn_rows.h).
struct EmbeddingBody {
  View table, to;
  std::optional<View> indices;  // which a bag reads before its rows: a row of words for each
  BagSpec bags;
  std::uint32_t unroll = 4;         // rows that a thread loads before it adds them
  std::uint32_t thread_bytes = 16;  // of a row that a thread has
};

// y = w times x; x and y are rows.
struct GemvBody {
  View w, x, y;
  std::uint32_t wavefronts = 8, rows_per_wavefront = 1, unroll = 4;
  std::uint64_t registers = 48;  // a thread
};

// Nothing is computed: workgroups wait for words, each tile for its own.
struct PollBody {
  std::uint32_t tiles = 1;
  View nothing;  // no rows and columns of any array
};

using Body = std::variant<GemmBody, SumBody, EmbeddingBody, GemvBody, PollBody>;

// What the workgroups of a kernel go on with when they have gone through all tiles of what is before.
struct Phase {
  Body body;
  std::uint32_t first_tile = 0;      // tiles are numbered through all phases
  std::vector<std::uint32_t> order;  // as Launch::order, of its own tiles from 0 on
};

// Kernels.
struct Launch {
  Body body;
  std::vector<Phase> then;
  std::uint32_t first_cu = 0, cus = 0;  // 0: all
  std::uint32_t workgroups_per_cu = 0;  // 0: as its resources allow
  std::int32_t priority = 0;            // higher goes first where workgroups compete for places
  std::uint32_t workgroups = 0;         // that walk the tiles; 0: one for each (GEMMs: as the kernel says)
  std::vector<std::uint32_t> order;     // tile by position; empty: the kernel's own
  ByTile<SignalWait> waits;             // by tile, of all phases: of the workgroup, before its main loop
  ByTile<TileTarget> stores;            // at most one per tile
  ByTile<SignalSet> sets;               // after the tile's stores
};

// cudaMemcpyAsync, or 2D where rows are not next to each other. By a copy engine of the GPU in whose stream it
// is: a push if `from` is there, a pull if `to` is.
struct Copy {
  View from, to;
  bool put = false;  // by this GPU's network card instead, which the GPU asks to (RDMA)
};

// ncclAllGather and others: all GPUs must come. Holds CUs until they do.
enum class CollectiveKind : std::uint8_t { all_gather, reduce_scatter, all_reduce, all_to_all };
constexpr auto names_of(CollectiveKind) {
  return std::array{Named{"all-gather", CollectiveKind::all_gather},
                    Named{"reduce-scatter", CollectiveKind::reduce_scatter},
                    Named{"all-reduce", CollectiveKind::all_reduce},
                    Named{"all-to-all", CollectiveKind::all_to_all}};
}
struct Collective {
  std::uint32_t number = 0;  // of those that belong together: the same on all GPUs, one for each time
  CollectiveKind kind = CollectiveKind::all_gather;
  View in, out;
  std::uint32_t channels = 0;  // 0: the machine's
  bool low_latency = false;    // NCCL's LL: half of each 16 B line is a flag, so that data is its own news
  std::uint64_t first_loops = ~std::uint64_t{0};  // of a sample: see ChannelSettings
};

struct SetSignal {
  SignalSet set;
  bool put = false;  // of a put: the card sends it behind the data, and no stream pays for it
};
struct WaitSignal {
  SignalWait wait;
  bool reset = false;  // to 0 afterwards
};
// cudaEventRecord and cudaStreamWaitEvent, on one GPU. Each event is recorded once: what a text records again
// is another event, and who waits means the last one that the host had recorded before.
struct Record {
  std::uint32_t event = 0;
};
struct WaitEvent {
  std::uint32_t event = 0;
};
// The host goes on when an event has been reached, or all that it has issued to a stream is done.
struct SyncEvent {
  std::uint32_t event = 0;
};
struct SyncStream {
  std::uint32_t stream = 0;
};
struct SyncSignal {
  SignalWait wait;
};
struct HostTime {
  std::uint64_t ps = 0;
};
// All GPUs: their hosts, or the commands of a stream.
struct Barrier {
  std::uint32_t number = 0;  // the same on all GPUs
  bool host = false;
};
// Empties the L2: the next command finds it cold.
struct Flush {};

using Action = std::variant<Launch, Copy, Collective, SetSignal, WaitSignal, Record, WaitEvent, SyncEvent,
                            SyncStream, SyncSignal, HostTime, Barrier, Flush>;

struct Command {
  std::string name;  // for people: "gemm c", "copy a@1[rows 0:1024] to a[rows 0:1024]"
  Place place;
  std::uint32_t stream = 0;  // of those that a stream carries out
  Action action;
};

struct GpuCommands {
  std::vector<std::string> streams;  // by number
  std::vector<std::string> events;   // by number
  std::vector<Command> commands;     // in the order in which the host issues them
};

// A matrix made of what arrays hold before the program.
struct Formula {
  enum class Kind : std::uint8_t {
    view,      // of the array of the view's GPU
    gathered,  // each element of the GPU that has it
    times,     // product of two matrices
    plus,      // sum, elementwise
    stacked,   // one below the other
  };
  Kind kind = Kind::view;
  View view;                // view, gathered
  std::vector<Formula> of;  // times: two; plus, stacked: one or more
};

// What the program leaves in an array, on each GPU that has a part of it (functional mode).
struct Promise {
  struct Part {
    View view;
    Formula formula;
  };
  std::string name, text;
  Place place;
  std::vector<Part> parts;
};

// A parameter over which the program's stages repeat, in multiples of `unit`: its time is a line along it, from a
// quarter of `fewest` of them on.
struct SampledParameter {
  std::string name;
  std::uint64_t unit = 1;
  std::uint64_t fewest = 24;  // of the longest run: 24 K steps of 64
};

struct Program {
  std::string name, file;
  std::vector<std::pair<std::string, std::int64_t>> parameters;
  std::vector<SampledParameter> sampled;
  std::uint32_t gpu_count = 1;
  std::vector<Array> arrays;
  std::vector<Signals> signals;
  std::vector<GpuCommands> gpus;
  std::vector<Promise> promises;
  std::uint64_t end_address = 0;  // arrays, signals and workspaces of split-K are below
  bool queue_filled = false;      // the clock starts when all commands are issued
};

}  // namespace t3sim::program
