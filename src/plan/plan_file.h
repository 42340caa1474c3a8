// A collective as a YAML file says it (docs/collectives.md): what is written, before it is evaluated for a
// number of GPUs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "plan/plan.h"

namespace t3sim {

struct TransferText {
  std::string to, array = "0";
  std::optional<Op> op;
};
struct DmaText : TransferText {
  std::string loop;  // "d in 1 .. n - 1": a transfer for each d
};
struct ExpectText {
  std::string local, remote;
};
struct RuleText {
  std::string when;
  std::optional<Op> local;
  TransferText remote_map;
  std::vector<DmaText> dma_map;
  bool present = false;
  ExpectText expect;
};
struct OrderText {
  std::string count, chunk;
};
struct ParameterText {
  std::uint64_t value = 0, min = 0, max = 1'000'000;
  std::string doc;
};

struct PlanFile {
  std::string name;
  std::string doc;
  CollectiveKind kind = CollectiveKind::custom;
  std::string chunks = "n", arrays = "1";
  std::string require;  // true, or the collective does not exist for these GPUs
  std::optional<std::uint32_t> tiles_per_block;
  std::map<std::string, ParameterText> parameters;
  OrderText order;
  std::vector<RuleText> rules;

  std::string origin;  // what messages call the file
  config::Node root;   // where everything was said
  config::Sources sources;
};

// Throws InputError for what is no YAML, unknown keys and missing ones. Expressions are not looked at yet.
PlanFile read_plan_file(const std::string& text, const std::string& origin);

// For how many GPUs, in nodes of how many (0: there are no nodes), with which parameters (others: defaults).
struct PlanSetting {
  std::uint32_t gpus = 0;
  std::uint32_t node_size = 0;
  std::map<std::string, std::int64_t> parameters;
};

// Evaluates the rules for every chunk of every array of every GPU, and checks the plan (plan_check.h).
// Throws InputError.
CollectivePlan make_plan(const PlanFile& file, const PlanSetting& setting);

}  // namespace t3sim
