#include "sweep/further_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/expression_grammar.h"
#include "base/number.h"
#include "results/counter_list.h"

namespace t3sim::sweep {
namespace {

using Lookup = std::function<std::optional<double>(std::string_view)>;

[[noreturn]] void refuse_at(const config::Location& where, std::string_view message) {
  throw InputError(fmt::format("{}: {}", where.text(), message));
}

// A counter, and the phase it is wanted of ("" all).
struct Wanted {
  std::string counter, phase;
};

Wanted wanted(const std::string& text) {
  const std::size_t at = std::min(text.find('@'), text.size());
  return {text.substr(0, at), text.substr(std::min(at + 1, text.size()))};
}

std::string plain_name(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return !expression::is_letter(c) && !expression::is_digit(c); }, '_');
  return text;
}

// Works an expression out while it is read: it is short, and rows are few.
class Calculator {
 public:
  using Node = std::optional<double>;

  explicit Calculator(const Lookup& value) : value_(value) {}

  std::string_view operands() const { return "a column, a number"; }
  Node number(std::string_view rest, std::size_t at, std::size_t& length) {
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{}) throw ExpressionError(at, "not a number");
    length = narrow<std::size_t>(end - rest.data());
    return value;
  }
  Node name(std::string_view word, std::size_t) { return value_(word); }
  Node unary(Operator op, std::size_t at, Node a) {
    if (op != Operator::negate) refuse(op, at);
    return a ? Node(-*a) : a;
  }
  Node binary(Operator op, std::size_t at, Node a, Node b) {
    check(op, at);
    if (!a || !b) return std::nullopt;
    const double result = combined(op, *a, *b);
    return std::isfinite(result) ? Node(result) : std::nullopt;
  }

 private:
  [[noreturn]] static void refuse(Operator op, std::size_t at) {
    throw ExpressionError(at, fmt::format("\"{}\" gives no number", to_string(op)));
  }
  static void check(Operator op, std::size_t at) {
    using enum Operator;
    for (const Operator allowed : {add, subtract, multiply, divide, modulo, min, max})
      if (op == allowed) return;
    refuse(op, at);
  }
  static double combined(Operator op, double a, double b) {
    switch (op) {
      case Operator::add:
        return a + b;
      case Operator::subtract:
        return a - b;
      case Operator::multiply:
        return a * b;
      case Operator::divide:
        return a / b;
      case Operator::min:
        return std::min(a, b);
      case Operator::max:
        return std::max(a, b);
      default:
        return std::fmod(a, b);
    }
  }

  const Lookup& value_;
};

void check_collected(const config::Node& item) {
  if (item.type != config::Node::Type::scalar)
    refuse_at(item.where, fmt::format("collect: expected gap, limits or a counter, found {}", what_is(item)));
  if (item.scalar == "gap" || item.scalar == "limits") return;
  counter_named(fmt::format("{}: collect", item.where.text()), wanted(item.scalar).counter);
}

// Those that every row has; what else a row has, its scheme decides.
bool is_of_results(const std::string& name) {
  constexpr const char* kOfAll[] = {"point", "scheme", "time_us", "speedup", "link_bytes"};
  return std::ranges::any_of(kOfAll, [&](const char* known) { return same_column(known, name); }) ||
         name.starts_with("dram_");
}

}  // namespace

std::string column_of_counter(const std::string& collected) { return plain_name(collected); }

bool same_column(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, ::tolower, ::tolower);
}

bool FurtherColumns::gap() const { return std::ranges::count(collect, "gap") > 0; }
bool FurtherColumns::limits() const { return std::ranges::count(collect, "limits") > 0; }

std::vector<std::string> FurtherColumns::counters() const {
  std::vector<std::string> counters = collect;
  std::erase_if(counters, [](const std::string& what) { return what == "gap" || what == "limits"; });
  return counters;
}

