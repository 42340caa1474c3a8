// Programs written in tests.
#pragma once

#include <string>

#include "base/error.h"
#include "program/check.h"
#include "program/dependences.h"
#include "program/evaluate.h"

namespace t3sim::program {

inline Program program_of(const std::string& yaml, std::uint32_t gpus = 2,
                          const std::map<std::string, std::int64_t>& parameters = {}) {
  Setting setting;
  setting.gpus = gpus;
  setting.parameters = parameters;
  return evaluate(read_text(yaml, "p.yaml"), setting);
}

// The message with which a program is refused, by whoever sees it first.
inline std::string refusal(const std::string& yaml, std::uint32_t gpus = 2,
                           const std::map<std::string, std::int64_t>& parameters = {}) {
  try {
    const Program program = program_of(yaml, gpus, parameters);
    check(program);
    check_dependences(program);
  } catch (const InputError& e) {
    return e.what();
  } catch (const NoProgressError& e) {
    return std::string("no progress: ") + e.what();
  }
  return "(accepted)";
}

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  return at == text.npos ? "\"" + what + "\" is not in the text" : text.replace(at, what.size(), with);
}

}  // namespace t3sim::program
