#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/number.h"
#include "config/config.h"

namespace t3sim::config {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Texts that every YAML reader takes for the same text without quotes.
bool plain(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{"null", "true", "false", "yes", "no",
                                                   "on",   "off",  "y",     "n"};
  if (text.empty() || !(is_letter(text[0]) || text[0] == '/')) return false;
  const auto safe = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') ||
           std::string_view("/._+-").find(c) != std::string_view::npos;
  };
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return std::ranges::all_of(text, safe) && std::ranges::find(kWords, lower) == kWords.end();
}

std::string quoted_text(std::string_view text) {
  if (plain(text)) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    const auto byte = narrow<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + "\"";
}

// Values of the other kinds need no quotes: names, numbers, numbers with units.
std::string value_text(Kind kind, const std::string& text) {
  return kind == Kind::text || kind == Kind::path ? quoted_text(text) : text;
}

class Writer final : public Visitor {
 public:
  std::string out;

 protected:
  void scalar(const Key& key, Scalar& value) override {
    if (value.present()) line("{}: {}", key.name, value_text(value.kind(), value.format()));
  }

  void named(const Key& key, NamedScalars& values) override {
    std::vector<std::string> texts = values.names();
    for (std::string& name : texts)
      name = fmt::format("{}: {}", plain(name) ? name : quoted_text(name), values.format(name));
    line("{}: {{{}}}", key.name, fmt::join(texts, ", "));
  }

  void list(const Key& key, ScalarList& values) override {
    std::vector<std::string> texts = values.format();
    for (std::string& text : texts) text = value_text(values.kind(), text);
    line("{}: [{}]", key.name, fmt::join(texts, ", "));
  }

  void collection(const Key& key, Collection& elements) override {
    const std::vector<std::string> names = elements.names();
    if (names.empty()) {
      line("{}: {}", key.name, elements.is_list() ? "[]" : "{}");
      return;
    }
    begin_section(key);
    for (const std::string& name : names) {
      begin_element(elements.is_list() ? "-"
                                       : (plain(name) || is_number(name) ? name : quoted_text(name)) + ":");
      elements.element(*this, name);
      end_section();
    }
    end_section();
  }

  void begin_section(const Key& key) override { begin_element(std::string(key.name) + ":"); }

  // A section in which nothing was written is written as an empty one.
  void end_section() override {
    --depth_;
    if (out.size() == empty_since_) out.insert(out.size() - 1, " {}");
    empty_since_ = 0;
  }

 private:
  static bool is_number(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  }

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out += std::string(depth_ * 2, ' ') + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  void begin_element(const std::string& head) {
    line("{}", head);
    ++depth_;
    empty_since_ = out.size();
  }

  std::size_t depth_ = 0;
  std::size_t empty_since_ = 0;  // size of `out` when the innermost section was begun
};

}  // namespace

std::string write_with(void (*describe_it)(Visitor&, void*), void* c) {
  Writer writer;
  describe_it(writer, c);
  return std::move(writer.out);
}

}  // namespace t3sim::config
