#include "validation/paper/figure.h"

namespace t3sim::paper {

Config configure(const Config& machine, const Case& c, std::vector<std::string> schemes) {
  Config config = configure(machine, c);
  config.schemes = std::move(schemes);
  return config;
}

}  // namespace t3sim::paper
