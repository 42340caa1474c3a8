// What an operation takes by the machine's rates: an estimate, for what is not run at cycle level.
//
//   product of matrices   stages of tiles at the matrix units' rate, but no faster than its bytes; and its launch
//   pass over memory      its bytes at 90 % of the memory's bandwidth (what streaming kernels reach); and its launch
#pragma once

#include "machine/config.h"

namespace t3sim::model {

inline constexpr double kElement = 2;  // bytes: FP16, BF16

class Rates {
 public:
  explicit Rates(const Config& machine);

  // `count` independent products of M x N x K, in one kernel.
  double gemm_us(double m, double n, double k, double count = 1) const;
  // An element-wise operator that moves this many bytes.
  double pass_us(double bytes) const;
  double bytes_per_us() const { return bytes_per_us_; }
  double launch_us() const { return launch_us_; }
  // Of which only these are known: at full rate of either, whichever takes longer.
  double work_us(double flops, double bytes) const;

 private:
  double cus_, slots_, tile_m_, tile_n_, tile_k_;
  double flops_per_us_;  // of a CU
  double bytes_per_us_, launch_us_;
};

}  // namespace t3sim::model
