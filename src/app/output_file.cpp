#include "app/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"

namespace t3sim {
namespace fs = std::filesystem;

void check_output_file(const std::string& command, const std::string& path) {
  if (path.empty()) return;
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{}: -o {}: {}", command, path, why));
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) refuse("is a directory, where a file is written");
  const fs::file_status there = fs::symlink_status(path, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) refuse("is a link or a device, no plain file");
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(folder, ignored)) refuse(fmt::format("there is no directory {}", folder));
  if (::access(folder.c_str(), W_OK) != 0) refuse(fmt::format("{} cannot be written", folder));
}

void check_output_directory(const std::string& command, const std::string& path) {
  std::error_code ignored;
  if (fs::is_symlink(path, ignored) && !fs::exists(path, ignored))
    throw InputError(fmt::format("{}: -o {}: is a link to what is not there", command, path));
}

}  // namespace t3sim
