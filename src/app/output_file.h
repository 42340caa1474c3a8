// A file that a command writes when its work is done.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace t3sim {

// Before the work: throws InputError if `path`, said by -o, is a directory or lies in none, is a link or a device, or a file that is
// none of `command`'s, which begin with one of `begins`. An empty path: nothing is written.
void check_output_file(const std::string& command, const std::string& path,
                       std::initializer_list<std::string_view> begins);

}  // namespace t3sim
