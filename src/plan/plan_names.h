// The names in a collective's expressions, and where in the file each expression is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/expression.h"
#include "plan/plan_file.h"

namespace t3sim {

struct LocatedExpression {
  Expression expression;
  std::string path;        // of the key
  std::size_t offset = 0;  // of the expression in its value
};

class PlanNames {
 public:
  // n, node_size if given, and the parameters. Throws InputError for parameters the file does not have.
  PlanNames(const PlanFile& file, const PlanSetting& setting);

  // `here`: names that only this expression can use, after the others. Throws InputError.
  LocatedExpression compile(const std::string& path, std::string_view text,
                            const std::vector<std::string>& here, std::size_t offset = 0) const;
  // With the values of the names `here`; `of` starts the message: "GPU 1, chunk 2: ".
  std::int64_t evaluate(const LocatedExpression& expression, std::span<const std::int64_t> here,
                        std::string_view of = "") const;
  // "file:line:column: path: message", the column of a character of the value.
  InputError error(const std::string& path, std::size_t offset, std::string_view message) const;
  // "n = 6, node_size = 4"
  std::string values() const;

 private:
  void add(std::string name, std::int64_t value);

  const PlanFile& file_;
  Vocabulary vocabulary_;
  std::vector<std::int64_t> values_;
};

}  // namespace t3sim
