#!/bin/sh
# Flux over two nodes of eight H800, m = 8192, as Figure 15 has it: two-nodes.sh [t3sim program] > runs.csv. Run from the repository's root; the
# gather's three rows take 20 minutes of CPU time, the scatter's longer. GEMMs alone are those of one GPU, as all do the same.
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
echo run,us
row gather-gemm --machine h800-x8 --program decomposed-gemm -p pieces=1 -p m=8192 -p n=3072 -p k=12288
row gather-communication $here/h800-2x8.yaml --program $here/two-node-all-gather-gemm.yaml -p gemm=0
row gather-fused $here/h800-2x8.yaml --program $here/two-node-all-gather-gemm.yaml
row scatter-gemm --machine h800-x8 --program decomposed-gemm -p pieces=1 -p m=8192 -p n=12288 -p k=3072
row scatter-communication $here/h800-2x8.yaml --program $here/two-node-gemm-reduce-scatter.yaml -p gemm=0
row scatter-fused $here/h800-2x8.yaml --program $here/two-node-gemm-reduce-scatter.yaml
