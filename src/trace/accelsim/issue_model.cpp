#include "trace/accelsim/issue_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/error.h"

namespace t3sim::accelsim {
namespace {

struct Number {
  std::string_view key;
  std::uint32_t IssueModel::*value;
  std::uint32_t least, most;
};
constexpr std::array kNumbers{
    Number{"schedulers", &IssueModel::schedulers, 1, 8},
    Number{"integer_interval", &IssueModel::integer_interval, 1, 1000},
    Number{"fp32_interval", &IssueModel::fp32_interval, 1, 1000},
    Number{"fp64_interval", &IssueModel::fp64_interval, 1, 1000},
    Number{"half_interval", &IssueModel::half_interval, 1, 1000},
    Number{"sfu_interval", &IssueModel::sfu_interval, 1, 1000},
    Number{"tensor_flops_per_cycle", &IssueModel::tensor_flops_per_cycle, 1, 1 << 20},
    Number{"shared_cycles_percent", &IssueModel::shared_cycles_percent, 0, 10000},
    Number{"overlap_percent", &IssueModel::overlap_percent, 0, 100},
};

}  // namespace

void IssueModel::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view key = assignment.substr(0, equals);
  const auto number =
      std::find_if(kNumbers.begin(), kNumbers.end(), [&](const Number& n) { return n.key == key; });
  if (number == kNumbers.end()) {
    std::string known;
    for (const Number& n : kNumbers) known += fmt::format("{}{}", known.empty() ? "" : ", ", n.key);
    throw InputError(fmt::format("issue model: '{}' is unknown: there are {}", key, known));
  }
  const std::string_view text = equals == assignment.npos ? "" : assignment.substr(equals + 1);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < number->least ||
      value > number->most)
    throw InputError(fmt::format("issue model: {}={}: it must be a whole number from {} to {}", key, text,
                                 number->least, number->most));
  this->*number->value = value;
}

std::string IssueModel::describe() const {
  std::string text;
  for (const Number& n : kNumbers)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", n.key, this->*n.value);
  return text;
}

IssueModel issue_model(std::string_view name) {
  IssueModel model;  // Volta
  if (name == "volta") return model;
  model.half_interval = 1;
  model.tensor_flops_per_cycle = 2048;
  if (name == "ampere") return model;
  model.fp32_interval = 1;
  model.fp64_interval = 2;
  model.tensor_flops_per_cycle = 4096;
  if (name == "hopper") return model;
  throw InputError(fmt::format("issue model '{}' is unknown: there are volta, ampere, hopper", name));
}

void IssueWork::add(const IssueModel& model, unsigned warp, const Opcode& opcode, unsigned active_lanes) {
  Scheduler& scheduler = schedulers_[warp % model.schedulers];
  ++scheduler.busy_cycles[issue];
  switch (opcode.kind) {
    case OpKind::integer:
      scheduler.busy_cycles[integer] += model.integer_interval;
      break;
    case OpKind::fp32:
      scheduler.busy_cycles[fp32] += model.fp32_interval;
      break;
    case OpKind::fp64:
      scheduler.busy_cycles[fp64] += model.fp64_interval;
      break;
    case OpKind::half:
      scheduler.busy_cycles[half] += model.half_interval;
      break;
    case OpKind::sfu:
      scheduler.busy_cycles[sfu] += model.sfu_interval;
      break;
    case OpKind::tensor:
      scheduler.tensor_flops += opcode.tensor_work;
      break;
    default:
      break;
  }
  flops_ += opcode.warp_flops + std::uint64_t{opcode.lane_flops} * active_lanes;
}

std::uint32_t IssueWork::cycles(const IssueModel& model) const {
  std::uint64_t compute = 0;
  for (const Scheduler& scheduler : schedulers_) {
    const std::uint64_t tensor =
        (scheduler.tensor_flops * model.schedulers + model.tensor_flops_per_cycle - 1) /
        model.tensor_flops_per_cycle;
    compute = std::max(
        {compute, tensor, *std::max_element(scheduler.busy_cycles.begin(), scheduler.busy_cycles.end())});
  }
  const std::uint64_t shared = shared_cycles_ * model.shared_cycles_percent / 100;
  const std::uint64_t exposed = std::min(compute, shared) * (100 - model.overlap_percent) / 100;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max(compute, shared) + exposed, ~0U));
}

}  // namespace t3sim::accelsim