std::vector<std::string> read_collect(const config::Entry& collect) {
  if (collect.value.type != config::Node::Type::list)
    refuse_at(collect.value.where,
              fmt::format("collect: expected a list of counters, found {}", what_is(collect.value)));
  std::vector<std::string> names;
  for (const config::Node& item : collect.value.items) {
    check_collected(item);
    if (std::ranges::count(names, item.scalar) > 0)
      refuse_at(item.where, fmt::format("collect: {} is said twice", item.scalar));
    names.push_back(item.scalar);
  }
  return names;
}

std::vector<DerivedColumn> read_derived(const config::Entry& columns) {
  if (columns.value.type != config::Node::Type::map)
    refuse_at(columns.value.where, fmt::format("columns: expected names with an expression each, found {}",
                                               what_is(columns.value)));
  std::vector<DerivedColumn> derived;
  for (const config::Entry& entry : columns.value.entries) {
    if (plain_name(entry.key) != entry.key || expression::is_digit(entry.key.front()))
      refuse_at(entry.where,
                fmt::format("columns: \"{}\" is no name; allowed: letters, digits and _", entry.key));
    if (is_of_results(entry.key))
      refuse_at(entry.where, fmt::format("columns: \"{}\" is a column of the results already", entry.key));
    if (std::ranges::any_of(derived, [&](const DerivedColumn& d) { return same_column(d.name, entry.key); }))
      refuse_at(entry.where, fmt::format("columns: \"{}\" is said twice", entry.key));
    derived.push_back({entry.key, entry.value.scalar, entry.value.where});
    try {
      evaluate(derived.back(), [](std::string_view) { return std::optional(1.0); });
    } catch (const ExpressionError& e) {
      refuse_at(entry.value.where, fmt::format("columns: {}: {}", entry.key, e.what()));
    }
  }
  return derived;
}

Ordered<Ordered<Number>> collected(const RunReport& report, const std::string& scheme,
                                   const std::vector<std::string>& counters) {
  Ordered<Ordered<Number>> out;
  const std::vector<FoldedStat> stats = counters.empty() ? std::vector<FoldedStat>() : fold(report.stats);
  for (const std::string& text : counters) {
    const Wanted want = wanted(text);
    const CounterInfo& counter = counter_named("collect", want.counter);
    const std::optional<double> value = value_of(stats, counter, scheme, want.phase);
    if (!value) continue;
    const std::string component = plain_name(want.counter.substr(0, want.counter.rfind('.')));
    std::string name = counter.name + (want.phase.empty() ? "" : "_" + plain_name(want.phase));
    auto it = std::ranges::find(out, component, &std::pair<std::string, Ordered<Number>>::first);
    if (it == out.end()) it = out.insert(it, {component, {}});
    it->second.emplace_back(std::move(name), *value);
  }
  return out;
}

std::vector<std::pair<std::string, t3sim::Value>> gap_columns(const SchemeResult& scheme) {
  std::vector<std::pair<std::string, t3sim::Value>> columns;
  if (!scheme.gap) return columns;
  columns.emplace_back("gap_us", real(scheme.gap->gap_ps) / 1e6);
  for (const auto& [part, ps] : scheme.gap->parts_ps)
    columns.emplace_back(fmt::format("gap_{}_us", part), real(ps) / 1e6);
  return columns;
}

std::vector<std::pair<std::string, t3sim::Value>> limit_columns(const SchemeResult& scheme) {
  std::vector<std::pair<std::string, t3sim::Value>> columns;
  for (const auto& [phase, l] : scheme.limits) {
    const auto add = [&, &p = phase](std::string_view name, t3sim::Value value) {
      columns.emplace_back(fmt::format("{}_{}", p, name), std::move(value));
    };
    add("tflops", l.tflops);
    add("matrix_share", l.matrix_share);
    add("link_share", l.link_share);
    add("dram_share", l.dram_share);
    if (l.l2_hit_rate) add("l2_hit_rate", *l.l2_hit_rate);
    add("cus_busy", l.cus_busy);
    add("limited_by", l.limited_by);
    add("limited_share", l.limited_share);
  }
  return columns;
}

std::optional<double> evaluate(const DerivedColumn& column, const Lookup& value) {
  Calculator calculator(value);
  return ExpressionGrammar(column.text, calculator).whole();
}

}  // namespace t3sim::sweep
