#include "runtime/mirrored.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "runtime/mark.h"
#include "runtime/mirrored_words.h"
#include "runtime/signal_memory.h"

namespace t3sim {

using program::Launch;
using program::Program;
using program::View;

namespace {

bool same_size(const View& a, const View& b) {
  return a.array == b.array && a.rows == b.rows && a.columns == b.columns;
}

// The view of GPU 0, turned by `rank`, is that of GPU `rank`, wherever it is in the array.
bool alike(const Program& program, const View& of_0, const View& other, std::uint32_t rank) {
  return same_size(of_0, other) && turned(program, of_0.gpu, rank) == other.gpu;
}

bool by_tile(const Launch& launch) {
  return !launch.then.empty() || !launch.order.empty() || !launch.waits.empty() || !launch.stores.empty() ||
         !launch.sets.empty();
}

// Compares what kernels do of GPU 0 and of another GPU, but for places.
struct BodiesAlike {
  const Program& program;
  std::uint32_t rank;

  bool operator()(const program::GemmBody& a, const program::GemmBody& b) const {
    return alike(program, a.a, b.a, rank) && alike(program, a.b, b.b, rank) &&
           alike(program, a.c, b.c, rank) && a.accumulate == b.accumulate;
  }
  bool operator()(const program::SumBody& a, const program::SumBody& b) const {
    return alike(program, a.to, b.to, rank) && a.add == b.add &&
           std::ranges::equal(a.from, b.from,
                              [&](const View& x, const View& y) { return alike(program, x, y, rank); });
  }
  bool operator()(const program::GemvBody& a, const program::GemvBody& b) const {
    return same_size(a.w, b.w) && same_size(a.y, b.y) && a.wavefronts == b.wavefronts &&
           a.rows_per_wavefront == b.rows_per_wavefront && a.unroll == b.unroll;
  }
  bool operator()(const program::PollBody& a, const program::PollBody& b) const { return a.tiles == b.tiles; }
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return false;
  }
};

// Compares a command of GPU 0 with the same one of another GPU.
struct Alike {
  const Program& program;
  const MirroredWords& words;
  std::uint32_t rank;

  bool operator()(const program::Copy& a, const program::Copy& b) const {
    return alike(program, a.from, b.from, rank) && alike(program, a.to, b.to, rank);
  }
  bool operator()(const program::SetSignal& a, const program::SetSignal& b) const {
    return turned(program, a.set.word.gpu, rank) == b.set.word.gpu && a.set.value == b.set.value &&
           a.set.add == b.set.add && a.set.word.signals == b.set.word.signals;
  }
  bool operator()(const Launch& a, const Launch& b) const {
    const auto same = [&](const program::Body& x, const program::Body& y) {
      return std::visit(BodiesAlike{program, rank}, x, y);
    };
    return a.cus == b.cus && a.workgroups == b.workgroups && same(a.body, b.body) &&
           std::ranges::equal(a.then, b.then, same, &program::Phase::body, &program::Phase::body) &&
           (!(by_tile(a) || by_tile(b)) || tiles_alike(program, a, b, words, rank));
  }
  bool operator()(const program::WaitSignal& a, const program::WaitSignal& b) const {
    return words.alike({&a.wait, 1}, {&b.wait, 1}) && a.reset == b.reset;
  }
  bool operator()(const program::SyncSignal& a, const program::SyncSignal& b) const {
    return words.alike({&a.wait, 1}, {&b.wait, 1});
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
  for (std::uint32_t rank = 1; rank < program.gpu_count; ++rank)
    if (const std::size_t commands = program.gpus[rank].commands.size(); commands != first.size())
      return fmt::format("GPU 0 has {} commands and GPU {} has {}", first.size(), rank, commands);
  for (std::uint32_t rank = 1; rank < program.gpu_count; ++rank) {
    const std::vector<program::Command>& commands = program.gpus[rank].commands;
    const MirroredWords words(program, rank);
    if (!words.correspond()) return fmt::format("what sets a word of GPU 0 sets others of GPU {}", rank);
    for (std::size_t i = 0; i < first.size(); ++i)
      if (commands[i].stream != first[i].stream ||
          !std::visit(Alike{program, words, rank}, first[i].action, commands[i].action))
        return fmt::format("\"{}\" of GPU 0 and \"{}\" of GPU {} are not alike, or not looked into",
                           first[i].name, commands[i].name, rank);
  }
  return MirroredStores(program).why_not();
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

ProgramMirror::ProgramMirror(const Program& program, const ProgramTables& tables)
    : program_(program), tables_(tables), stores_(program) {
  const std::vector<program::Command>& first = program.gpus[0].commands;
  for (std::uint32_t c = 0; c < first.size(); ++c) {
    const auto* launch = std::get_if<Launch>(&first[c].action);
    if (!launch || launch->sets.empty()) continue;
    for (const program::GpuCommands& gpu : program.gpus)
      tiles_[c].push_back(counterparts(*launch, std::get<Launch>(gpu.commands[c].action)));
  }
}

std::uint32_t ProgramMirror::turned_setting(std::uint32_t setting, std::uint32_t sender) const {
  const ProgramTables::Setter& setter = tables_.setters[setting];
  if (!tables_.set_by_kernel[setting]) return tables_.setting_of(sender, setter.command);
  const std::uint32_t tile = tiles_.at(setter.command)[sender][setter.tile];
  return tables_.settings_of(sender, setter.command, tile) + setter.nth;
}

void ProgramMirror::operator()(Request& request, std::uint32_t distance) const {
  const Mark mark = Mark::of(request.tile);
  const std::uint32_t sender = program_.gpu_count - distance;
  if (mark.kind == MarkKind::copy) {
    const std::uint32_t asked = turned(program_, tables_.copies[mark.number].gpu, sender);
    const std::uint32_t there = turned_copy(tables_, mark.number, asked);
    request.address += extent_of(program_, tables_.copies[there].what->to).address -
                       extent_of(program_, tables_.copies[mark.number].what->to).address;
    request.tile = Mark{MarkKind::copy, there}.tile();
  } else if (mark.kind == MarkKind::signal) {
    const std::uint32_t there = turned_setting(mark.number, sender);
    request.address = address_of(program_, tables_.settings[there].word);
    request.tile = Mark{MarkKind::signal, there}.tile();
  } else if (mark.kind == MarkKind::none) {
    request.address = stores_.moved(request.address, distance);
  }
}

}  // namespace t3sim
