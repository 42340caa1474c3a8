#include "runtime/seen_companies.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/number.h"
#include "config/load.h"
#include "runtime/load_program.h"
#include "runtime/sampling.h"

namespace t3sim {
namespace {

// A GEMM that takes no longer is noticeably shorter behind another one like it, whose B it finds in a cache.
constexpr double kWarmUs = 400;
// Of a program's few GEMMs each is sampled, so that shorter runs than a program's do.
constexpr double kFasterBy = 4;

// So many in a row, as pieces of rows, or of K where A is a slice of a wider array; as a program of its own, on the first of two GPUs.
Config gemms_alone(Config config, const program::Program& program, const program::GemmBody& gemm,
                   std::uint64_t count) {
  const GemmShape& shape = gemm.spec.shape;
  const std::uint64_t slices = program.arrays[gemm.a.array].columns / shape.k;
  const bool along_k = gemm.accumulate || slices > 1;
  const std::uint64_t pieces = along_k ? std::max(slices, count) : count;
  config.workload.name.clear();
  config.program.file = "decomposed-gemm";
  config.program.parameters = {{"m", shape.m * (along_k ? 1 : pieces)},
                               {"n", shape.n},
                               {"k", shape.k * (along_k ? pieces : 1)},
                               {"pieces", pieces},
                               {"count", count},
                               {"along_k", along_k},
                               {"first_adds", gemm.accumulate}};
  config.gpus.choice = config.gpus.model = GpuModel::explicit_;
  config.gpus.count = 2;
  config.run.sampling = SamplingChoice::automatic;
  return config;
}

bool alike(const GemmSpec& a, const GemmSpec& b) {
  return a.shape == b.shape && a.type == b.type && a.tile == b.tile && a.split_k == b.split_k &&
         a.wavefronts == b.wavefronts && a.buffers == b.buffers && a.cluster == b.cluster &&
         a.persistent == b.persistent && a.layout == b.layout;
}

const GemmSpec& first_gemm(const program::Program& program) {
  return gemm_of(program.gpus[0].commands[0])->spec;
}

// Of its last GEMM.
double tail_us(const Config& config, const ProgramResult::OneGpu& gpu) {
  if (gpu.times.empty()) return 0;
  const CommandTimes& last = gpu.times.back();
  const Tick placed = last.residence.all_placed;
  return placed < last.done ? time_base(config).to_us(last.done - placed) : 0;
}

GemmsAlone::Alone simulate(const Config& config) {
  const SampledRun run = run_sampled(config, load_program(config), {}, 1, kShortRun / kFasterBy);
  GemmsAlone::Alone alone{run.result.time_us,
                          run.sample ? run.sample->error_us : 0,
                          tail_us(config, run.result.gpus[0]),
                          {},
                          run.result.events,
                          run.result.host_seconds};
  for (std::size_t t = 0; t < kTraffics; ++t) {
    const auto traffic = static_cast<Traffic>(t);
    const DramBytes& dram = run.result.gpus[0].dram;
    alone.dram[t] = {ratio(real(dram.read(traffic)), alone.us), ratio(real(dram.written(traffic)), alone.us)};
  }
  return alone;
}

}  // namespace

GemmsAlone& GemmsAlone::of_this_process() {
  static GemmsAlone all;
  return all;
}

GemmsAlone::Alone GemmsAlone::of(const Config& config, const program::Program& program,
                                 const program::GemmBody& gemm) {
  const Config alone = gemms_alone(config, program, gemm, 1);
  if (!alike(first_gemm(load_program(alone)), gemm.spec))
    throw InputError("run.sampling: phases knows GEMMs by the machine's own kernels only");
  std::promise<Alone> promise;
  std::unique_lock lock(mutex_);
  const auto [found, first] = made_.try_emplace(config::write(alone), promise.get_future().share());
  const std::shared_future<Alone> made = found->second;
  lock.unlock();
  if (!first) return made.get();
  try {
    const Alone one = simulate(alone);
    // Behind one that does not add, the next slice of K does.
    const bool may_follow = gemm.accumulate || alone.program.parameters.at("along_k") == 0;
    if (one.us > kWarmUs || !may_follow) {
      promise.set_value(one);
    } else {
      const Alone two = simulate(gemms_alone(config, program, gemm, 2));
      promise.set_value({two.us - one.us, one.error_us + two.error_us, two.tail_us, two.dram,
                         one.events + two.events, one.host_seconds + two.host_seconds});
    }
  } catch (...) {
    promise.set_exception(std::current_exception());
  }
  return made.get();
}

namespace {

// Commands of one kind share a way if they come from the same GPU, or places if they are on the same CUs.
std::string shared_by(const program::Command& command) {
  if (const auto* copy = std::get_if<program::Copy>(&command.action))
    return fmt::format("GPU {}", copy->from.gpu);
  const auto& launch = std::get<program::Launch>(command.action);
  return launch.cus == 0 ? "" : fmt::format("CU {}", launch.first_cu);
}

}  // namespace

// Besides the kinds, which of them share something; what it is makes no difference.
std::string SeenCompanies::key_of(const std::vector<Member>& sorted,
                                  const std::vector<std::string>& kinds) const {
  std::string key;
  std::vector<std::string> shared;
  for (const Member& member : sorted) {
    const std::string by = shared_by(program_.gpus[0].commands[member.command]);
    const auto known = std::ranges::find(shared, by);
    key += fmt::format("{} {}\n", kinds[member.command], known - shared.begin());
    if (known == shared.end()) shared.push_back(by);
  }
  return key;
}

Paces SeenCompanies::paces(const std::vector<Member>& members) {
  std::vector<std::string> kinds(program_.gpus[0].commands.size());  // by command
  for (const Member& member : members)
    kinds[member.command] = kind_of(program_, program_.gpus[0].commands[member.command]);
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto kind = [&](std::size_t i) -> const std::string& { return kinds[members[order[i]].command]; };
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return kinds[members[i].command]; });
  std::vector<Member> sorted;
  for (const std::size_t i : order) sorted.push_back(members[i]);
  const auto [found, fresh] = seen_.try_emplace(key_of(sorted, kinds));
  if (fresh) {
    found->second = paces_of(config_, program_, sorted);
    events_ += found->second.events;
    host_seconds_ += found->second.host_seconds;
  }
  Paces paces = found->second;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    double pace = 0, place = 0;
    for (; end < order.size() && kind(end) == kind(i); ++end) {
      pace += found->second.bytes_per_us[end];
      place += found->second.place_us[end];
    }
    for (const std::size_t first = i; i < end; ++i) {
      paces.bytes_per_us[order[i]] = pace / real(end - first);
      paces.place_us[order[i]] = place / real(end - first);
    }
  }
  return paces;
}

}  // namespace t3sim
