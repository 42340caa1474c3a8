// Evaluates a collective's rules for each chunk of each array of each GPU.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/number.h"
#include "plan/plan_check.h"
#include "plan/plan_graph.h"
#include "plan/plan_names.h"

namespace t3sim {
namespace {

constexpr std::uint64_t kMostCells = 1 << 22;  // chunks x arrays x GPUs: about 400 MB

struct Loop {
  LocatedExpression first, last;
};
struct TransferRule {
  LocatedExpression to, array;
  Op op = Op::update;
  std::optional<Loop> loop;
};
struct Expectation {
  LocatedExpression local, remote;
};
struct Rule {
  const RuleText* text = nullptr;
  std::optional<LocatedExpression> when;
  std::optional<TransferRule> remote_map;
  std::vector<TransferRule> dma_map;
  std::optional<Expectation> expect;
};

class PlanMaker {
 public:
  PlanMaker(const PlanFile& file, const PlanSetting& setting)
      : file_(file), gpus_(setting.gpus), names_(file, setting) {}

  CollectivePlan make() {
    check_requirement();
    plan_.name = file_.name;
    plan_.kind = file_.kind;
    plan_.tiles_per_block = file_.tiles_per_block.value_or(0);
    plan_.chunks = count("chunks", file_.chunks, 1 << 20);
    plan_.arrays = count("arrays", file_.arrays, 255);
    if (std::uint64_t{plan_.chunks} * plan_.arrays * gpus_ > kMostCells)
      throw names_.error("chunks", 0,
                         fmt::format("{} chunks x {} arrays x {} GPUs are more than {}", plan_.chunks,
                                     plan_.arrays, gpus_, kMostCells));
    for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) plan_.gpus.push_back(gpu_plan(gpu));
    compile_rules();
    for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) apply_rules(gpu);
    count_arrivals(plan_);
    for (const Expected& expected : expected_) check_expected(expected);
    check_plan(plan_, place_of_rules());
    return std::move(plan_);
  }

 private:
  // What is wrong with the plan as a whole follows from order and rules.
  std::string place_of_rules() const {
    const config::Node* rules = config::find_value(file_.root, "rules");
    return rules && rules->where.line != 0 ? rules->where.text() : file_.origin;
  }

  struct Expected {
    Cell cell;
    std::string path;
    std::int64_t local, remote;
  };

  void check_requirement() {
    if (file_.require.empty()) return;
    const LocatedExpression require = names_.compile("require", file_.require, {});
    if (names_.evaluate(require, {}) == 0)
      throw names_.error("require", 0,
                         fmt::format("this collective needs {}; here {}", file_.require, names_.values()));
  }

  std::uint32_t count(const char* path, const std::string& text, std::int64_t most) {
    const LocatedExpression expression = names_.compile(path, text, {});
    return narrow<std::uint32_t>(within(names_.evaluate(expression, {}), 1, most, expression, "", "number"));
  }

  // The value, if it is within first .. last.
  std::int64_t within(std::int64_t value, std::int64_t first, std::int64_t last,
                      const LocatedExpression& expression, const std::string& of, const char* what) const {
    if (value < first || value > last)
      throw names_.error(expression.path, expression.offset,
                         fmt::format("{}{} {}; allowed: {} to {}", of, what, value, first, last));
    return value;
  }

  GpuPlan gpu_plan(std::uint32_t gpu) {
    GpuPlan own;
    own.chunks.resize(std::size_t{plan_.arrays} * plan_.chunks);
    if (file_.order.count.empty()) return own;
    const std::string of = fmt::format("GPU {}: ", gpu);
    std::vector<std::int64_t> values = {gpu};
    const LocatedExpression number = names_.compile("order.count", file_.order.count, {"r"});
    const std::int64_t places =
        within(names_.evaluate(number, values, of), 0, plan_.chunks, number, of, "number");
    const LocatedExpression chunk = names_.compile("order.chunk", file_.order.chunk, {"r", "i"});
    values.push_back(0);
    for (std::int64_t& i = values.back(); i < places; ++i)
      own.order.push_back(narrow<std::uint32_t>(
          within(names_.evaluate(chunk, values, of), 0, plan_.chunks - 1, chunk, of, "chunk")));
    return own;
  }

  LocatedExpression in_rule(const std::string& path, const std::string& text, bool in_loop = false,
                            std::size_t offset = 0) {
    std::vector<std::string> here = {"r", "c", "a", "p"};
    if (in_loop) here.emplace_back("d");
    return names_.compile(path, text, here, offset);
  }

