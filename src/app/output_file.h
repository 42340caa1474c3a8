// A file that a command writes when its work is done.
#pragma once

#include <string>

namespace t3sim {

// Before the work: throws InputError if `path`, said by -o, is a directory or lies in none, is a link or a device. An empty path:
// nothing is written.
void check_output_file(const std::string& command, const std::string& path);
// Likewise of a directory: a link to nothing is refused here, all else where it is opened.
void check_output_directory(const std::string& command, const std::string& path);

}  // namespace t3sim
