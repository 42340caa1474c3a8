#include "trace/import/accelsim/kernel_reader.h"

#include <fmt/format.h>

#include <charconv>

namespace t3sim::accelsim {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

template <class T>
bool parse_number(std::string_view text, T& value, int base = 10) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// "(x,y,z)"
bool parse_extent(std::string_view text, std::array<std::uint32_t, 3>& extent) {
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t comma = i < 2 ? text.find(',') : text.size();
    if (comma == text.npos || !parse_number(trimmed(text.substr(0, comma)), extent[i])) return false;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return true;
}

}  // namespace

KernelReader::KernelReader(const std::filesystem::path& path) : source_(path) { read_head(); }

void KernelReader::read_head() {
  for (std::string_view text; source_.next_line(text);) {
    if (text.starts_with('#')) {  // describes the lines that follow: the head is over
      check_head();
      return;
    }
    if (text.starts_with('-')) read_head_line(text.substr(1));
  }
  source_.fail("this is no kernel trace: it has no '#traces format' line");
}

void KernelReader::read_head_line(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) source_.fail("expected '-key = value'");
  const std::string_view key = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
  std::uint32_t flag = 0;
  bool good = true;
  if (key == "kernel name") header_.name = value;
  if (key == "grid dim") good = parse_extent(value, header_.grid);
  if (key == "block dim") good = parse_extent(value, header_.block);
  if (key == "shmem") good = parse_number(value, header_.shared_memory_bytes);
  if (key == "nregs") good = parse_number(value, header_.registers);
  if (key == "shmem base_addr") good = parse_number(value, header_.shared_base, 16);
  if (key == "local mem base_addr") good = parse_number(value, header_.local_base, 16);
  if (key == "accelsim tracer version") good = parse_number(value, header_.format.tracer_version);
  if (key == "enable lineinfo") {
    good = parse_number(value, flag);
    header_.format.has_line_info = flag != 0;
  }
  if (!good) source_.fail(fmt::format("'{}' is not a value of '{}'", value, key));
}

void KernelReader::check_head() const {
  constexpr unsigned kNewestTracer = 5;
  constexpr std::uint64_t kMaxBlocks = 1U << 30;
  constexpr std::uint64_t kMaxThreads = 2048;
  if (header_.format.tracer_version == 0) source_.fail("the head names no 'accelsim tracer version'");
  if (header_.format.tracer_version > kNewestTracer)
    source_.fail(fmt::format("tracer version {} is newer than this program, which reads up to version {}",
                             header_.format.tracer_version, kNewestTracer));
  for (const std::uint32_t extent : header_.grid)
    if (extent == 0 || extent > kMaxBlocks) source_.fail("the head has no valid 'grid dim'");
  for (const std::uint32_t extent : header_.block)
    if (extent == 0 || extent > kMaxThreads) source_.fail("the head has no valid 'block dim'");
  if (std::uint64_t{header_.grid[0]} * header_.grid[1] > kMaxBlocks || header_.thread_blocks() > kMaxBlocks)
    source_.fail("more than 2^30 thread blocks");
  if (header_.threads() > kMaxThreads) source_.fail("more than 2048 threads a block");
}

std::string_view KernelReader::line(const char* what) {
  std::string_view text;
  while (source_.next_line(text))
    if (!trimmed(text).empty()) return text;
  source_.fail(fmt::format("the file ends where {} should be: it is truncated", what));
}

bool KernelReader::begin_block() {
  std::string_view text;
  do {
    if (!source_.next_line(text)) return false;
  } while (trimmed(text).empty());
  if (!text.starts_with("#BEGIN_TB")) source_.fail("expected '#BEGIN_TB'");
  if (!line("'thread block = x,y,z'").starts_with("thread block ="))
    source_.fail("expected 'thread block = x,y,z'");
  return true;
}

bool KernelReader::next_warp(std::uint32_t& warp, std::uint32_t& instructions) {
  const std::string_view text = line("'warp = n' or '#END_TB'");
  if (text.starts_with("#END_TB")) return false;
  warp = value_after(text, "warp =");
  if (warp >= header_.warps())
    source_.fail(fmt::format("warp {} of a block of {} warps", warp, header_.warps()));
  instructions = value_after(line("'insts = n'"), "insts =");
  return true;
}

std::uint32_t KernelReader::value_after(std::string_view text, std::string_view key) {
  std::uint32_t value = 0;
  if (!text.starts_with(key) || !parse_number(trimmed(text.substr(key.size())), value))
    source_.fail(fmt::format("expected '{} n'", key));
  return value;
}

}  // namespace t3sim::accelsim
