// The report as a file: whole or not at all, and never in place of anything but a report.
#pragma once

#include <string>
#include <string_view>

namespace t3sim::report {

// Throws InputError if `path` cannot be a report's; to be called before the work.
void check_path(const std::string& path);

// Throws std::runtime_error if the page cannot be written; then `path` is as it was.
void write_report(const std::string& path, std::string_view page);

}  // namespace t3sim::report
