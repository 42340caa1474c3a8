#include "memctrl/memory_trace.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/text_source.h"

namespace t3sim {

namespace {

// One line being taken apart; knows where it is, for the messages.
class LineParser {
 public:
  LineParser(const std::string& path, std::uint64_t number, std::string_view text)
      : path_(path), number_(number), text_(text) {}

  bool blank() {
    skip_spaces();
    return at_ == text_.size() || text_[at_] == '#';
  }

  std::uint64_t number(int base, const char* allowed) {
    skip_spaces();
    std::uint64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value, base);
    if (error == std::errc::result_out_of_range) fail("number does not fit 64 bits", allowed);
    if (error != std::errc{}) fail(fmt::format("'{}' is no number", word()), allowed);
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && !space(text_[at_]))
      fail(fmt::format("'{}' after a number", text_[at_]), allowed);
    return value;
  }

  void expect_hex_prefix() {
    skip_spaces();
    if (!text_.substr(at_).starts_with("0x") && !text_.substr(at_).starts_with("0X"))
      fail(fmt::format("'{}' is no address", word()), "an address is 0x and hexadecimal digits");
    at_ += 2;
  }

  Op operation() {
    skip_spaces();
    const std::string_view w = word();
    const char* allowed = "R (read), W (write) or U (op-and-store)";
    if (w.size() != 1)
      fail(w.empty() ? "the operation is missing" : fmt::format("'{}' is no operation", w), allowed);
    const Op op = w[0] == 'R'   ? Op::read
                  : w[0] == 'W' ? Op::write
                  : w[0] == 'U' ? Op::update
                                : (fail(fmt::format("'{}' is no operation", w), allowed), Op::read);
    ++at_;
    return op;
  }

  void expect_end() {
    if (!blank()) fail(fmt::format("'{}' after the request", word()), "a line is: cycle 0xADDRESS R|W|U");
  }

  [[noreturn]] void fail(const std::string& what, const std::string& allowed) const {
    throw InputError(fmt::format("{}:{}:{}: {}; {}", path_, number_, at_ + 1, what, allowed));
  }
  void rewind() { at_ = 0; }

 private:
  static bool space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_spaces() {
    while (at_ < text_.size() && space(text_[at_])) ++at_;
  }
  std::string_view word() const {
    std::size_t end = at_;
    while (end < text_.size() && !space(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  const std::string& path_;
  std::uint64_t number_;
  std::string_view text_;
  std::size_t at_ = 0;
};

// A quarter of an hour at 1 GHz: every refresh is simulated.
constexpr std::uint64_t kMostCycles = 1'000'000'000'000;

TraceRequest parse_request(LineParser& line, std::uint64_t previous_cycle) {
  TraceRequest request;
  request.cycle = line.number(10, "a line is: cycle 0xADDRESS R|W|U");
  if (request.cycle < previous_cycle) {
    line.rewind();
    line.fail(fmt::format("cycle {} after cycle {}", request.cycle, previous_cycle), "cycles must not fall");
  }
  if (request.cycle > kMostCycles) {
    line.rewind();
    line.fail(fmt::format("cycle {}", request.cycle), fmt::format("cycles are {} at most", kMostCycles));
  }
  line.expect_hex_prefix();
  request.address = line.number(16, "an address is 0x and hexadecimal digits");
  if (request.address % kTraceRequestBytes != 0)
    line.fail(fmt::format("address {:#x} is not aligned", request.address), "addresses are multiples of 64");
  request.op = line.operation();
  line.expect_end();
  return request;
}

}  // namespace

std::vector<TraceRequest> read_memory_trace(const std::string& path) {
  TextSource source(path);
  std::vector<TraceRequest> requests;
  for (std::string_view text; source.next_line(text);) {
    LineParser line(path, source.line_number(), text);
    if (line.blank()) continue;
    requests.push_back(parse_request(line, requests.empty() ? 0 : requests.back().cycle));
  }
  return requests;
}

}  // namespace t3sim
