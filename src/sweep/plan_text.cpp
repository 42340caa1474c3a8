// A plan as lines of JSON, and the identity of the program.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "base/sha256.h"
#include "results/build_info.h"
#include "sweep/plan.h"

namespace t3sim::sweep {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json head_json(const Plan& plan, const std::string& points) {
  Json columns = Json::array();
  for (const PlanColumn& column : plan.columns)
    columns.push_back({{"name", column.name}, {"numeric", column.numeric}});
  Json head{{"t3sim_sweep", 1},        {"sweep", plan.sweep},
            {"program", plan.program}, {"points", plan.points.size()},
            {"columns", columns},      {"sha256", sha256_hex(points)}};
  if (!plan.further.collect.empty()) head["collect"] = plan.further.collect;
  for (const DerivedColumn& column : plan.further.derived)
    head["derived"].push_back({{"name", column.name}, {"text", column.text}});
  for (const InvalidPoint& point : plan.invalid)
    head["invalid"].push_back({{"label", point.label}, {"why", point.why}});
  return head;
}

void read_further(const Json& head, Plan& plan) {
  if (head.contains("collect")) plan.further.collect = head["collect"].get<std::vector<std::string>>();
  for (const Json& column : head.value("derived", Json::array()))
    plan.further.derived.push_back(
        {column.at("name").get<std::string>(), column.at("text").get<std::string>()});
  for (const Json& point : head.value("invalid", Json::array()))
    plan.invalid.push_back({point.at("label").get<std::string>(), point.at("why").get<std::string>()});
}

Json point_json(const Point& point) {
  Json files = Json::array();
  for (const config::InputFile& file : point.files)
    files.push_back({{"path", file.path}, {"sha256", file.sha256}});
  return {{"point", point.index}, {"key", point.key}, {"label", point.label},     {"values", point.values},
          {"work", point.work},   {"files", files},   {"command", point.command}, {"config", point.config}};
}

Point point_of(const Json& json) {
  Point point;
  point.index = json.at("point").get<std::size_t>();
  point.key = json.at("key").get<std::string>();
  point.label = json.at("label").get<std::string>();
  point.values = json.at("values").get<std::vector<std::string>>();
  point.work = json.at("work").get<double>();
  for (const Json& file : json.at("files"))
    point.files.push_back({file.at("path").get<std::string>(), file.at("sha256").get<std::string>()});
  point.command = json.at("command").get<std::string>();
  point.config = json.at("config").get<std::string>();
  return point;
}

std::string executable_hash() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return sha256_hex(std::string(std::istreambuf_iterator<char>(file), {})).substr(0, 16);
}

}  // namespace

std::string named_by(const std::string& program, const std::string& config, const FurtherColumns& further) {
  std::string text = fmt::format("{}\n{}", program, config);
  for (const std::string& counter : further.counters()) text += "# " + counter + "\n";
  return text;
}

const std::string& program_id() {
  static const std::string id = [] {
    const std::string commit = kBuildInfo.git_commit;
    const bool exact = commit != "unknown" && !commit.ends_with("-dirty");
    return fmt::format("{} {}{}", kBuildInfo.version, commit, exact ? "" : " " + executable_hash());
  }();
  return id;
}

std::string plan_text(const Plan& plan) {
  std::string points;
  for (const Point& point : plan.points) points += line_of(point_json(point));
  return line_of(head_json(plan, points)) + points;
}

Plan parse_plan(const std::string& text) {
  try {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    const Json head = Json::parse(line);
    if (head.at("t3sim_sweep") != 1) throw std::runtime_error("written by another version of t3sim");
    Plan plan;
    plan.sweep = head.at("sweep").get<std::string>();
    plan.program = head.at("program").get<std::string>();
    for (const Json& column : head.at("columns"))
      plan.columns.push_back({column.at("name").get<std::string>(), column.at("numeric").get<bool>()});
    read_further(head, plan);
    if (head.contains("sha256") &&
        head["sha256"] != sha256_hex(std::string_view(text).substr(std::min(text.size(), line.size() + 1))))
      throw std::runtime_error("cut off, or changed since it was written");
    while (std::getline(lines, line)) plan.points.push_back(point_of(Json::parse(line)));
    if (plan.points.size() != head.at("points").get<std::size_t>()) throw std::runtime_error("cut off");
    return plan;
  } catch (const Json::exception& e) {
    throw std::runtime_error(e.what());
  }
}

}  // namespace t3sim::sweep
