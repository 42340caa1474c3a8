#include "trace/import/accelsim/instruction.h"

#include <fmt/format.h>

#include <charconv>

#include "base/number.h"

namespace t3sim::accelsim {
namespace {

// How the addresses of a line are written.
enum class AddressMode : unsigned { each = 0, stride = 1, deltas = 2 };

// The words of a line, one after the other.
class Words {
 public:
  Words(std::string_view line, const TextSource& source)
      : at_(line.data()), end_(line.data() + line.size()), source_(source) {}

  bool at_end() {
    skip_blanks();
    return at_ == end_;
  }
  std::string_view word(const char* what) {
    if (at_end()) source_.fail(fmt::format("the line ends before its {}", what));
    const char* begin = at_;
    while (at_ != end_ && *at_ != ' ' && *at_ != '\t') ++at_;
    return {begin, narrow<std::size_t>(at_ - begin)};
  }
  // A number that fills a word. Hexadecimal ones may have a 0x in front.
  template <class T>
  T number(const char* what, int base = 10) {
    const std::string_view text = word(what);
    const char* begin = text.data();
    const char* end = begin + text.size();
    if (base == 16 && text.starts_with("0x")) begin += 2;
    T value{};
    const auto [stop, error] = std::from_chars(begin, end, value, base);
    if (error != std::errc() || stop != end || begin == end)
      source_.fail(fmt::format("{} '{}' is not a number in range", what, text));
    return value;
  }
  [[noreturn]] void fail(std::string_view what) const { source_.fail(what); }

 private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }
  const char* at_;
  const char* end_;
  const TextSource& source_;
};

void read_registers(Words& words, const char* what, Registers& registers) {
  registers.clear();
  for (auto left = words.number<unsigned>(what); left > 0; --left) {
    if (registers.full()) words.fail(fmt::format("more than {} {}", Registers::kMax, what));
    const std::string_view word = words.word("registers");
    std::uint16_t number = kZeroRegister;  // uniform and predicate registers never hold a load's result
    if (word.size() > 1 && word[0] == 'R') {
      const auto [stop, error] = std::from_chars(word.data() + 1, word.data() + word.size(), number);
      if (error != std::errc() || number > kZeroRegister)
        words.fail(fmt::format("'{}' is no register", word));
    }
    registers.add(number);
  }
}

void read_addresses(Words& words, unsigned active, Instruction& instruction) {
  const auto mode = words.number<unsigned>("address mode");
  auto& addresses = instruction.addresses;
  if (mode == ordinal(AddressMode::each)) {
    for (unsigned i = 0; i < active; ++i) addresses[i] = words.number<std::uint64_t>("address", 16);
  } else if (mode == ordinal(AddressMode::stride)) {
    const auto base = words.number<std::uint64_t>("base address", 16);
    const auto stride = static_cast<std::uint64_t>(words.number<std::int64_t>("stride"));
    for (unsigned i = 0; i < active; ++i) addresses[i] = base + i * stride;
  } else if (mode == ordinal(AddressMode::deltas)) {
    addresses[0] = words.number<std::uint64_t>("base address", 16);
    for (unsigned i = 1; i < active; ++i)
      addresses[i] =
          addresses[i - 1] + static_cast<std::uint64_t>(words.number<std::int64_t>("address delta"));
  } else {
    words.fail(fmt::format("address mode {} is unknown: 0, 1 and 2 are known", mode));
  }
}

}  // namespace

void parse_instruction(std::string_view line, const LineFormat& format, const TextSource& source,
                       Instruction& instruction) {
  Words words(line, source);
  if (format.tracer_version < 3)
    for (const char* what : {"thread block x", "thread block y", "thread block z", "warp"}) words.word(what);
  if (format.has_line_info) words.word("source line");
  words.word("program counter");
  instruction.mask = words.number<std::uint32_t>("mask", 16);
  read_registers(words, "destination registers", instruction.destinations);
  instruction.opcode = words.word("opcode");
  read_registers(words, "source registers", instruction.sources);
  const auto width = words.number<unsigned>("memory width");
  instruction.has_addresses = width > 0;
  if (width > 0) read_addresses(words, instruction.active(), instruction);
  instruction.immediate = 0;
  if (!words.at_end()) {
    // Decimal or 0x..., signed or not: only the small counts of a DEPBAR matter.
    const std::string_view text = words.word("immediate");
    const bool hex = text.starts_with("0x");
    std::from_chars(text.data() + (hex ? 2 : 0), text.data() + text.size(), instruction.immediate,
                    hex ? 16 : 10);
  }
}

}  // namespace t3sim::accelsim
