// How the page of `t3sim report` is told from other people's files.
#pragma once

#include <filesystem>
#include <string_view>

namespace t3sim {

// What every report begins with; src/system/report/page/page.html holds it.
inline constexpr std::string_view kReportHead = "<!DOCTYPE html>\n<!-- t3sim report -->\n";

bool is_report(const std::filesystem::path& path);

}  // namespace t3sim
