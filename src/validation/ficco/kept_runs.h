// Times of programs, several at a time; what has been run is kept on disk, by program and configuration.
#pragma once

#include <string>
#include <vector>

#include "machine/config.h"

namespace t3sim::ficco {

struct Timed {
  double us = 0, sample_error_us = 0;
};

struct KeepOptions {
  unsigned jobs = 2;
  std::string folder;  // of finished runs; empty: none is kept
  bool quiet = false;
};

// In the order of `configs`. Progress and the time left go to standard error. Throws what the first failed run threw.
std::vector<Timed> run_kept(const std::vector<Config>& configs, const KeepOptions& options);

}  // namespace t3sim::ficco
