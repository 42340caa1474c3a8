#include "runtime/seen_companies.h"

#include <algorithm>

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
constexpr std::uint64_t kFewest = 8;  // 512 of K; where the line is not straight, four times as many follow

// So many in a row, as pieces of rows, or of K where A is a slice of a wider array; as a program of its own, on the first of two GPUs.
Config gemms_alone(Config config, const program::Program& program, const program::GemmBody& gemm,
                   std::uint64_t count) {
  const GemmShape& shape = gemm.spec.shape;
  const std::uint64_t slices = program.arrays[gemm.a.array].columns / shape.k;
  const bool along_k = gemm.accumulate || slices > 1;
  const std::uint64_t pieces = along_k ? std::max(slices, count) : count;
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

void check_kernel(const program::Program& program, const GemmSpec& asked) {
  const auto& launch = std::get<program::Launch>(program.gpus[0].commands[0].action);
  const GemmSpec& spec = std::get<program::GemmBody>(launch.body).spec;
  if (!(spec.tile == asked.tile) || spec.split_k != asked.split_k || spec.type != asked.type)
    throw InputError("run.sampling: phases knows GEMMs by the machine's own kernels only");
}

}  // namespace

template <class Value>
Value CompanyLibrary::Made<Value>::of(const std::string& key, const std::function<Value()>& make) {
  std::promise<Value> promise;
  std::unique_lock lock(mutex_);
  const auto [found, first] = values_.try_emplace(key, promise.get_future().share());
  const std::shared_future<Value> value = found->second;
  lock.unlock();
  if (!first) return value.get();
  try {
    promise.set_value(make());
  } catch (...) {
    promise.set_exception(std::current_exception());
  }
  return value.get();
}

CompanyLibrary& CompanyLibrary::of_this_process() {
  static CompanyLibrary library;
  return library;
}

Paces CompanyLibrary::paces(const Config& config, const program::Program& program,
                            const std::vector<std::uint32_t>& commands) {
  std::vector<std::string> kinds;
  for (const std::uint32_t c : commands) kinds.push_back(kind_of(program.gpus[0].commands[c]));
  std::vector<std::size_t> order(commands.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return kinds[i]; });
  std::vector<std::uint32_t> sorted;
  std::string key = config::write(config);
  for (const std::size_t i : order) {
    sorted.push_back(commands[i]);
    key += kinds[i] + '\n';
  }
  const Paces of_sorted = paces_.of(key, [&] { return paces_of(config, program, sorted); });
  Paces paces = of_sorted;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    double pace = 0, place = 0;
    for (; end < order.size() && kinds[order[end]] == kinds[order[i]]; ++end) {
      pace += of_sorted.bytes_per_us[end];
      place += of_sorted.place_us[end];
    }
    for (const std::size_t first = i; i < end; ++i) {
      paces.bytes_per_us[order[i]] = pace / real(end - first);
      paces.place_us[order[i]] = place / real(end - first);
    }
  }
  return paces;
}

CompanyLibrary::Alone CompanyLibrary::gemm(const Config& config, const program::Program& program,
                                           const program::GemmBody& gemm) {
  const auto simulate = [&](std::uint64_t count) {
    const Config alone = gemms_alone(config, program, gemm, count);
    program::Program gemms = load_program(alone);
    for (program::SampledParameter& along : gemms.sampled) along.fewest = std::min(along.fewest, kFewest);
    check_kernel(gemms, gemm.spec);
    const SampledRun run = run_sampled(alone, gemms, {}, 1, kShortRun / kFasterBy);
    return Alone{run.result.time_us, run.sample ? run.sample->error_us : 0, run.result.events,
                 run.result.host_seconds};
  };
  return gemms_.of(config::write(gemms_alone(config, program, gemm, 1)), [&] {
    const Alone one = simulate(1);
    if (one.us > kWarmUs) return one;
    const Alone two = simulate(2);
    return Alone{two.us - one.us, one.error_us + two.error_us, one.events + two.events,
                 one.host_seconds + two.host_seconds};
  });
}

}  // namespace t3sim
