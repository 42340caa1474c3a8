#include "program/loops.h"

#include <fmt/format.h>

namespace t3sim::program {

void Loops::expand(const config::Node& item, const std::function<void(const config::Node&)>& f) {
  if (item.type != config::Node::Type::map) return f(item);
  const config::Node* times = optional(item, "repeat");
  const std::int64_t count = times ? scope_.evaluate(Piece::whole(*times), "repeat", 0, 1'000'000) : 1;
  for (std::int64_t i = 0; i < count; ++i) loop(item, 0, f);
}

void Loops::loop(const config::Node& item, std::size_t variable,
                 const std::function<void(const config::Node&)>& f) {
  const config::Node* variables = optional(item, "for");
  if (!variables || variable == variables->entries.size()) return round(item, f);
  const config::Entry& entry = variables->entries[variable];
  const auto [first, last] = evaluate_range(scope_, Piece::whole(scalar(entry.value, "for")));
  if (last < first) return;
  const std::size_t outer = scope_.size();
  scope_.declare(entry.key, first, entry.where);
  for (std::int64_t value = first;; ++value) {
    scope_.set(outer, value);
    if (++rounds_ > kMostRounds)
      throw error_at(entry.where, fmt::format("more than {} rounds of loops", kMostRounds));
    loop(item, variable + 1, f);
    if (value == last) break;
  }
  scope_.shrink(outer);
}

void Loops::round(const config::Node& item, const std::function<void(const config::Node&)>& f) {
  const std::size_t outer = scope_.size();
  if (const config::Node* names = optional(item, "let"))
    for (const config::Entry& entry : names->entries)
      scope_.declare(entry.key, scope_.evaluate(entry.value, "let"), entry.where);
  const config::Node* condition = optional(item, "if");
  const config::Node* body = optional(item, "do");
  if (!body) body = &item;
  if (condition && scope_.evaluate(*condition, "if") == 0) body = optional(item, "else");
  if (body) f(*body);
  scope_.shrink(outer);
}

void Loops::each(const config::Node& items, const std::function<void(const config::Node&)>& f) {
  if (items.type == config::Node::Type::list) {
    for (const config::Node& item : items.items) each(item, f);
    return;
  }
  expand(items, [&](const config::Node& body) { &body == &items ? f(body) : each(body, f); });
}

}  // namespace t3sim::program
