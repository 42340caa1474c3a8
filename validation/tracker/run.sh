#!/bin/sh
# Makes results.csv anew: run.sh [t3sim program]. Run from the repository's root; about five minutes of one core.
# Mega-GPT-2's output projection and T-NLG's FC-2, forward, on 8 and 16 GPUs: the published Tracker against one
# without a limit.
set -eu
program=${1:-build/t3sim}
folder=validation/tracker
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() {  # name, tokens, H, K, GPUs
  for capacity in paper unbounded; do
    "$program" run configs/paper/machine.yaml --set workload.name="$1" --set workload.m="$2" --set workload.n="$3" \
      --set workload.k="$4" --set workload.layout=TN --set gpus.count="$5" --set gpus.model=mirror \
      --set tracker.capacity=$capacity --scheme t3-mca --quiet -o "$out/$1-$5-$capacity" > /dev/null
  done
}
run Mega-GPT-2-OP 16384 3072 384 8
run Mega-GPT-2-OP 16384 3072 192 16
run T-NLG-FC-2 8192 4256 2128 8
run T-NLG-FC-2 8192 4256 1064 16
python3 -B $folder/table.py "$out" > "$out/results.csv"
mv "$out/results.csv" $folder/results.csv
