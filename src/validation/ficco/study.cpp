#include "validation/ficco/study.h"

namespace t3sim::ficco {
namespace {

struct Program {
  std::string_view file;
  std::vector<std::pair<std::string, std::uint64_t>> parameters;
  bool copies = true;  // has no N
};

Program pieces(std::uint64_t count, bool along_k) {
  return {"gemms-beside-transfers", {{"pieces", count}, {"along_k", along_k}, {"transfers", 0}}, false};
}

Program program_of(Run run) {
  switch (run) {
    case Run::gemm:
      return pieces(1, false);
    case Run::rows8:
      return pieces(8, false);
    case Run::rows64:
      return pieces(64, false);
    case Run::columns8:
      return pieces(8, true);
    case Run::columns64:
      return pieces(64, true);
    case Run::gather:
      return {"gather", {}};
    case Run::gather_small:
      return {"gather", {{"chunks", 8}}};
    case Run::gather_p2p:
      return {"gather", {{"at_once", 0}}};
    case Run::serial:
      return {"ficco-serial", {}, false};
    case Run::shard_p2p:
      return {"ficco-shard-p2p", {}, false};
    case Run::uniform_1d:
      return {"ficco-uniform-fused-1d", {}, false};
    case Run::uniform_2d:
      return {"ficco-uniform-fused-2d", {}, false};
    case Run::hetero_fused:
      return {"ficco-hetero-fused-1d", {}, false};
    case Run::hetero_unfused:
      return {"ficco-hetero-unfused-1d", {}, false};
    case Run::rccl:
      return {"ficco-rccl", {}, false};
  }
  return {};
}

}  // namespace

const std::vector<Shape>& table_one() {
  static const std::vector<Shape> shapes{
      {"g1", 16384, 16384, 131072},   {"g2", 131072, 16384, 16384},  {"g3", 53248, 16384, 131072},
      {"g4", 131072, 53248, 16384},   {"g5", 8192, 8192, 262144},    {"g6", 262144, 8192, 8192},
      {"g7", 28672, 8192, 262144},    {"g8", 262144, 28672, 8192},   {"g9", 196608, 18432, 16384},
      {"g10", 196608, 106496, 16384}, {"g11", 1048576, 10240, 8192}, {"g12", 1048576, 57344, 8192},
      {"g13", 1607680, 57344, 8192},  {"g14", 147456, 28672, 4096},  {"g15", 327680, 28672, 4096},
      {"g16", 229376, 28672, 4096}};
  return shapes;
}

std::string_view to_string(Run run) {
  constexpr std::string_view kNames[] = {"gemm",
                                         "gemm-rows-8",
                                         "gemm-rows-64",
                                         "gemm-columns-8",
                                         "gemm-columns-64",
                                         "gather",
                                         "gather-in-8",
                                         "gather-p2p",
                                         "serial",
                                         "shard-p2p",
                                         "uniform-fused-1d",
                                         "uniform-fused-2d",
                                         "hetero-fused-1d",
                                         "hetero-unfused-1d",
                                         "ficco-rccl"};
  return kNames[static_cast<std::size_t>(run)];
}

Config configure(const Config& machine, const Shape& shape, Run run) {
  const Program program = program_of(run);
  Config config = machine;
  config.workload.name = std::string(shape.name) + " " + std::string(to_string(run));
  for (std::uint32_t* extent : {&config.workload.m, &config.workload.n, &config.workload.k})
    *extent = 128;  // of no GEMM that runs: those are the program's
  config.program.file = program.file;
  config.program.parameters = {{"m", shape.m}, {"k", shape.k}};
  if (!program.copies) config.program.parameters["n"] = shape.own_n();
  for (const auto& [name, value] : program.parameters) config.program.parameters[name] = value;
  config.gpus.choice = GpuModel::mirror;
  config.run.sampling = SamplingChoice::phases;
  return config;
}

Run heuristic(const Shape& shape, double threshold_flops) {
  if (shape.m <= shape.k) return Run::uniform_2d;
  if (shape.flops() < threshold_flops) return Run::uniform_1d;
  return shape.flops() > kUnfusedTimes * threshold_flops ? Run::hetero_unfused : Run::hetero_fused;
}

}  // namespace t3sim::ficco
