#include "trace/import/accelsim/issue_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"
#include "base/number.h"

namespace t3sim::accelsim {
namespace {

struct Number {
  std::string_view key;
  std::uint32_t& (*value)(IssueModel&);
  std::uint32_t least, most;
};
constexpr std::uint32_t kMost = 1000;  // cycles
constexpr std::array kNumbers{
    Number{"schedulers", [](IssueModel& m) -> std::uint32_t& { return m.schedulers; }, 1, 8},
    Number{"collectors", [](IssueModel& m) -> std::uint32_t& { return m.collectors; }, 1, 64},
    Number{"integer_interval", [](IssueModel& m) -> std::uint32_t& { return m.integer.interval; }, 1, kMost},
    Number{"integer_latency", [](IssueModel& m) -> std::uint32_t& { return m.integer.latency; }, 1, kMost},
    Number{"fp32_interval", [](IssueModel& m) -> std::uint32_t& { return m.fp32.interval; }, 1, kMost},
    Number{"fp32_latency", [](IssueModel& m) -> std::uint32_t& { return m.fp32.latency; }, 1, kMost},
    Number{"fp64_interval", [](IssueModel& m) -> std::uint32_t& { return m.fp64.interval; }, 1, kMost},
    Number{"fp64_latency", [](IssueModel& m) -> std::uint32_t& { return m.fp64.latency; }, 1, kMost},
    Number{"half_interval", [](IssueModel& m) -> std::uint32_t& { return m.half.interval; }, 1, kMost},
    Number{"half_latency", [](IssueModel& m) -> std::uint32_t& { return m.half.latency; }, 1, kMost},
    Number{"sfu_interval", [](IssueModel& m) -> std::uint32_t& { return m.sfu.interval; }, 1, kMost},
    Number{"sfu_latency", [](IssueModel& m) -> std::uint32_t& { return m.sfu.latency; }, 1, kMost},
    Number{"tensor_flops_per_cycle", [](IssueModel& m) -> std::uint32_t& { return m.tensor_flops_per_cycle; },
           1, 1 << 20},
    Number{"tensor_latency", [](IssueModel& m) -> std::uint32_t& { return m.tensor_latency; }, 1, kMost},
    Number{"shared_latency", [](IssueModel& m) -> std::uint32_t& { return m.shared_latency; }, 1, kMost},
    Number{"l1_miss_sectors", [](IssueModel& m) -> std::uint32_t& { return m.l1_miss_sectors; }, 1, 64},
    Number{"l1_queue", [](IssueModel& m) -> std::uint32_t& { return m.l1_queue; }, 0, 1 << 16},
    Number{"cus", [](IssueModel& m) -> std::uint32_t& { return m.cus; }, 1, 1 << 16},
    Number{"threads", [](IssueModel& m) -> std::uint32_t& { return m.threads; }, 32, 2048},
    Number{"registers", [](IssueModel& m) -> std::uint32_t& { return m.registers; }, 1, 1 << 20},
    Number{"shared_kib", [](IssueModel& m) -> std::uint32_t& { return m.shared_kib; }, 1, 1 << 20},
    Number{"blocks", [](IssueModel& m) -> std::uint32_t& { return m.blocks; }, 1, 64},
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
  number->value(*this) = value;
}

std::string IssueModel::describe() const {
  IssueModel copy = *this;
  std::string text;
  for (const Number& n : kNumbers)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", n.key, n.value(copy));
  return text;
}

UnitTiming IssueModel::timing(const Opcode& opcode) const {
  switch (opcode.kind) {
    case OpKind::integer:
      return integer;
    case OpKind::fp32:
      return fp32;
    case OpKind::fp64:
      return fp64;
    case OpKind::half:
      return half;
    case OpKind::sfu:
      return sfu;
    case OpKind::tensor: {
      const std::uint64_t work = std::uint64_t{opcode.tensor_work} * schedulers;
      const auto interval =
          narrow<std::uint32_t>((work + tensor_flops_per_cycle - 1) / tensor_flops_per_cycle);
      return {interval, std::max(tensor_latency, interval)};
    }
    default:
      return {1, 1};
  }
}

IssueModel issue_model(std::string_view name) {
  IssueModel model;
  if (name == "volta") return model;
  model.integer.latency = model.fp32.latency = model.half.latency = 4;
  model.half.interval = 1;
  model.fp64.latency = 6;
  model.sfu.latency = 23;
  model.tensor_flops_per_cycle = 2048;
  model.tensor_latency = 12;
  model.l1_miss_sectors = 2;
  model.cus = 108;
  model.shared_kib = 164;
  if (name == "ampere") return model;
  model.fp32.interval = 1;
  model.fp64 = {2, 8};
  model.tensor_flops_per_cycle = 4096;
  model.cus = 132;
  model.shared_kib = 228;
  if (name == "hopper") return model;
  throw InputError(fmt::format("issue model '{}' is unknown: there are volta, ampere, hopper", name));
}

}  // namespace t3sim::accelsim
