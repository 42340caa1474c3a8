#include "runtime/mirrored.h"

#include <fmt/format.h>

#include "base/number.h"
#include "runtime/mark.h"
#include "runtime/signal_memory.h"

namespace t3sim {

using program::Launch;
using program::Program;
using program::View;

namespace {

std::uint32_t turned(const Program& program, std::uint32_t gpu, std::uint32_t by) {
  return (gpu + by) % program.gpu_count;
}

bool same_size(const View& a, const View& b) {
  return a.array == b.array && a.rows == b.rows && a.columns == b.columns;
}

// The view of GPU 0, turned by `rank`, is that of GPU `rank`, wherever it is in the array.
bool alike(const Program& program, const View& of_0, const View& other, std::uint32_t rank) {
  return same_size(of_0, other) && turned(program, of_0.gpu, rank) == other.gpu;
}

bool by_tile(const Launch& launch) {
  return !launch.then.empty() || !launch.waits.empty() || !launch.stores.empty() || !launch.sets.empty();
}

// Compares a command of GPU 0 with the same one of another GPU.
struct Alike {
  const Program& program;
  std::uint32_t rank;

  bool operator()(const program::Copy& a, const program::Copy& b) const {
    return alike(program, a.from, b.from, rank) && alike(program, a.to, b.to, rank);
  }
  bool operator()(const program::SetSignal& a, const program::SetSignal& b) const {
    return turned(program, a.set.word.gpu, rank) == b.set.word.gpu && a.set.value == b.set.value &&
           a.set.add == b.set.add && a.set.word.signals == b.set.word.signals;
  }
  bool operator()(const Launch& a, const Launch& b) const {
    if (by_tile(a) || by_tile(b) || a.body.index() != b.body.index() || a.cus != b.cus) return false;
    if (const auto* gemm = std::get_if<program::GemmBody>(&a.body)) {
      const auto& other = std::get<program::GemmBody>(b.body);
      return same_size(gemm->a, other.a) && same_size(gemm->b, other.b) && same_size(gemm->c, other.c) &&
             gemm->accumulate == other.accumulate;
    }
    const auto* sum = std::get_if<program::SumBody>(&a.body);
    return sum && (*this)(*sum, std::get<program::SumBody>(b.body));
  }
  // What it stores in another GPU must lie at one address everywhere: its stores do not say whose they are.
  bool operator()(const program::SumBody& a, const program::SumBody& b) const {
    if (!alike(program, a.to, b.to, rank) || a.from.size() != b.from.size()) return false;
    const bool remote = a.to.gpu != 0;
    return !remote || extent_of(program, a.to).address == extent_of(program, b.to).address;
  }
  // Its connections lead to the GPU so many further on, the same on every GPU, and FIFOs lie at the same addresses.
  bool operator()(const program::Collective& a, const program::Collective& b) const {
    return a.kind == b.kind && a.number == b.number && a.channels == b.channels &&
           a.low_latency == b.low_latency && same_size(a.in, b.in) && same_size(a.out, b.out);
  }
  template <class Same>
  bool operator()(const Same&, const Same&) const {
    return true;
  }
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return false;
  }
};

}  // namespace

std::string why_no_mirror(const Program& program) {
  const std::vector<program::Command>& first = program.gpus[0].commands;
  for (std::uint32_t rank = 1; rank < program.gpu_count; ++rank) {
    const std::vector<program::Command>& commands = program.gpus[rank].commands;
    if (commands.size() != first.size())
      return fmt::format("GPU 0 has {} commands and GPU {} has {}", first.size(), rank, commands.size());
    for (std::size_t i = 0; i < first.size(); ++i)
      if (commands[i].stream != first[i].stream ||
          !std::visit(Alike{program, rank}, first[i].action, commands[i].action))
        return fmt::format("\"{}\" of GPU 0 and \"{}\" of GPU {} are not alike, or not looked into",
                           first[i].name, commands[i].name, rank);
  }
  return {};
}

std::string why_no_mirror(const Config& config, const Program& program) {
  const TopologyKind kind = config.topology.kind;
  if (kind == TopologyKind::two_level || is_network(kind))
    return fmt::format("topology.kind: {} is not the same seen from every GPU", to_string(kind));
  if (!config.gpus.overrides.empty()) return "GPUs differ (gpus.overrides)";
  if (config.run.functional) return "every GPU has numbers of its own (run.functional)";
  return why_no_mirror(program);
}

std::uint32_t turned_copy(const ProgramTables& tables, std::uint32_t copy, std::uint32_t gpu) {
  return tables.copy_of(gpu, tables.copies[copy].command);
}

void ProgramMirror::operator()(Request& request, std::uint32_t distance) const {
  const Mark mark = Mark::of(request.tile);
  const auto away = program_.gpu_count - distance;
  if (mark.kind == MarkKind::copy) {
    const ProgramTables::Copy& copy = tables_.copies[mark.number];
    const std::uint32_t there = turned_copy(tables_, mark.number, turned(program_, copy.gpu, away));
    request.address += extent_of(program_, tables_.copies[there].what->to).address -
                       extent_of(program_, copy.what->to).address;
    request.tile = Mark{MarkKind::copy, there}.tile();
  } else if (mark.kind == MarkKind::signal) {
    const ProgramTables::Setter& setter = tables_.setters[mark.number];
    const std::uint32_t there = tables_.setting_of(turned(program_, setter.gpu, away), setter.command);
    request.address = address_of(program_, tables_.settings[there].word);
    request.tile = Mark{MarkKind::signal, there}.tile();
  }
}

}  // namespace t3sim
