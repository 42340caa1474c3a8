// The published numbers and ours beside them: summary.csv.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace t3sim::paper {

// A row of targets.csv: id,paper,where,quantity,case,value,unit.
struct Target {
  std::string id, where, quantity, scope, value, unit;
  std::vector<double> numbers() const;  // those in the value: "1.07 / 1.10" has two
};

class Targets {
 public:
  // Throws InputError "file:line: ...".
  explicit Targets(const std::string& path);
  const Target& at(const std::string& id) const;
  const std::vector<Target>& all() const { return targets_; }

 private:
  std::vector<Target> targets_;
};

struct Finding {
  std::string id, target, ours, difference;
  bool gate = false;
  // A gate passed; a reported value within 5 % (of percentages: 5 points), and off by no more than half of the percentage, or of what a speed-up
  // gains over 1.
  bool held = false;
  bool judged = true;  // false: another quantity than the published one
};

class Summary {
 public:
  explicit Summary(const Targets& targets) : targets_(targets) {}

  // A gate on a published value: ours within `tolerance` of it.
  void gate(const std::string& id, double ours, double tolerance);
  // A gate on a published value that must come out exactly, as far as it is printed: `exact` is its formula.
  void exact(const std::string& id, double ours, double exact);
  // A gate on a relation.
  void require(const std::string& id, const std::string& target, const std::string& ours, bool holds);
  // Only set beside the published value.
  void report(const std::string& id, const std::vector<double>& ours);
  // Beside the published value, but not the same quantity: no verdict.
  void beside(const std::string& id, double ours);
  // The same as report(), with words for ours.
  void report_text(const std::string& id, const std::string& ours, bool agrees);

  const std::vector<Finding>& findings() const { return findings_; }
  bool passed() const;
  std::string csv() const;    // id,target,ours,difference,kind,verdict
  std::string table() const;  // for the terminal

 private:
  const Targets& targets_;
  std::vector<Finding> findings_;
};

}  // namespace t3sim::paper
