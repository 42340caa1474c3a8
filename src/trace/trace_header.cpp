#include "trace/trace_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <vector>

#include "base/error.h"
#include "base/number.h"
#include "trace/group_codec.h"

namespace t3sim {
namespace {

constexpr std::string_view kMagic = "t3sim-trace ";
constexpr std::array<std::string_view, 3> kTimings{"none", "workgroup", "kernel"};

// Addresses are written in hexadecimal.
template <class T>
struct Hex {
  explicit Hex(T& at) : value(at) {}
  T& value;
};

// The keys of the head, in the order in which they are written: field(key, value).
template <class Header, class F>
void visit_common(Header& h, F&& field) {
  field("name", h.name);
  field("source", h.source);
  field("date", h.date);
  field("workgroups", h.workgroups);
  field("wavefronts", h.traits.wavefronts);
  field("buffers", h.traits.buffers);
  field("workgroups_per_cu", h.traits.workgroups_per_cu);
  field("lds_bytes", h.traits.lds_bytes);
  field("register_bytes", h.traits.register_bytes);
  field("timing", h.traits.timing);
}

// The keys that only GEMMs have.
template <class Gemm, class F>
void visit_gemm(Gemm& g, F&& field) {
  field("m", g.shape.m);
  field("n", g.shape.n);
  field("k", g.shape.k);
  field("type", g.type);
  field("layout", g.layout);
  field("tile", g.tile);
  field("order", g.order.kind);
  field("group", g.order.group);
  field("start_tile", g.order.start_tile);
  field("split_k", g.split_k);
  field("persistent", g.persistent);
  field("a_address", Hex(g.a_address));
  field("b_address", Hex(g.b_address));
  field("c_address", Hex(g.c_address));
}

// One line of text: control characters would break the head apart.
std::string text_of(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}
std::string text_of(std::integral auto value) { return fmt::format("{}", value); }
std::string text_of(Timing value) { return std::string(kTimings[ordinal(value)]); }
std::string text_of(const TileShape& tile) { return fmt::format("{}x{}x{}", tile.m, tile.n, tile.k); }
template <class T>
std::string text_of(Hex<T> address) {
  return fmt::format("{:#x}", address.value);
}
template <class Enum>
std::string text_of(Enum value) {
  return std::string(to_string(value));
}

template <class T>
T number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    throw InputError(fmt::format("'{}' is not a whole number in range", text));
  return value;
}

void read(std::string_view text, std::string& value) { value = text; }
void read(std::string_view text, std::unsigned_integral auto& value) {
  value = number<std::remove_reference_t<decltype(value)>>(text);
}
void read(std::string_view text, Hex<std::uint64_t> address) {
  if (!text.starts_with("0x")) throw InputError("an address begins with 0x");
  address.value = number<std::uint64_t>(text.substr(2), 16);
}
void read(std::string_view text, DataType& value) { value = data_type_from(text); }
void read(std::string_view text, GemmLayout& value) { value = gemm_layout_from(text); }
void read(std::string_view text, OrderKind& value) { value = order_kind_from(text); }
void read(std::string_view text, TileShape& value) { value = tile_shape_from(text); }
void read(std::string_view text, Timing& value) {
  const auto found = std::find(kTimings.begin(), kTimings.end(), text);
  if (found == kTimings.end()) throw InputError("timing must be none, workgroup or kernel");
  value = static_cast<Timing>(found - kTimings.begin());
}

void check(const TraceHeader& h) {
  const auto require = [](bool holds, std::string_view message) {
    if (!holds) throw InputError(std::string(message));
  };
  require(h.workgroups >= 1 && h.workgroups <= 1U << 30, "workgroups must be 1 to 2^30");
  require(h.traits.wavefronts >= 1 && h.traits.wavefronts <= kMaxWavefronts, "wavefronts must be 1 to 64");
  require(h.traits.buffers >= 1 && h.traits.buffers <= 64, "buffers must be 1 to 64");
  if (h.gemm) h.gemm->check();
}

// Reads the head line by line.
class HeadParser {
 public:
  explicit HeadParser(std::string_view text) : text_(text) {}

  TraceHeader parse() {
    check_version();
    for (std::string_view text = line(); !text.empty(); text = line()) read_key(text);
    finish();
    return header_;
  }
  std::size_t position() const { return at_; }

 private:
  std::string_view line() {
    const std::size_t end = text_.find('\n', at_);
    ++number_;
    if (end == text_.npos) fail("the file ends inside the head");
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  void check_version() {
    const std::string_view text = line();
    if (!text.starts_with(kMagic)) fail("this is no t3sim trace: it does not begin with 't3sim-trace'");
    unsigned version = 0;
    explain("format version", [&] { version = number<unsigned>(text.substr(kMagic.size())); });
    if (version > kTraceVersion)
      fail(fmt::format("format version {} is newer than this program, which reads up to version {}", version,
                       kTraceVersion));
    if (version == 0) fail("there is no format version 0");
  }

  void read_key(std::string_view text) {
    const std::size_t equals = text.find(" = ");
    if (equals == text.npos) fail("expected 'key = value'");
    const std::string_view key = text.substr(0, equals), value = text.substr(equals + 3);
    if (std::find(seen_.begin(), seen_.end(), key) != seen_.end()) fail(fmt::format("{} comes twice", key));
    seen_.push_back(key);
    bool known = false;
    const auto read_if = [&](std::string_view candidate, auto&& field) {
      if (candidate != key) return;
      known = true;
      explain(key, [&] { read(value, field); });
    };
    visit_common(header_, read_if);
    if (known) return;
    visit_gemm(gemm_, read_if);
    if (!known) fail(fmt::format("unknown key '{}'", key));
    is_gemm_ = true;
  }

  void finish() {
    std::size_t keys = 0;
    const auto count = [&](auto&&...) { ++keys; };
    visit_common(header_, count);
    if (is_gemm_) visit_gemm(gemm_, count);
    if (seen_.size() != keys) fail("the head ends, but some of its keys are missing");
    if (is_gemm_) {
      gemm_.wavefronts = header_.traits.wavefronts;
      gemm_.buffers = header_.traits.buffers;
      header_.gemm = gemm_;
    }
    explain("head", [&] { check(header_); });
  }

  // Runs `step`; what it complains about gets the line and `what`.
  template <class F>
  void explain(std::string_view what, F&& step) {
    try {
      step();
    } catch (const InputError& error) {
      fail(fmt::format("{}: {}", what, error.what()));
    }
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("line {}: {}", number_, what));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned number_ = 0;
  TraceHeader header_;
  GemmSpec gemm_;
  bool is_gemm_ = false;
  std::vector<std::string_view> seen_;
};

}  // namespace

std::string format_trace_header(const TraceHeader& header) {
  std::string text = fmt::format("{}{}\n", kMagic, kTraceVersion);
  const auto add = [&](std::string_view key, const auto& value) {
    text += fmt::format("{} = {}\n", key, text_of(value));
  };
  visit_common(header, add);
  if (header.gemm) visit_gemm(*header.gemm, add);
  return text + "\n";
}

TraceHeader parse_trace_header(std::string_view text, std::size_t& bytes) {
  HeadParser parser(text);
  TraceHeader header = parser.parse();
  bytes = parser.position();
  return header;
}

}  // namespace t3sim
