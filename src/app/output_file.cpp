#include "app/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace t3sim {
namespace fs = std::filesystem;

void check_output_file(const std::string& command, const std::string& path,
                       std::initializer_list<std::string_view> begins) {
  if (path.empty()) return;
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{}: -o {}: {}", command, path, why));
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) refuse("is a directory, where a file is written");
  const fs::file_status there = fs::symlink_status(path, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) refuse("is a link or a device, no plain file");
  std::ifstream file(path, std::ios::binary);
  std::string head(64, '\0');
  head.resize(static_cast<std::size_t>(file.read(head.data(), 64).gcount()));
  if (!head.empty() && std::ranges::none_of(begins, [&](std::string_view b) { return head.starts_with(b); }))
    refuse("is there already and was not written by this command: name a new file");
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(folder, ignored)) refuse(fmt::format("there is no directory {}", folder));
  if (::access(folder.c_str(), W_OK) != 0) refuse(fmt::format("{} cannot be written", folder));
}

}  // namespace t3sim
