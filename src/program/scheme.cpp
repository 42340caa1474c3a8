#include "program/scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/expression.h"
#include "program/messages.h"

namespace t3sim::program {
namespace {

using config::Entry;
using config::Node;
using StageLaunch = StageText::Launch;
using StageArray = StageText::Array;
using StageCollective = StageText::Collective;
using StageFollowing = StageText::Following;

template <class E>
E one_of(const Node& node, std::string_view what, std::initializer_list<Named<E>> options) {
  std::vector<std::string> names;
  for (const Named<E>& option : options) {
    if (option.name == scalar(node, what).scalar) return option.value;
    names.emplace_back(option.name);
  }
  throw error_at(node.where, unknown(what, node.scalar, names));
}

Vocabulary facts() {
  Vocabulary vocabulary;
  vocabulary.names.assign(kSchemeFacts.begin(), kSchemeFacts.end());
  return vocabulary;
}

Expression compiled(const Node& condition) {
  try {
    return Expression(condition.scalar, facts());
  } catch (const ExpressionError& e) {
    throw error_at(Piece::whole(condition), e.what(), e.offset);
  }
}

StageArray array_of(const Node& node) {
  return one_of<StageArray>(node, "array",
                            {{"c", StageArray::c}, {"a", StageArray::a}, {"other", StageArray::other}});
}

class StageReader {
 public:
  explicit StageReader(const Node& node) : node_(node) { stage_.where = node.where; }

  StageText read() {
    check_keys(node_, "stage",
               {"if", "name", "time", "launch", "track", "arbitration", "collective", "zero", "following"});
    if (const Node* condition = optional(node_, "if")) {
      stage_.condition = scalar(*condition, "if");
      compiled(*condition);
    }
    if (const Node* name = optional(node_, "name")) stage_.name = scalar(*name, "name").scalar;
    if (const Node* time = optional(node_, "time")) read_time(*time);
    if (const Node* policy = optional(node_, "arbitration"))
      stage_.arbitration = scalar(*policy, "arbitration");
    check_one_command();
    if (const Node* launch = optional(node_, "launch")) read_launch(*launch);
    if (const Node* track = optional(node_, "track")) read_track(*track);
    if (const Node* collective = optional(node_, "collective")) read_collective(*collective);
    if (const Node* zero = optional(node_, "zero")) {
      one_of<bool>(*zero, "zero", {{"next", true}});
      stage_.zeros = true;
    }
    if (const Node* following = optional(node_, "following"))
      stage_.following = one_of<StageFollowing>(
          *following, "following",
          {{"kernel", StageFollowing::kernel}, {"near-memory", StageFollowing::near_memory}});
    return std::move(stage_);
  }

 private:
  void read_time(const Node& node) {
    stage_.time = scalar(node, "time").scalar;
    const auto in_a_key = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    if (!stage_.time.ends_with("_us") || stage_.time.size() == 3 ||
        !std::ranges::all_of(stage_.time, in_a_key))
      throw error_at(
          node.where,
          fmt::format("time: found \"{}\"; allowed: a key of results.json of letters, digits, _ and - that "
                      "ends in _us, such as gemm_us",
                      stage_.time));
    if (stage_.time == "time_us")
      throw error_at(node.where, "time: \"time_us\" is the time of the whole scheme; allowed: another key");
  }

  void check_one_command() const {
    const Entry* found = nullptr;
    for (const char* key : {"launch", "collective", "zero", "following"})
      if (const Entry* entry = node_.find(key)) {
        if (found)
          throw error_at(entry->where,
                         fmt::format("\"{}\": the stage has \"{}\" already; stages follow one another", key,
                                     found->key));
        found = entry;
      }
    if (!found)
      throw error_at(node_.where, "stage: does nothing; allowed: launch, collective, zero, following");
    if (const Entry* track = node_.find("track"); track && found->key != "launch")
      throw error_at(track->where,
                     "track: goes with a launch; alone it is collective: {kind: exchange, by: dma}");
  }

  void read_launch(const Node& node) {
    stage_.launch =
        one_of<StageLaunch>(node, "launch", {{"gemm", StageLaunch::gemm}, {"kernel", StageLaunch::kernel}});
  }

  void read_track(const Node& node) {
    if (stage_.launch != StageLaunch::gemm) throw error_at(node.where, "track: needs launch: gemm");
    bool workgroups = false;
    if (node.type != Node::Type::map) {
      stage_.tracked = array_of(node);
    } else {
      check_keys(node, "track", {"array", "triggers", "plan", "algorithm"});
      stage_.tracked = array_of(needed(node, "array", "track"));
      if (const Node* triggers = optional(node, "triggers"))
        workgroups = one_of<bool>(*triggers, "triggers", {{"copies", false}, {"workgroups", true}});
      read_choice(node);
    }
    if (workgroups != (stage_.tracked == StageArray::a))
      throw error_at(node.where, workgroups ? "track: only workgroups that read a wait for it"
                                            : "track: the GEMM reads a: say triggers: workgroups");
    if (stage_.plan && stage_.tracked != StageArray::c)
      throw error_at(stage_.plan->where,
                     "plan: is of what the GEMM stores: array c; others have an algorithm");
  }

  void read_collective(const Node& node) {
    const auto kind = [](const Node& said) {
      return one_of<StageCollective>(
          said, "collective",
          {{"exchange", StageCollective::exchange}, {"all-gather", StageCollective::all_gather}});
    };
    if (node.type != Node::Type::map) {
      stage_.collective = kind(node);
      return;
    }
    check_keys(node, "collective", {"kind", "by", "algorithm"});
    stage_.collective = kind(needed(node, "kind", "collective"));
    if (const Node* by = optional(node, "by"))
      stage_.by_dma = one_of<bool>(*by, "by", {{"cus", false}, {"dma", true}});
    if (stage_.by_dma && stage_.collective == StageCollective::all_gather)
      throw error_at(node.where, "collective: an all-gather after an exchange runs on the CUs: by: cus");
    read_choice(node);
  }

