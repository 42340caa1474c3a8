#include "report/write_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "results/report_file.h"
#include "sweep/files.h"

namespace t3sim::report {
namespace fs = std::filesystem;

void check_path(const std::string& path) {
  const auto refuse = [&](std::string_view why) {
    throw InputError(fmt::format("report: {}: {}", path, why));
  };
  std::error_code error;
  if (path.empty()) throw InputError("report: -o: the file's name is empty");
  const fs::path folder = fs::absolute(path).parent_path();
  if (!fs::is_directory(folder, error)) refuse("there is no folder " + folder.string());
  if (fs::is_directory(path, error)) refuse("is a directory, not a file");
  if (fs::exists(fs::symlink_status(path, error)) && !is_report(path))
    refuse("is there already and is no report of t3sim: name another file with -o");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    refuse("its folder cannot be written to: name another file with -o");
}

void write_report(const std::string& path, std::string_view page) {
  check_path(path);  // something may have appeared there since
  sweep::write_whole(path, page);
}

}  // namespace t3sim::report
