#include "plan/plan_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <span>
#include <sstream>

#include "base/error.h"
#include "base/nearest.h"

namespace t3sim {
namespace plan_library {

extern const std::span<const BuiltIn> kBuiltIn;  // written by cmake/embed_yaml.cmake

namespace {

bool is_path(const std::string& name) {
  return name.find('/') != name.npos || std::filesystem::path(name).extension() == ".yaml";
}

PlanFile read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(path + ": is a directory, not a collective");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": no such file, or it cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return read_plan_file(text.str(), path);
}

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const BuiltIn& collective : kBuiltIn) all.emplace_back(collective.name);
  std::ranges::sort(all);
  return all;
}

PlanFile read(const std::string& name_or_path) {
  if (is_path(name_or_path)) return read_file(name_or_path);
  const auto found = std::ranges::find(kBuiltIn, name_or_path, &BuiltIn::name);
  if (found != kBuiltIn.end())
    return read_plan_file(std::string(found->text), fmt::format("collectives/{}.yaml", found->name));
  const std::string near = nearest(name_or_path, names());
  throw InputError(fmt::format("no collective \"{}\"; {}allowed: {}, or a file (NAME.yaml)", name_or_path,
                               near.empty() ? "" : fmt::format("did you mean {}? ", near),
                               fmt::join(names(), ", ")));
}

CollectivePlan load(const std::string& name_or_path, std::uint32_t gpus, std::uint32_t node_size,
                    const std::map<std::string, std::int64_t>& parameters) {
  return make_plan(read(name_or_path), {gpus, node_size, parameters});
}

}  // namespace plan_library

namespace {

// Runs ask for the rings again and again, from several threads in tests.
const CollectivePlan& cached(const char* name, std::uint32_t gpus) {
  static std::mutex lock;
  static std::map<std::pair<std::string, std::uint32_t>, CollectivePlan> plans;
  const std::lock_guard<std::mutex> guard(lock);
  auto entry = plans.find({name, gpus});
  if (entry == plans.end())
    entry = plans.emplace(std::pair(std::string(name), gpus), plan_library::load(name, gpus)).first;
  return entry->second;
}

}  // namespace

CollectivePlan fused_ring_reduce_scatter(std::uint32_t gpus) { return cached("ring-reduce-scatter", gpus); }
CollectivePlan dma_ring_reduce_scatter(std::uint32_t gpus) { return cached("ring-reduce-scatter-dma", gpus); }

}  // namespace t3sim
