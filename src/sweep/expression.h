// Conditions over the keys of a configuration: `where: workload.m * workload.n < 1e8`.
//
// Numbers, numbers with units (100 GB/s), keys (topology.bandwidth), words (`gpus.model == explicit`; quote
// words that are no plain names: "row-major"), preset, in the grammar of base/expression_grammar.h.
// Quantities carry their units through arithmetic, so that comparing bytes with seconds, or a bandwidth with
// a plain number, is refused.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "config/node.h"
#include "sweep/keys.h"

namespace t3sim::sweep {

struct Expression;  // a node of the parsed tree: expression.cpp

class Condition {
 public:
  // `where` is the place of the text's first character. Throws InputError with the place of what is wrong.
  Condition(std::string text, config::Location where);
  const config::Location& where() const { return where_; }

  const std::string& text() const { return text_; }
  // The keys that it looks at.
  const std::set<std::string, std::less<>>& keys() const { return keys_; }
  // Throws InputError, e.g. for units that do not go together.
  bool holds(const KeyValues& values) const;

 private:
  std::string text_;
  config::Location where_;
  std::set<std::string, std::less<>> keys_;
  std::shared_ptr<const Expression> root_;
};

}  // namespace t3sim::sweep
