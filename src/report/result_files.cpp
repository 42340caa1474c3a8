#include "report/result_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "base/sha256.h"
#include "report/refuse.h"
#include "results/build_info.h"
#include "results/manifest.h"

namespace t3sim::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kCommands = "commands.csv";  // programs have it, schemes have not

// Without these there is nothing to report.
std::vector<const char*> needed_of(ResultKind kind) {
  if (kind == ResultKind::program) return {"results.json", kCommands, "config.yaml"};
  return {"results.json", "stats.csv", "series.csv", "config.yaml"};
}

std::optional<std::string> read(const fs::path& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!fs::is_regular_file(path, ignored) || !file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Json read_manifest(const std::string& directory) {
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored))
    refuse(directory, fs::exists(directory, ignored) ? "is no directory" : "there is no such directory");
  const std::optional<std::string> text = read(fs::path(directory) / kManifest);
  if (!text)
    refuse(directory, "holds no manifest.json: not a result of t3sim run or t3sim sweep, or not all of one");
  Json manifest = Json::parse(*text, nullptr, false);
  if (!manifest.is_object() || manifest.value("program", Json()) != kManifestProgram)
    refuse(directory + "/" + kManifest, "not a manifest of t3sim");
  return manifest;
}

void check_version(const std::string& where, const Json& manifest) {
  const Json version = manifest.value("version", Json());
  if (version != kBuildInfo.version)
    refuse(where, fmt::format("written by t3sim {}, and this is {}: run it again with this one",
                              version.is_string() ? version.get<std::string>() : "of unknown version",
                              kBuildInfo.version));
  if (manifest.value("schema", Json(1)) != kManifestSchema)
    refuse(where,
           fmt::format("written by an earlier or later t3sim (files of schema {}, this one reads {}): run it "
                       "again with this one",
                       manifest.value("schema", Json(1)).dump(), kManifestSchema));
}

// The file, if it is there and as the manifest says.
std::string read_verified(const std::string& directory, const std::string& name, const Json& hashes) {
  const std::string path = directory + "/" + name;
  std::optional<std::string> content = read(path);
  if (!content) refuse(path, "missing, although manifest.json lists it: the result is incomplete");
  if (hashes.value(name, Json()) != sha256_hex(*content))
    refuse(path, "changed since t3sim wrote it (its SHA-256 is not the one in manifest.json)");
  return *std::move(content);
}

}  // namespace

ResultFiles read_result(const std::string& directory, ResultKind kind) {
  ResultFiles files{directory, read_manifest(directory), {}};
  const std::string where = files.path(kManifest);
  check_version(where, files.manifest);
  const Json names = files.manifest.value("files", Json());
  const Json hashes = files.manifest.value("sha256", Json());
  if (!names.is_array() || !hashes.is_object()) refuse(where, "lists no files with hashes");
  for (const Json& name : names) {
    const fs::path path = name.is_string() ? name.get<std::string>() : std::string();
    if (path.empty() || path.filename() != path) refuse(where, "lists what is no name of a file");
    files.contents[path.string()] = read_verified(directory, path.string(), hashes);
  }
  if (kind == ResultKind::schemes && files.has(kCommands))
    refuse(where, "the run of a program, where one of schemes is wanted");
  for (const char* needed : needed_of(kind))
    if (!files.has(needed))
      refuse(where, fmt::format("lists no {}: not the result of t3sim run{}", needed,
                                kind == ResultKind::program ? " --program" : " of schemes or of a program"));
  return files;
}

bool is_program_run(const std::string& directory) {
  std::error_code ignored;
  return fs::exists(fs::path(directory) / kCommands, ignored);
}

}  // namespace t3sim::report
