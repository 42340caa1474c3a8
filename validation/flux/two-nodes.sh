#!/bin/sh
# Flux over two nodes of eight H800, and of eight A100, m = 8192, as Figure 15 has it: two-nodes.sh [t3sim program] > runs.csv. Run from the
# repository's root; hours of CPU time. GEMMs alone are those of one GPU, as all do the same.
set -eu
program=${1:-build/t3sim}
here=validation/flux
row() {
  name=$1
  shift
  us=$("$program" run "$@" --json -q | sed -n 's/^ *"time_us": \([0-9.]*\),$/\1/p' | head -n 1)
  [ -n "$us" ] || exit 1  # it has said why
  printf '%s,%.2f\n' "$name" "$us"
}
rows() {  # name, machine of one node, machine of two nodes, rows of a copy of the gather, the scatter's fused program, CUs
  row "$1-gather-gemm" --machine "$2" --program decomposed-gemm -p pieces=1 -p m=8192 -p n=3072 -p k=12288
  row "$1-gather-communication" "$3" --program $here/two-node-all-gather-gemm.yaml -p rows="$4" -p gemm=0
  row "$1-gather-fused" "$3" --program $here/two-node-all-gather-gemm.yaml -p rows="$4"
  row "$1-scatter-gemm" --machine "$2" --program decomposed-gemm -p pieces=1 -p m=8192 -p n=12288 -p k=3072
  row "$1-scatter-communication" "$3" --program $here/two-node-gemm-reduce-scatter.yaml -p cus="$6" -p gemm=0
  row "$1-scatter-fused" "$3" --program "$here/$5" -p cus="$6"
}
echo run,us
rows h800 h800-x8 $here/h800-2x8.yaml 512 two-node-gemm-reduce-scatter.yaml 132
rows a100 a100-nvlink-x8 $here/a100-2x8.yaml 512 two-node-gemm-reduce-scatter-ampere.yaml 108
