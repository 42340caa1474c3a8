#include "runtime/alone.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/number.h"
#include "kernel/matrix.h"
#include "program/bodies.h"
#include "program/evaluate.h"
#include "program/tile_sets.h"
#include "program/views.h"
#include "runtime/load_program.h"

namespace t3sim {

using program::GemmBody;
using program::GpuCommands;
using program::Launch;
using program::Program;
using program::View;

namespace {

// The program without its commands.
PartOfProgram nothing_of(const Program& program) {
  PartOfProgram part;
  part.program = program;
  part.program.promises.clear();
  part.program.sampled.clear();
  part.numbers.resize(program.gpus.size());
  for (GpuCommands& gpu : part.program.gpus) {
    gpu.commands.clear();
    gpu.events.clear();
  }
  return part;
}

void add(PartOfProgram& part, std::size_t gpu, program::Command command, std::uint32_t number) {
  part.program.gpus[gpu].commands.push_back(std::move(command));
  part.numbers[gpu].push_back(number);
}

// Numbers of commands, the first to begin first.
std::vector<std::uint32_t> by_begin(const ProgramResult::OneGpu& gpu) {
  std::vector<std::uint32_t> order(gpu.times.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t c) { return gpu.times[c].begun; });
  return order;
}

// What tiles store into other memories; from the first rows of the output, as only the shape counts.
void add_stores(PartOfProgram& part, const Program& program, std::uint32_t gpu,
                const program::Command& command) {
  const auto& launch = std::get<Launch>(command.action);
  for (const program::TileSet& set : tile_sets(program, launch))
    for (const program::Access& access : set.accesses) {
      if (!access.writes || access.view.gpu == gpu) continue;
      View from = program::output_of(launch.body);
      from.rows = access.view.rows;
      from.columns = access.view.columns;
      std::vector<std::string>& streams = part.program.gpus[gpu].streams;
      program::Command copy = command;
      copy.name = fmt::format("stores of {} to GPU {}", command.name, access.view.gpu);
      copy.stream = narrow<std::uint32_t>(std::ranges::find(streams, copy.name) - streams.begin());
      if (copy.stream == streams.size()) streams.push_back(copy.name);
      copy.action = program::Copy{from, access.view};
      add(part, gpu, std::move(copy), PartOfProgram::kNew);
    }
}

template <class F>
void each_gemm_body(const GpuCommands& gpu, F&& f) {
  for (const program::Command& command : gpu.commands)
    if (const auto* launch = std::get_if<Launch>(&command.action))
      if (const auto* gemm = std::get_if<GemmBody>(&launch->body)) f(*gemm);
}

struct Pieces {
  std::vector<const GemmBody*> all;
  bool alike(View GemmBody::*view) const {
    return std::ranges::all_of(all, [&](const GemmBody* g) { return g->*view == all[0]->*view; });
  }
  bool adding(std::size_t from) const {
    return std::all_of(all.begin() + narrow<std::ptrdiff_t>(from), all.end(),
                       [](const GemmBody* g) { return g->accumulate; });
  }
  bool any_adds() const {
    return std::ranges::any_of(all, [](const GemmBody* g) { return g->accumulate; });
  }
  std::uint64_t sum(std::uint64_t (*extent)(const GemmBody&)) const {
    std::uint64_t sum = 0;
    for (const GemmBody* g : all) sum += extent(*g);
    return sum;
  }
};

struct Extents {
  std::uint64_t m = 0, n = 0, k = 0;
};

// Of the GEMM that they are pieces of.
std::optional<Extents> united(const Pieces& pieces) {
  if (pieces.all.size() < 2) return std::nullopt;
  const GemmBody& first = *pieces.all[0];
  Extents whole{first.c.rows, first.c.columns, first.a.columns};
  if (pieces.alike(&GemmBody::c) && pieces.adding(1))
    whole.k = pieces.sum([](const GemmBody& g) { return g.a.columns; });
  else if (pieces.alike(&GemmBody::b) && !pieces.any_adds())
    whole.m = pieces.sum([](const GemmBody& g) { return g.c.rows; });
  else if (pieces.alike(&GemmBody::a) && !pieces.any_adds())
    whole.n = pieces.sum([](const GemmBody& g) { return g.c.columns; });
  else
    return std::nullopt;
  return whole;
}

std::string array_text(const Program& program, const char* name, const View& like, std::uint64_t rows,
                       std::uint64_t columns) {
  const program::Array& array = program.arrays[like.array];
  return fmt::format("  {}: {{rows: {}, columns: {}, type: {}, column_major: {}}}\n", name, rows, columns,
                     to_string(array.type), array.column_major);
}

}  // namespace

bool communicates(const program::Action& action) {
  if (std::holds_alternative<program::Copy>(action) || std::holds_alternative<program::Collective>(action))
    return true;
  const auto* launch = std::get_if<Launch>(&action);
  const auto* sum = launch ? std::get_if<program::SumBody>(&launch->body) : nullptr;
  return sum && !sum->from.empty() && sum->to.gpu != sum->from[0].gpu;
}

