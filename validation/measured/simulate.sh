#!/bin/sh
# Makes simulated/ anew, rows by the machine and not by the estimate: simulate.sh [t3sim program [options]]. Run from the repository's
# root; the plots need gnuplot. Several hours of CPU time; finished runs are kept in --runs (out/measured-runs) by the program's hash, so
# it goes on where it was stopped.
set -eu
program=${1:-build/t3sim}
[ $# -eq 0 ] || shift
into=validation/measured/simulated
holdout=validation/measured/holdout
simulate() {
  name=$1
  shift
  "$program" validate measured -o out/simulated/"$name" "$@" || [ $? -eq 1 ]  # 1: some row could not be run; it has said which
  mkdir -p $into/"$name"
  cp out/simulated/"$name"/*.csv $into/"$name"
}
simulate collectives --all --kinds ring_collectives_large,ring_collectives_small,all_to_all,sequential,fused_store,two_streams "$@"
simulate gemm_time --kinds gemm_time --rows 100 "$@"
simulate traffic --kinds gemm_l2_read,gemm_dram_read --rows 36 "$@"
simulate h100 --data $holdout/h100 --kinds gemm_time,gemm_l2_read,gemm_dram_read --rows 56 "$@"
simulate copies --all --kinds copies_large,copies_small,copies_2d "$@"
simulate embedding --kinds embedding,embedding_cached,embedding_saving --rows 8 "$@"
simulate gemv --all --kinds gemv,gemv_saving "$@"
simulate interference --all --data $holdout/h200-again --kernels validation/measured --config configs/systems/h200-x4.yaml --kinds interference "$@"
simulate overlap_efficiency --all --kinds overlap_efficiency "$@"
simulate ag_gemm --all --kinds ag_gemm,ag_gemm_efficiency "$@"
gnuplot -e "results='$into'" validation/measured/plot.gp
