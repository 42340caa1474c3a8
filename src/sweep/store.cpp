#include "sweep/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/error.h"

namespace t3sim::sweep {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPlan = "plan.jsonl";

// Nothing is put among files that are not ours.
void check_ours(const std::string& path) {
  if (fs::exists(path) && !fs::is_directory(path))
    throw InputError(fmt::format("-o {}: is a file, not a directory", path));
  if (!fs::exists(path) || fs::exists(fs::path(path) / kPlan)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (name != "points" && name != "driver" && name.find(".partial-") == name.npos)
      throw InputError(
          fmt::format("-o {}: holds \"{}\", which t3sim sweep did not write: name a new or empty "
                      "directory",
                      path, name));
  }
}

}  // namespace

Store Store::open(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(fs::path(path) / kPlan, ignored))
    throw InputError(fmt::format("{}: no sweep was planned here (no {})", path, kPlan));
  return Store(path);
}

Store Store::make(const std::string& path) {
  if (path.empty()) throw InputError("-o: the name of the directory is empty");
  try {
    check_ours(path);
    make_directories((fs::path(path) / "points").string());
    const std::string probe = partial_name(path + "/plan");
    write_whole(probe, "");
    ::unlink(probe.c_str());
  } catch (const fs::filesystem_error& e) {
    throw InputError(fmt::format("-o {}: cannot be written: {}", path, e.code().message()));
  } catch (const StorageError& e) {
    throw InputError(fmt::format("-o {}: {}", path, e.what()));
  }
  return Store(path);
}

std::optional<Plan> Store::plan() const {
  const std::optional<std::string> text = read_file(file(kPlan));
  if (!text) return std::nullopt;
  try {
    return parse_plan(*text);
  } catch (const std::runtime_error& e) {
    throw InputError(fmt::format("{}: not a plan of this t3sim: {}", file(kPlan), e.what()));
  }
}

void Store::write_plan(const Plan& plan) const { write_whole(file(kPlan), plan_text(plan)); }

std::optional<PointResult> Store::result(const Point& point) const {
  const std::optional<std::string> text = read_file(file("points/" + point.key));
  return text ? parse_result(*text, point.key) : std::nullopt;
}

void Store::write_result(const Point& point, const PointResult& result) const {
  write_whole(file("points/" + point.key), result_text(point.key, result));
}

std::optional<std::string> Store::failure(const Point& point) const {
  return read_file(file(fmt::format("points/{}.failed", point.key)));
}

void Store::write_failure(const Point& point, const std::string& why) const {
  write_whole(file(fmt::format("points/{}.failed", point.key)), why);
}

void Store::forget_failure(const Point& point) const {
  ::unlink(file(fmt::format("points/{}.failed", point.key)).c_str());
}

std::optional<FileLock> Store::claim(const Point& point) const {
  return FileLock::take(file(fmt::format("points/{}.claim", point.key)), false,
                        fmt::format("{} point {}\n", process_name(), point.index));
}

bool Store::claimed(const Point& point) const {
  return FileLock::holder(file(fmt::format("points/{}.claim", point.key))).has_value();
}

void Store::clean(bool all) const {
  std::error_code ignored;
  for (const std::string& folder : {path_, file("points")})
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      const bool partial = name.find(".partial-") != name.npos;
      const bool claim = all && name.ends_with(".claim");
      const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
      if ((partial && (all || age > std::chrono::hours(1))) || claim) fs::remove(entry.path(), ignored);
    }
}

}  // namespace t3sim::sweep
