#include "program/traffic.h"

#include "program/views.h"
#include "program/writes.h"

namespace t3sim::program {
namespace {

using Matrix = std::vector<std::vector<std::uint64_t>>;

struct Counter {
  const Program& program;
  std::uint32_t gpu;
  Matrix& bytes;

  void move(std::uint32_t from, std::uint32_t to, const View& view) const {
    if (from != to) bytes[from][to] += bytes_of(program, view);
  }
  void operator()(const Copy& copy) const { move(copy.from.gpu, copy.to.gpu, copy.from); }
  void operator()(const Launch& launch) const {
    if (const auto* sum = std::get_if<SumBody>(&launch.body); sum && launch.stores.empty()) {
      for (const View& from : sum->from) move(from.gpu, gpu, from);
      move(gpu, sum->to.gpu, sum->to);
    }
    for (const Access& target : targets_of(program, launch)) move(gpu, target.view.gpu, target.view);
  }
  template <class Other>
  void operator()(const Other&) const {}
};

}  // namespace

Work work_of(const GpuCommands& gpu, const Program& program) {
  Work work;
  for (const Command& command : gpu.commands) {
    if (const auto* launch = std::get_if<Launch>(&command.action))
      if (const auto* gemm = std::get_if<GemmBody>(&launch->body)) {
        ++work.gemms;
        work.flops += 2 * gemm->c.rows * gemm->c.columns * gemm->a.columns;
      }
    if (const auto* collective = std::get_if<Collective>(&command.action)) {
      ++work.collectives;
      work.collective_bytes += bytes_of(program, collective->in);
    }
  }
  return work;
}

Matrix bytes_between(const Program& program) {
  Matrix bytes(program.gpu_count, std::vector<std::uint64_t>(program.gpu_count));
  for (std::uint32_t gpu = 0; gpu < program.gpu_count; ++gpu)
    for (const Command& command : program.gpus[gpu].commands)
      std::visit(Counter{program, gpu, bytes}, command.action);
  return bytes;
}

}  // namespace t3sim::program
