// One HTML file that needs nothing beside it: styles, charts and data are in it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace t3sim::report {

// page/page.html around `data`.
std::string page_with(const nlohmann::ordered_json& data);

}  // namespace t3sim::report
