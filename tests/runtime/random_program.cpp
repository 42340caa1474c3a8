#include "runtime/random_program.h"

#include <fmt/format.h>

#include <algorithm>

namespace t3sim {

namespace {

constexpr std::uint32_t kOperations = 12;
constexpr std::uint32_t kSector = 16;  // elements of 2 bytes

}  // namespace

RandomProgram::RandomProgram(std::uint64_t seed, std::uint32_t gpus)
    : random_(seed),
      gpus_(gpus),
      streams_(gpus * kStreams, Clock(gpus * kStreams)),
      hosts_(gpus, Clock(gpus * kStreams)),
      indices_(gpus * kStreams) {
  draw_arrays();
  for (std::uint32_t i = 0; i < kOperations; ++i) draw_operation();
}

std::uint32_t RandomProgram::draw(std::uint32_t first, std::uint32_t last) {
  return first + static_cast<std::uint32_t>(random_() % (last - first + 1));
}
bool RandomProgram::chance(double p) { return static_cast<double>(random_() % 1000) < p * 1000; }

// The first two are multiples of whatever collectives need.
void RandomProgram::draw_arrays() {
  arrays_.push_back({gpus_ * 8, kLine, 2, false});
  arrays_.push_back({gpus_ * 8, kLine, 1, false});
  const std::uint32_t more = draw(2, 3);
  for (std::uint32_t i = 0; i < more; ++i)
    arrays_.push_back(
        {draw(2, 4) * kTile + draw(0, 1) * 5, draw(2, 3) * kLine - draw(0, 1) * 7, draw(1, 2), false});
  arrays_.push_back({draw(3, 5) * kTile, draw(2, 3) * kLine, 1, true});
}

void RandomProgram::draw_operation() {
  if (chance(0.15)) nuisance();
  const std::uint32_t kind = draw(0, 99);
  if (kind < 35) return copy();
  if (kind < 60) return sum();
  if (kind < 78) return gemm();
  if (kind < 85) return gathered_gemm();
  if (kind < 92) return scattering_gemm();
  collective();
}

void RandomProgram::nuisance() { emit(draw(0, gpus_ - 1), 0, fmt::format("host: {} us", draw(1, 5))); }

std::uint32_t RandomProgram::some_array(bool column_major) {
  for (;;) {
    const std::uint32_t array = draw(0, static_cast<std::uint32_t>(arrays_.size()) - 1);
    if (arrays_[array].column_major == column_major) return array;
  }
}

Part RandomProgram::place(std::uint32_t gpu, std::uint32_t array, std::uint32_t rows, std::uint32_t columns,
                          std::uint32_t unit) {
  const Array& a = arrays_[array];
  const std::uint32_t row = draw(0, a.rows - rows);
  const std::uint32_t column = draw(0, (a.columns - columns) / unit) * unit;
  return {gpu, array, draw(0, a.copies - 1), row, rows, column, columns};
}

std::string RandomProgram::text(const Part& p, std::uint32_t own) const {
  return fmt::format("\"x{}{}[rows {}:{}, columns {}:{}, copy {}]\"", p.array,
                     p.gpu == own ? "" : fmt::format("@{}", p.gpu), p.row, p.row + p.rows, p.column,
                     p.column + p.columns, p.copy);
}

// A push or a pull of any elements.
void RandomProgram::copy() {
  const bool column_major = chance(0.1);
  const std::uint32_t from = some_array(column_major), to = some_array(column_major);
  const std::uint32_t rows = draw(1, std::min(arrays_[from].rows, arrays_[to].rows));
  const std::uint32_t columns = draw(1, std::min(arrays_[from].columns, arrays_[to].columns));
  const std::uint32_t source = draw(0, gpus_ - 1), target = (source + draw(1, gpus_ - 1)) % gpus_;
  copy(place(source, from, rows, columns, 1), place(target, to, rows, columns, 1),
       chance(0.5) ? source : target, draw(0, kStreams - 1));
}

void RandomProgram::copy(const Part& from, const Part& to, std::uint32_t issuer, std::uint32_t stream) {
  const std::vector<Access> accesses{{from}, {to, true}};
  order(accesses, issuer, stream);
  emit(issuer, stream, fmt::format("copy: {{from: {}, to: {}}}", text(from, issuer), text(to, issuer)));
  done(accesses, issuer, stream);
  steps_.push_back({Step::Kind::copy, {from}, {to}});
}

void RandomProgram::sum() {
  const std::uint32_t gpu = draw(0, gpus_ - 1), stream = draw(0, kStreams - 1);
  const std::uint32_t count = draw(0, 3), target = some_array(false);
  std::vector<std::uint32_t> from;
  std::uint32_t rows = arrays_[target].rows, columns = arrays_[target].columns;
  for (std::uint32_t i = 0; i < count; ++i) {
    from.push_back(some_array(false));
    if (from.back() == target && arrays_[target].copies == 1) from.back() = target == 0 ? 1 : 0;
    rows = std::min(rows, arrays_[from.back()].rows);
    columns = std::min(columns, arrays_[from.back()].columns);
  }
  columns = draw(1, columns / kSector) * kSector;
  const Part to = place(gpu, target, draw(1, rows), columns, kSector);
  std::vector<Access> accesses;
  std::vector<Part> parts;
  std::string list;
  for (const std::uint32_t array : from) {
    Part part = place(gpu, array, to.rows, columns, kSector);
    if (array == target) part.copy = 1 - to.copy;
    parts.push_back(part);
    accesses.push_back({part});
    list += (list.empty() ? "" : ", ") + text(part, gpu);
  }
  accesses.push_back({to, true});
  order(accesses, gpu, stream);
  emit(gpu, stream, fmt::format("launch: {{sum: {{from: [{}], to: {}}}}}", list, text(to, gpu)));
  done(accesses, gpu, stream);
  steps_.push_back({Step::Kind::sum, parts, {to}});
}

namespace {
const char* const kTileText = "tile: 32x64x32, wavefronts: 2";
}

// c (+)= a b of views that begin on a line; perhaps a counter that its tiles add to.
void RandomProgram::gemm() {
  const std::uint32_t gpu = draw(0, gpus_ - 1), stream = draw(0, kStreams - 1);
  const std::uint32_t a = some_array(chance(0.3)), b = some_array(chance(0.3)), c = some_array(false);
  if (c == a || c == b) return;
  const std::uint32_t m = draw(1, std::min(arrays_[a].rows, arrays_[c].rows));
  const std::uint32_t n = draw(1, std::min(arrays_[b].columns, arrays_[c].columns));
  const std::uint32_t k = draw(1, std::min(arrays_[a].columns, arrays_[b].rows));
  const auto on_line = [&](std::uint32_t array, std::uint32_t rows, std::uint32_t columns) {
    Part part = place(gpu, array, rows, columns, arrays_[array].column_major ? 1 : kLine);
    if (arrays_[array].column_major) part.row = part.row / kLine * kLine;
    return part;
  };
  const Part pa = on_line(a, m, k), pb = on_line(b, k, n), pc = on_line(c, m, n);
  const bool accumulate = chance(0.3);
  const std::vector<Access> accesses{{pa}, {pb}, {pc, true}};
  order(accesses, gpu, stream);
  const std::uint32_t word_gpu = draw(0, gpus_ - 1), word = chance(0.5) ? words_++ : 0;
  emit(gpu, stream,
       fmt::format("launch: {{gemm: {{a: {}, b: {}, c: {}, accumulate: {}}}, {}{}{}}}", text(pa, gpu),
                   text(pb, gpu), text(pc, gpu), accumulate, kTileText,
                   word != 0 ? fmt::format(", sets: \"w@{}[{}] += 1\"", word_gpu, word) : "",
                   chance(0.5) ? ", order: \"(tile * 7 + 3) % 5\"" : ""));
  Operation& operation = done(accesses, gpu, stream);
  operation.word = word;
  operation.word_gpu = word_gpu;
  operation.count = ((m + kTile - 1) / kTile) * ((n + kLine - 1) / kLine);
  steps_.push_back({Step::Kind::gemm, {pa, pb}, {pc}, accumulate});
}

// The rows of a come from other GPUs, a row of tiles each, while tiles wait for them.
void RandomProgram::gathered_gemm() {
  const std::uint32_t gpu = draw(0, gpus_ - 1);
  const std::uint32_t a = some_array(false), b = some_array(true), c = some_array(false);
  if (a == c) return;
  const std::uint32_t m = std::min(arrays_[a].rows, arrays_[c].rows) / kTile * kTile;
  if (m == 0) return;
  const std::uint32_t n = draw(1, std::min(arrays_[b].columns, arrays_[c].columns));
  const std::uint32_t k = std::min(arrays_[a].columns, arrays_[b].rows);
  const Part pa{gpu, a, 0, 0, m, 0, k}, pb{gpu, b, 0, 0, k, 0, n}, pc{gpu, c, 0, 0, m, 0, n};
  const std::uint32_t first_word = words_;
  words_ += m / kTile;
  std::vector<Clock> copies;
  for (std::uint32_t block = 0; block < m / kTile; ++block) {
    const std::uint32_t peer = (gpu + draw(1, gpus_ - 1)) % gpus_, stream = draw(0, 1);
    const std::uint32_t issuer = chance(0.5) ? peer : gpu;
    Part rows = pa, from = pa;
    rows.row = from.row = block * kTile;
    rows.rows = from.rows = kTile;
    from.gpu = peer;
    from.copy = draw(0, arrays_[a].copies - 1);
    copy(from, rows, issuer, stream);
    emit(
        issuer, stream,
        fmt::format("signal: \"w{}[{}]\"", issuer == gpu ? "" : fmt::format("@{}", gpu), first_word + block));
    copies.push_back(operations_.back().clock);
  }
  order({{pb}, {pc, true}}, gpu, 2);
  emit(gpu, 2,
       fmt::format("launch: {{gemm: {{a: {}, b: {}, c: {}}}, {}, wait: \"w[{} + row]\"}}", text(pa, gpu),
                   text(pb, gpu), text(pc, gpu), kTileText, first_word),
       false);
  for (const Clock& clock : copies) join(streams_[lane(gpu, 2)], clock);
  done({{pa}, {pb}, {pc, true}}, gpu, 2);
  steps_.push_back({Step::Kind::gemm, {pa, pb}, {pc}});
}

// Rows of tiles go to the other GPUs in turn, to the same place: stored, or added to what is there.
void RandomProgram::scattering_gemm() {
  const std::uint32_t gpu = draw(0, gpus_ - 1), stream = draw(0, kStreams - 1);
  const std::uint32_t a = some_array(false), b = some_array(true), c = some_array(false);
  if (a == c) return;
  const std::uint32_t m = draw(1, std::min(arrays_[a].rows, arrays_[c].rows));
  const std::uint32_t n = draw(1, std::min(arrays_[b].columns, arrays_[c].columns));
  const std::uint32_t k = draw(1, std::min(arrays_[a].columns, arrays_[b].rows));
  const std::uint32_t copy = draw(0, arrays_[c].copies - 1), shift = draw(0, gpus_ - 1);
  const bool adds = chance(0.5);
  const Part pa{gpu, a, 0, 0, m, 0, k}, pb{gpu, b, 0, 0, k, 0, n}, pc{gpu, c, 0, 0, m, 0, n};
  std::vector<Access> accesses{{pa}, {pb}};
  std::vector<Part> targets;
  for (std::uint32_t row = 0; row * kTile < m; ++row) {
    targets.push_back({(row + shift) % gpus_, c, copy, row * kTile, std::min(kTile, m - row * kTile), 0, n});
    accesses.push_back({targets.back(), true, adds});
  }
  order(accesses, gpu, stream);
  emit(gpu, stream,
       fmt::format("launch: {{gemm: {{a: {}, b: {}, c: {}}}, {}, stores: {{to: \"x{}@((row + {}) % "
                   "gpus)[copy {}]\"{}}}}}",
                   text(pa, gpu), text(pb, gpu), text(pc, gpu), kTileText, c, shift, copy,
                   adds ? ", op: add" : ""));
  done(accesses, gpu, stream);
  steps_.push_back({Step::Kind::gemm, {pa, pb}, targets, adds});
}

void RandomProgram::collective() {
  using Kind = Step::Kind;
  constexpr Kind kKinds[] = {Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce, Kind::all_to_all};
  constexpr const char* kNames[] = {"all-gather", "reduce-scatter", "all-reduce", "all-to-all"};
  // All on one stream: in different order on two GPUs, they would hold each other's CUs.
  const std::uint32_t kind = draw(0, 3), stream = 1, copy = draw(0, 1);
  const std::uint32_t rows = draw(1, 8), all = rows * gpus_;
  const bool back = chance(0.5);
  Step step{kKinds[kind], {}, {}};
  const std::string name = kNames[kind];
  for (std::uint32_t g = 0; g < gpus_; ++g) {
    Part x{g, 0, copy, 0, all, 0, kLine}, y{g, 1, 0, 0, all, 0, kLine};
    Part in = back ? y : x, out = back ? x : y;
    if (name == "all-gather") in.rows = rows;
    if (name == "reduce-scatter") out.rows = rows;
    step.from.push_back(in);
    step.to.push_back(out);
  }
  for (std::uint32_t g = 0; g < gpus_; ++g) order({{step.from[g]}, {step.to[g], true}}, g, stream);
  Clock before(gpus_ * kStreams);
  for (std::uint32_t g = 0; g < gpus_; ++g) {
    join(before, streams_[lane(g, stream)]);
    join(before, hosts_[g]);
  }
  emit_for_all(stream, fmt::format("collective: {{kind: {}, in: {}, out: {}, channels: {}}}", name,
                                   text(step.from[0], 0), text(step.to[0], 0), draw(1, 2)));
  for (std::uint32_t g = 0; g < gpus_; ++g) {
    join(streams_[lane(g, stream)], before);
    done({{step.from[g]}, {step.to[g], true}}, g, stream);
  }
  steps_.push_back(step);
}

// Text.

void RandomProgram::emit(std::uint32_t gpu, std::uint32_t stream, const std::string& command, bool waits) {
  lines_.push_back(
      {fmt::format("  - {{if: rank == {}, on: s{}, do: [{{{}}}]}}\n", gpu, stream, command), waits});
  waits_ += waits;
}
void RandomProgram::emit_for_all(std::uint32_t stream, const std::string& command) {
  lines_.push_back({fmt::format("  - {{on: s{}, {}}}\n", stream, command), false});
}

std::string RandomProgram::text(std::uint32_t left_out) const {
  std::string yaml = "name: random\narrays:\n";
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    yaml += fmt::format("  x{}: {{rows: {}, columns: {}, copies: {}, column_major: {}, contents: values}}\n",
                        i, arrays_[i].rows, arrays_[i].columns, arrays_[i].copies, arrays_[i].column_major);
  yaml += fmt::format("signals: {{w: {}}}\nstreams: [s0, s1, s2]\ncommands:\n", words_);
  std::uint32_t wait = 0;
  for (const Line& line : lines_)
    if (!line.waits || ++wait != left_out) yaml += line.text;
  return yaml;
}

}  // namespace t3sim
