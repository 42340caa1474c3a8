// Programs written by hand for tests, on a small machine: two to four GPUs in a switch, 8 CUs each.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "machine/config.h"
#include "runtime/load_program.h"
#include "runtime/program_run.h"

namespace t3sim {

inline Config program_machine(std::uint32_t gpus) {
  Config config;
  config.workload.m = config.workload.n = 256;
  config.workload.k = 64;
  config.gpus.count = gpus;
  config.gpus.model = GpuModel::explicit_;
  config.topology.kind = TopologyKind::switched;
  config.topology.link.header_bytes = 32;
  config.gpu.cus = 8;
  config.memory.channels = 8;
  config.l2.slices = 16;
  config.l2.size_bytes = 1 << 20;
  config.l2.kernel_boundary = KernelBoundary::keep;
  config.l2.remote_writes = RemoteWrites::l2;
  return config;
}

// The same GPUs, each a node of its own with a network card, which takes puts from its GPU.
inline Config card_machine(std::uint32_t gpus) {
  Config config = program_machine(gpus);
  TopologyConfig& topology = config.topology;
  topology.kind = TopologyKind::graph;
  topology.card.queue = 4;
  topology.card.put_time_ps = 100'000;
  topology.card.puts = CardPuts::gpu;
  const std::string all = "[0-" + std::to_string(gpus - 1) + "]";
  VertexConfig& nic = topology.vertices["nic" + all];
  nic.kind = VertexKind::card;
  nic.latency_ps = 600'000;
  topology.vertices["ib"] = {};
  for (const auto& [from, to] : {std::pair{"gpu", "nic" + all}, {"nic", std::string("ib")}}) {
    LinkSpec link;
    link.from = from + all;
    link.to = to;
    topology.links.push_back(link);
  }
  return config;
}

// Why the configuration's program is refused; "" if it is not.
inline std::string refusal(const Config& config) {
  try {
    load_program(config);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

class HandProgram {
 public:
  explicit HandProgram(std::uint32_t gpus) {
    program_.name = "by hand";
    program_.gpu_count = gpus;
    program_.gpus.resize(gpus);
  }

  std::uint32_t array(const std::string& name, std::uint64_t rows, std::uint64_t columns) {
    program::Array array;
    array.name = name;
    array.rows = rows;
    array.columns = columns;
    array.address = next_;
    array.pitch_bytes = align_up(columns * 2, kLineBytes);
    array.stride_bytes = array.pitch_bytes * rows;
    next_ = align_up(next_ + array.stride_bytes, 2 << 20);
    program_.arrays.push_back(array);
    return narrow<std::uint32_t>(program_.arrays.size() - 1);
  }
  std::uint32_t signals(const std::string& name, std::uint32_t count) {
    program_.signals.push_back({name, count, next_, {}});
    next_ = align_up(next_ + std::uint64_t{count} * kLineBytes, 2 << 20);
    return narrow<std::uint32_t>(program_.signals.size() - 1);
  }
  program::View whole(std::uint32_t array, std::uint32_t gpu) const {
    const program::Array& a = program_.arrays[array];
    return {.array = array, .gpu = gpu, .rows = a.rows, .columns = a.columns};
  }
  // The kernel of c = a times b, tiles of 64 x 64.
  program::Launch gemm(std::uint32_t gpu, std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    program::GemmBody body{whole(a, gpu), whole(b, gpu), whole(c, gpu), {}, false};
    const auto extent = [&](std::uint64_t n) { return narrow<std::uint32_t>(n); };
    body.spec.shape = {extent(body.c.rows), extent(body.c.columns), extent(body.a.columns)};
    body.spec.tile = {64, 64, 32};
    body.spec.wavefronts = 4;
    body.spec.layout = GemmLayout::tt;
    body.spec.row_major_output = true;
    body.spec.a_address = program_.arrays[a].address;
    body.spec.b_address = program_.arrays[b].address;
    body.spec.c_address = program_.arrays[c].address;
    program::Launch launch;
    launch.body = body;
    return launch;
  }

  // Returns its number among those of the GPU.
  std::uint32_t issue(std::uint32_t gpu, const std::string& stream, program::Action action) {
    program::GpuCommands& own = program_.gpus[gpu];
    program::Command command;
    command.name = "command " + std::to_string(own.commands.size());
    command.place = {"by-hand.yaml", narrow<int>(own.commands.size()) + 1, 1};
    command.stream = number_of(own.streams, stream);
    command.action = std::move(action);
    own.commands.push_back(std::move(command));
    return narrow<std::uint32_t>(own.commands.size() - 1);
  }
  std::uint32_t event(std::uint32_t gpu, const std::string& name) {
    return number_of(program_.gpus[gpu].events, name);
  }
  std::uint32_t stream(std::uint32_t gpu, const std::string& name) {
    return number_of(program_.gpus[gpu].streams, name);
  }
  const program::Program& program() const { return program_; }

 private:
  static std::uint32_t number_of(std::vector<std::string>& names, const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return narrow<std::uint32_t>(found - names.begin());
    names.push_back(name);
    return narrow<std::uint32_t>(names.size() - 1);
  }

  program::Program program_;
  std::uint64_t next_ = 0;
};

inline double us(const Config& config, Tick ticks) { return time_base(config).to_us(ticks); }

}  // namespace t3sim
