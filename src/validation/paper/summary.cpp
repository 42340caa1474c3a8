#include "validation/paper/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/csv.h"
#include "base/error.h"

namespace t3sim::paper {
namespace {

constexpr double kClose = 0.05;        // relative, of a reported ratio
constexpr double kClosePoints = 5;     // of a reported percentage
constexpr double kMostOfIt = 0.5;      // of what is reported: the percentage, or what a speed-up gains over 1
constexpr double kPrinted = 0.005001;  // ratios are printed with two digits

std::string value_text(const Target& target) {
  return target.unit == "-" || target.unit == "sign" ? target.value
                                                     : fmt::format("{} {}", target.value, target.unit);
}

std::string number_text(double value, const std::string& unit) {
  return unit == "x" ? fmt::format("{:.3f}", value) : fmt::format("{:.1f}", value);
}

std::string signed_text(double value, const std::string& unit) {
  return unit == "x" ? fmt::format("{:+.3f}", value) : fmt::format("{:+.1f}", value);
}

bool is_percentage(const std::string& unit) { return unit == "%" || unit == "points"; }

// A rounding error keeps nobody out: values have one to three digits.
bool close(double ours, double theirs, const std::string& unit) {
  const double near = is_percentage(unit) ? kClosePoints : kClose * std::abs(theirs);
  const double reported = is_percentage(unit) ? theirs : unit == "x" ? theirs - 1 : 2 * theirs;
  return std::abs(ours - theirs) <= std::min(near, kMostOfIt * std::abs(reported)) + 1e-9;
}

const char* verdict(const Finding& f) {
  if (!f.judged) return "beside";
  if (f.gate) return f.held ? "pass" : "FAIL";
  return f.held ? "agrees" : "differs";
}

}  // namespace

std::vector<double> Target::numbers() const {
  std::vector<double> numbers;
  const char* text = value.c_str();
  while (*text != '\0') {
    char* end = nullptr;
    const double number = std::strtod(text, &end);
    if (end == text) {
      ++text;
    } else {
      numbers.push_back(number);
      text = end;
    }
  }
  return numbers;
}

Targets::Targets(const std::string& path) {
  CsvTable table{std::filesystem::path(path)};
  table.expect("id,paper,where,quantity,case,value,unit");
  while (table.next_row())
    targets_.push_back(
        {table.text(0), table.text(2), table.text(3), table.text(4), table.text(5), table.text(6)});
}

const Target& Targets::at(const std::string& id) const {
  for (const Target& target : targets_)
    if (target.id == id) return target;
  throw InputError(fmt::format("targets.csv: row \"{}\" is missing", id));
}

void Summary::gate(const std::string& id, double ours, double tolerance) {
  const Target& target = targets_.at(id);
  const double theirs = target.numbers().at(0);
  findings_.push_back({id, fmt::format("{} +- {}", value_text(target), tolerance),
                       number_text(ours, target.unit), signed_text(ours - theirs, target.unit), true,
                       std::abs(ours - theirs) <= tolerance});
}

void Summary::exact(const std::string& id, double ours, double exact) {
  const Target& target = targets_.at(id);
  const double theirs = target.numbers().at(0);
  const bool digit = target.value.size() <= 3;  // "2.5", "2.2": printed with one digit
  findings_.push_back(
      {id, fmt::format("{} (exactly {:.4f})", value_text(target), exact), fmt::format("{:.4f}", ours),
       fmt::format("{:+.4f}", ours - exact), true,
       std::abs(ours - exact) < 1e-6 && std::abs(exact - theirs) <= (digit ? 0.05 : kPrinted)});
}

void Summary::require(const std::string& id, const std::string& target, const std::string& ours, bool holds) {
  findings_.push_back({id, target, ours, "", true, holds});
}

void Summary::report(const std::string& id, const std::vector<double>& ours) {
  const Target& target = targets_.at(id);
  const std::vector<double> theirs = target.numbers();
  Finding f{id, value_text(target), "", "", false, true};
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (i > 0) {
      f.ours += " / ";
      f.difference += " / ";
    }
    f.ours += number_text(ours[i], target.unit);
    f.difference += signed_text(ours[i] - theirs.at(i), target.unit);
    f.held = f.held && close(ours[i], theirs[i], target.unit);
  }
  findings_.push_back(std::move(f));
}

void Summary::beside(const std::string& id, double ours) {
  const Target& target = targets_.at(id);
  findings_.push_back({id, value_text(target), number_text(ours, target.unit), "", false, true, false});
}

void Summary::report_text(const std::string& id, const std::string& ours, bool agrees) {
  findings_.push_back({id, value_text(targets_.at(id)), ours, "", false, agrees});
}

bool Summary::passed() const {
  return std::ranges::all_of(findings_, [](const Finding& f) { return f.held || !f.gate; });
}

std::string Summary::csv() const {
  std::string csv = "id,target,ours,difference,kind,verdict\n";
  for (const Finding& f : findings_)
    csv += fmt::format("{},{},{},{},{},{}\n", f.id, f.target, f.ours, f.difference,
                       f.gate ? "gate" : "reported", verdict(f));
  return csv;
}

std::string Summary::table() const {
  std::size_t id = 2, target = 5, ours = 4, difference = 10;
  for (const Finding& f : findings_) {
    id = std::max(id, f.id.size());
    target = std::max(target, f.target.size());
    ours = std::max(ours, f.ours.size());
    difference = std::max(difference, f.difference.size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:>{}}  {:>{}}  kind      verdict\n", "id", id, "paper",
                                 target, "ours", ours, "difference", difference);
  for (const Finding& f : findings_)
    text += fmt::format("{:<{}}  {:<{}}  {:>{}}  {:>{}}  {:<8}  {}\n", f.id, id, f.target, target, f.ours,
                        ours, f.difference, difference, f.gate ? "gate" : "reported", verdict(f));
  return text;
}

}  // namespace t3sim::paper