bool computes(const program::Action& action) {
  return std::holds_alternative<Launch>(action) && !communicates(action);
}

bool PartOfProgram::empty() const {
  return std::ranges::all_of(program.gpus, [](const GpuCommands& gpu) { return gpu.commands.empty(); });
}

PartOfProgram kernels_alone(const Program& program, const ProgramResult& result, bool only_gemms) {
  PartOfProgram part = nothing_of(program);
  for (std::size_t g = 0; g < program.gpus.size(); ++g)
    for (const std::uint32_t c : by_begin(result.gpus[g])) {
      program::Command command = program.gpus[g].commands[c];
      auto* launch = std::get_if<Launch>(&command.action);
      if (!launch || communicates(command.action)) continue;
      if (only_gemms && !std::holds_alternative<GemmBody>(launch->body)) continue;
      launch->waits = {};
      launch->stores = {};
      launch->sets = {};
      command.stream = 0;
      add(part, g, std::move(command), c);
    }
  return part;
}

PartOfProgram communication_alone(const Program& program) {
  PartOfProgram part = nothing_of(program);
  for (std::uint32_t g = 0; g < program.gpus.size(); ++g)
    for (std::uint32_t c = 0; c < program.gpus[g].commands.size(); ++c) {
      const program::Command& command = program.gpus[g].commands[c];
      const auto* launch = std::get_if<Launch>(&command.action);
      if (communicates(command.action))
        add(part, g, command, c);
      else if (launch && !launch->stores.empty())
        add_stores(part, program, g, command);
    }
  return part;
}

std::optional<Program> whole_gemm(const Config& config, const Program& program) {
  Pieces pieces;
  for (const GpuCommands& gpu : program.gpus) {
    Pieces own;
    each_gemm_body(gpu, [&](const GemmBody& gemm) { own.all.push_back(&gemm); });
    if (own.all.size() > pieces.all.size()) pieces = std::move(own);
  }
  const std::optional<Extents> whole = united(pieces);
  if (!whole) return std::nullopt;
  const GemmBody& like = *pieces.all[0];
  const std::string text = fmt::format(
      "name: one GEMM\narrays:\n{}{}{}streams: {{s: [{{launch: {{gemm: {{a: a, b: b, c: c}}}}}}]}}\n",
      array_text(program, "a", like.a, whole->m, whole->k),
      array_text(program, "b", like.b, whole->k, whole->n),
      array_text(program, "c", like.c, whole->m, whole->n));
  program::Setting setting;
  setting.gpus = program.gpu_count;
  setting.cus = narrow<std::uint32_t>(config.gpu.cus);
  setting.kernel = machine_kernels(config);
  return program::evaluate(program::read_text(text, "one GEMM"), setting);
}

Program whole_copies(const Program& communication) {
  constexpr std::uint64_t kRowBytes = 4096;
  PartOfProgram whole = nothing_of(communication);
  // By GPU whose engine it is, source and target.
  std::map<std::array<std::uint32_t, 3>, std::pair<std::uint64_t, program::Command>> ways;
  for (std::uint32_t g = 0; g < communication.gpus.size(); ++g)
    for (const program::Command& command : communication.gpus[g].commands) {
      const auto* copy = std::get_if<program::Copy>(&command.action);
      if (!copy) {
        add(whole, g, command, PartOfProgram::kNew);
        continue;
      }
      auto& [bytes, first] = ways.try_emplace({g, copy->from.gpu, copy->to.gpu}, 0, command).first->second;
      bytes += bytes_of(communication, copy->from);
    }
  std::uint64_t most = kRowBytes;
  for (const auto& [way, what] : ways) most = std::max(most, what.first);
  program::Array array;
  array.columns = kRowBytes / 2;
  array.rows = (most + kRowBytes - 1) / kRowBytes;
  array.copies = 2 * communication.gpu_count;  // one for each way in, and out
  array.pitch_bytes = kRowBytes;
  array.stride_bytes = align_up(array.rows * kRowBytes, 2 << 20);
  array.address = align_up(communication.end_address, 2 << 20);
  array.on.assign(communication.gpu_count, true);
  whole.program.arrays.push_back(array);
  const auto number = narrow<std::uint32_t>(whole.program.arrays.size() - 1);
  for (auto& [way, what] : ways) {
    const auto [issuer, from, to] = way;
    const std::uint64_t rows = (what.first + kRowBytes - 1) / kRowBytes;
    std::vector<std::string>& streams = whole.program.gpus[issuer].streams;
    what.second.stream = narrow<std::uint32_t>(streams.size());
    streams.push_back(fmt::format("GPU {} to GPU {}", from, to));
    what.second.action =
        program::Copy{{number, from, to, 0, rows, 0, array.columns},
                      {number, to, communication.gpu_count + from, 0, rows, 0, array.columns}};
    add(whole, issuer, std::move(what.second), PartOfProgram::kNew);
  }
  whole.program.end_address = array.address + array.copies * array.stride_bytes;
  return std::move(whole.program);
}

}  // namespace t3sim
