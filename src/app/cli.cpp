#include "app/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "results/build_info.h"

namespace t3sim {
namespace {

std::string overview() {
  std::string text =
      "t3sim: how long a tensor-parallel layer takes when its GEMM and its collective overlap, and why.\n\n"
      "Usage: t3sim COMMAND [arguments]     t3sim help COMMAND     t3sim --version\n\nCommands:\n";
  for (const CommandEntry& command : commands())
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  return text +
         "\nFirst steps: t3sim run --model llama3-70b --layer mlp-down --tp 8 --machine h100 -o out/llama\n"
         "Exit status: 0 done; 1 the run failed; 2 bad usage, configuration or input; 3 no progress.\n";
}

std::string version() {
  return fmt::format("t3sim {} (commit {}, {}, {})\n", kBuildInfo.version, kBuildInfo.git_commit,
                     kBuildInfo.compiler, kBuildInfo.build_type);
}

int run_command_named(const std::string& name, const Arguments& arguments) {
  const auto all = commands();
  const auto it = std::ranges::find(all, name, &CommandEntry::name);
  if (it != all.end()) return it->run(arguments);
  std::vector<std::string> names;
  for (const CommandEntry& command : all) names.emplace_back(command.name);
  const std::string near = nearest(name, names);
  throw InputError(near.empty()
                       ? fmt::format("unknown command \"{}\"; commands: {}", name, fmt::join(names, ", "))
                       : fmt::format("unknown command \"{}\"; did you mean {}?", name, near));
}

// `t3sim help sweep run` is `t3sim sweep run --help`.
int help_of(Arguments command) {
  const std::string name = command.front();
  command.erase(command.begin());
  command.emplace_back("--help");
  return run_command_named(name, command);
}

int dispatch(const Arguments& arguments) {
  if (arguments.empty()) {
    fmt::print(stderr, "{}", overview());
    return kBadInput;
  }
  const std::string& first = arguments.front();
  if (first == "help" && arguments.size() > 1) return help_of({arguments.begin() + 1, arguments.end()});
  if (first == "--help" || first == "-h" || first == "help") {
    fmt::print("{}", overview());
    return kDone;
  }
  if (first == "--version") {
    fmt::print("{}", version());
    return kDone;
  }
  if (first.starts_with("-"))
    throw InputError(fmt::format("unknown option \"{}\" before a command (see t3sim --help)", first));
  return run_command_named(first, {arguments.begin() + 1, arguments.end()});
}

int report(int status, std::string_view message) {
  fmt::print(stderr, "t3sim: {}\n", message);
  return status;
}

// What a user wrote may be quoted in a message; it still is one line, and changes no terminal's settings.
std::string one_line(std::string_view message) {
  std::string line;
  for (char c : message) line += narrow<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return line;
}

}  // namespace

int exit_status_of(const std::function<int()>& action) {
  try {
    return action();
  } catch (const InputError& e) {
    return report(kBadInput, one_line(e.what()));
  } catch (const NoProgressError& e) {
    return report(kNoProgress, e.what());
  } catch (const CheckError& e) {
    return report(kFailed, fmt::format("a check of the simulator failed: {}", e.what()));
  } catch (const std::bad_alloc&) {
    return report(kFailed, "out of memory");
  } catch (const std::exception& e) {
    return report(kFailed, e.what());
  }
}

int run_cli(int argc, const char* const* argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of writing, like a full disk
  const Arguments arguments(argv + std::min(argc, 1), argv + argc);
  const int status = exit_status_of([&] { return dispatch(arguments); });
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return written ? status : report(kFailed, "standard output cannot be written");
}

}  // namespace t3sim
