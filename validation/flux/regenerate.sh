#!/bin/sh
# Makes results/, h800/, a100/, pcie/, small/ and small-pcie/ anew: regenerate.sh [t3sim program [options]]. Run from the repository's root. Runs of these sources in kept.jsonl are not repeated.
set -eu
program=${1:-build/t3sim}
[ $# -eq 0 ] || shift
"$program" validate flux -o validation/flux/results "$@" || [ $? -eq 1 ]  # 1: a total misses; it has said which
"$program" validate flux --all --machines h800-x8 --m 1024,2048,4096,8192 --methods fused,medium,ring --committed validation/flux/h800/kept.jsonl \
  -o validation/flux/h800 "$@" || [ $? -eq 1 ]
"$program" validate flux --all --machines a100-nvlink-x8 --m 1024,2048,4096 --methods fused,medium --committed validation/flux/a100/kept.jsonl \
  -o validation/flux/a100 "$@" || [ $? -eq 1 ]
"$program" validate flux --all --machines a100-pcie-x8 --m 1024,2048 --methods fused --committed validation/flux/pcie/kept.jsonl \
  -o validation/flux/pcie "$@" || [ $? -eq 1 ]
"$program" validate flux --all --machines h800-x8,a100-nvlink-x8 --m 64,512 --methods fused,medium --committed validation/flux/small/kept.jsonl \
  -o validation/flux/small "$@" || [ $? -eq 1 ]
"$program" validate flux --all --machines a100-pcie-x8 --m 64,512 --methods fused --committed validation/flux/small-pcie/kept.jsonl \
  -o validation/flux/small-pcie "$@" || [ $? -eq 1 ]
