#include "report/page.h"

#include <string_view>

namespace t3sim::report {

// The page up to the data and after it; cmake/embed_page.cmake writes them.
extern const std::string_view kPageBefore;
extern const std::string_view kPageAfter;

namespace {

// JSON as the content of a script element, which "</script" or "<!--" in a text would end or change.
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

}  // namespace

std::string page_with(const nlohmann::ordered_json& data) {
  const std::string json = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return std::string(kPageBefore) + inside_script(json) + std::string(kPageAfter);
}

}  // namespace t3sim::report