  void read_choice(const Node& node) {
    if (const Node* plan = optional(node, "plan")) stage_.plan = scalar(*plan, "plan");
    if (const Node* algorithm = optional(node, "algorithm"))
      stage_.algorithm = scalar(*algorithm, "algorithm");
    if (stage_.plan && stage_.algorithm)
      throw error_at(stage_.plan->where, "a plan or an algorithm, not both");
  }

  const Node& node_;
  StageText stage_;
};

void read_stages(const Node& stages, SchemeText& scheme) {
  if (stages.type != Node::Type::list || stages.items.empty())
    throw error_at(stages.where, "stages: expected a list of stages");
  for (const Node& stage : stages.items) scheme.stages.push_back(StageReader(stage).read());
}

TimeFormula read_formula(const Node& node) {
  const std::vector<std::string> labels(kStageLabels.begin(), kStageLabels.end());
  try {
    TimeFormula formula(scalar(node, "derived").scalar);
    for (const auto& [name, at] : formula.names())
      if (std::ranges::find(labels, name) == labels.end())
        throw ExpressionError(at, unknown("stage", name, labels));
    return formula;
  } catch (const ExpressionError& e) {
    throw error_at(Piece::whole(node), e.what(), e.offset);
  }
}

std::string choice_text(const StageText& s) {
  std::string text;
  if (s.plan) text += fmt::format(", plan {}", s.plan->scalar);
  if (s.algorithm) text += fmt::format(", algorithm {}", s.algorithm->scalar);
  return text;
}

std::string what_it_does(const StageText& s) {
  if (s.zeros) return "writes zeros where the next stage adds to memory";
  if (s.following == StageFollowing::kernel) return "runs the operation that follows, as a kernel";
  if (s.following == StageFollowing::near_memory)
    return "runs the operation that follows, near memory, on own parts";
  if (s.collective == StageCollective::all_gather) return "all-gathers on the CUs" + choice_text(s);
  if (s.collective == StageCollective::exchange)
    return fmt::format("exchanges {}{}", s.by_dma ? "by DMA and near-memory adds" : "on the CUs",
                       choice_text(s));
  std::string text = s.launch == StageLaunch::kernel ? "launches the workload's kernel" : "launches the GEMM";
  if (s.tracked == StageArray::c) text += "; the Tracker follows its stores, finished tiles start copies";
  if (s.tracked == StageArray::a) text += "; the Tracker follows its input, workgroups wait for their rows";
  if (s.tracked == StageArray::other) text += "; DMA exchanges another array meanwhile";
  if (s.arbitration) text += fmt::format(", arbitration {}", s.arbitration->scalar);
  return text + choice_text(s);
}

}  // namespace

std::string_view StageText::label() const {
  if (launch == StageLaunch::kernel) return "kernel";
  if (launch == StageLaunch::gemm) return tracked == Array::none ? "gemm" : "fused";
  if (collective != Collective::nothing)
    return collective == Collective::exchange ? "exchange" : "all_gather";
  return zeros ? "zeros" : "following";
}

bool SchemeText::is_kernel_alone() const {
  return std::ranges::all_of(stages, [](const StageText& s) { return s.launch == StageLaunch::kernel; });
}

std::vector<const StageText*> SchemeText::stages_for(const SchemeFacts& values) const {
  std::vector<const StageText*> chosen;
  for (const StageText& stage : stages) {
    if (stage.condition.type == Node::Type::nothing) {
      chosen.push_back(&stage);
      continue;
    }
    try {
      if (compiled(stage.condition).evaluate(values) != 0) chosen.push_back(&stage);
    } catch (const ExpressionError& e) {
      throw error_at(Piece::whole(stage.condition), e.what(), e.offset);
    }
  }
  return chosen;
}

SchemeText read_scheme(const Node& root, const std::string& origin) {
  SchemeText scheme;
  scheme.origin = origin;
  scheme.name = std::filesystem::path(origin).stem().string();
  check_keys(root, "scheme", {"name", "doc", "from", "stages", "derived"});
  scheme.title = scalar(needed(root, "name", "scheme"), "name").scalar;
  if (const Node* doc = optional(root, "doc")) scheme.doc = doc->scalar;
  if (const Node* derived = optional(root, "derived")) scheme.derived = read_formula(*derived);
  if (const Node* from = optional(root, "from")) {
    scheme.from = scalar(*from, "from").scalar;
    if (!scheme.derived) throw error_at(from->where, "from: only of a derived scheme; say derived: ...");
  }
  read_stages(needed(root, "stages", "scheme"), scheme);
  return scheme;
}

std::string explain(const SchemeText& scheme) {
  std::string text = fmt::format("{}: {}\n", scheme.name, scheme.doc);
  for (const StageText& stage : scheme.stages)
    text +=
        fmt::format("  {:<10} {}{}\n", stage.label(), what_it_does(stage),
                    stage.condition.scalar.empty() ? "" : fmt::format("   [if {}]", stage.condition.scalar));
  const std::string where = scheme.from.empty() ? "each alone" : "as they ran in " + scheme.from;
  return text + (scheme.derived ? fmt::format("  time: {}, {}\n", scheme.derived->text(), where)
                                : "  time: the sum of the stages\n");
}

}  // namespace t3sim::program