  void compile_rules() {
    for (std::size_t i = 0; i < file_.rules.size(); ++i) {
      const RuleText& text = file_.rules[i];
      const std::string path = fmt::format("rules.{}", i);
      Rule& rule = rules_.emplace_back();
      rule.text = &text;
      if (!text.when.empty()) rule.when = in_rule(path + ".when", text.when);
      if (!text.remote_map.to.empty()) rule.remote_map = transfer(path + ".remote_map", text.remote_map, "");
      for (std::size_t j = 0; j < text.dma_map.size(); ++j)
        rule.dma_map.push_back(
            transfer(fmt::format("{}.dma_map.{}", path, j), text.dma_map[j], text.dma_map[j].loop));
      if (!text.expect.local.empty())
        rule.expect = Expectation{in_rule(path + ".expect.local", text.expect.local),
                                  in_rule(path + ".expect.remote", text.expect.remote)};
    }
  }
  TransferRule transfer(const std::string& path, const TransferText& text, const std::string& over) {
    TransferRule rule{{}, {}, *text.op, {}};
    if (!over.empty()) rule.loop = loop(path + ".for", over);
    rule.to = in_rule(path + ".to", text.to, !over.empty());
    rule.array = in_rule(path + ".array", text.array, !over.empty());
    return rule;
  }
  // "d in FIRST .. LAST"
  Loop loop(const std::string& path, const std::string& text) {
    const std::string_view start = "d in ";
    const std::size_t dots = text.find("..");
    if (text.compare(0, start.size(), start) != 0 || dots == text.npos)
      throw names_.error(path, 0, fmt::format("expected d in FIRST .. LAST, found \"{}\"", text));
    return {in_rule(path, text.substr(start.size(), dots - start.size()), false, start.size()),
            in_rule(path, text.substr(dots + 2), false, dots + 2)};
  }

  void apply_rules(std::uint32_t gpu) {
    const std::vector<std::uint32_t>& order = plan_.gpus[gpu].order;
    std::vector<std::int64_t> place(plan_.chunks, -1);
    for (std::size_t i = order.size(); i-- > 0;) place[order[i]] = narrow<std::int64_t>(i);
    for (std::uint32_t array = 0; array < plan_.arrays; ++array)
      for (std::uint32_t chunk = 0; chunk < plan_.chunks; ++chunk) {
        const std::int64_t p = array == 0 ? place[chunk] : -1;
        apply_rules(Cell{gpu, array, chunk}, {gpu, chunk, array, p});
      }
  }
  // How messages about a chunk begin.
  std::string name_of(const Cell& cell) const {
    return plan_.arrays > 1 ? fmt::format("GPU {}, array {}, chunk {}: ", cell.gpu, cell.array, cell.chunk)
                            : fmt::format("GPU {}, chunk {}: ", cell.gpu, cell.chunk);
  }
  void apply_rules(const Cell& cell, std::vector<std::int64_t> values) {
    const std::string of = name_of(cell);
    const auto rule = std::ranges::find_if(rules_, [&](const Rule& candidate) {
      return !candidate.when || names_.evaluate(*candidate.when, values, of) != 0;
    });
    if (rule != rules_.end()) apply(*rule, cell, values, of);
  }

  void apply(const Rule& rule, const Cell& cell, std::vector<std::int64_t>& values, const std::string& of) {
    ChunkPlan& chunk = plan_.at(cell.gpu, cell.array, cell.chunk);
    chunk.present = rule.text->present;
    if (rule.text->local) {
      chunk.producer = ChunkPlan::Producer::local;
      chunk.op = *rule.text->local;
    }
    if (rule.remote_map) {
      chunk.producer = ChunkPlan::Producer::remote;
      chunk.remote = evaluate(*rule.remote_map, values, of);
    }
    for (const TransferRule& dma : rule.dma_map) append(chunk.dma, dma, values, of);
    if (rule.expect)
      expected_.push_back({cell, rule.expect->local.path, names_.evaluate(rule.expect->local, values, of),
                           names_.evaluate(rule.expect->remote, values, of)});
  }
  void append(std::vector<Transfer>& transfers, const TransferRule& rule, std::vector<std::int64_t>& values,
              const std::string& of) {
    if (!rule.loop) {
      transfers.push_back(evaluate(rule, values, of));
      return;
    }
    const std::int64_t first = names_.evaluate(rule.loop->first, values, of);
    const std::int64_t last =
        within(names_.evaluate(rule.loop->last, values, of), first - 1,
               first - 1 + std::int64_t{gpus_} * plan_.arrays, rule.loop->last, of, "end");
    values.push_back(first);
    for (; values.back() <= last; ++values.back()) transfers.push_back(evaluate(rule, values, of));
    values.pop_back();
  }
  Transfer evaluate(const TransferRule& rule, std::span<const std::int64_t> values, const std::string& of) {
    const std::int64_t to = within(names_.evaluate(rule.to, values, of), 0, gpus_ - 1, rule.to, of, "GPU");
    const std::int64_t array =
        within(names_.evaluate(rule.array, values, of), 0, plan_.arrays - 1, rule.array, of, "array");
    return {narrow<std::uint16_t>(to), narrow<std::uint8_t>(array), rule.op};
  }

  void check_expected(const Expected& e) const {
    const ChunkPlan& chunk = plan_.at(e.cell.gpu, e.cell.array, e.cell.chunk);
    const std::int64_t local = chunk.producer == ChunkPlan::Producer::local;
    const std::int64_t remote = chunk.stores_in + chunk.dma_in;
    if (e.local == local && e.remote == remote) return;
    const bool missing = e.local > local || e.remote > remote;
    throw names_.error(
        e.path, 0,
        fmt::format("{}expects {} local + {} remote updates an element, but {} + {} will come: {}",
                    name_of(e.cell), e.local, e.remote, local, remote,
                    missing ? "it would wait for ever" : "it would be forwarded before all have come"));
  }

  const PlanFile& file_;
  std::uint32_t gpus_;
  PlanNames names_;
  CollectivePlan plan_;
  std::vector<Rule> rules_;
  std::vector<Expected> expected_;
};

}  // namespace

CollectivePlan make_plan(const PlanFile& file, const PlanSetting& setting) {
  return PlanMaker(file, setting).make();
}

}  // namespace t3sim
