// A number of a configuration that calibration may move, by the path of its key.
#pragma once

#include <string>
#include <vector>

#include "machine/config.h"

namespace t3sim {

class FreeValue {
 public:
  // Throws InputError if `path` names no key with a number (count, real, size, time, bandwidth, frequency),
  // or one whose value is 0: steps are relative.
  FreeValue(std::string path, const Config& config);

  const std::string& path() const { return path_; }
  double base() const { return base_; }  // in base units
  // Sets base() times `factor` in `config`, rounded to what its unit allows; false if the key's limits forbid
  // it.
  bool set(Config& config, double factor) const;
  // As a configuration file says it.
  std::string text(double factor) const;

 private:
  std::string path_;
  std::string kind_;
  double base_ = 0;
};

}  // namespace t3sim
