#!/bin/sh
# Writes pairs.csv anew: for each two methods measured on the same shape, which is faster, measured and by the machine; and says how many are right.
# pairs.sh [t3sim program [options]]. Run from the repository's root; finished runs are kept in out.
# Rows: GEMM + reduce-scatter on one stream, on two and in pieces, and tiles stored into their owner, on four H200; all-gather + GEMM at
# 1,024 rows and FiCCO's schedules of two shapes on two.
set -eu
program=${1:-build/t3sim}
[ $# -eq 0 ] || shift
measured=validation/measured/data
rows=out/rivals-pairs
rm -rf "$rows" && mkdir -p "$rows/h200" "$rows/h200x2"
awk -F, 'NR == 1 || $3 ~ /^(seq|conc|fused)$/' "$measured/h200/overlap.csv" >"$rows/h200/overlap.csv"
cp "$measured/h200/fused_4gpu.csv" "$rows/h200/"
awk -F, 'NR == 1 || $4 == 1024' "$measured/h200x2/ag_gemm.csv" >"$rows/h200x2/ag_gemm.csv"
awk -F, 'NR == 1 || ($3 == "normal" && $4 ~ /^(gpt3-fc1|llama70b-qkv)$/ && $9 == "schedule" && $8 !~ /strided|emulated/)' \
  "$measured/h200x2/ficco_schedules.csv" >"$rows/h200x2/ficco_schedules.csv"
"$program" validate measured --data "$rows" --calibrated --kernels "$measured" --all --runs out/measured-runs \
  --kinds "sequential,two_streams,medium_grained,fused_store,ag_gemm,ficco_schedules" -o out/rivals-pairs-results "$@" || [ $? -eq 1 ]
cp out/rivals-pairs-results/pairs.csv validation/rivals/pairs.csv
python3 -B validation/rivals/pairs.py
