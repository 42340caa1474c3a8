#!/bin/sh
# Writes pairs.csv anew: for each two methods measured on the same shape, which is faster, measured and by the machine.
# pairs.sh [t3sim program [options]]. Run from the repository's root; finished runs are kept in out.
# Rows: GEMM + reduce-scatter on one stream, on two and in pieces on four H200; all-gather + GEMM at 1,024 rows and FiCCO's schedules of
# GPT-3's FC-1 on two. Tiles that store into their owner on four take an hour more: validation/measured has those.
set -eu
program=${1:-build/t3sim}
[ $# -eq 0 ] || shift
measured=validation/measured/data
rows=out/rivals-pairs
rm -rf "$rows" && mkdir -p "$rows/h200" "$rows/h200x2"
awk -F, 'NR == 1 || $3 ~ /^(seq|conc|fused)$/' "$measured/h200/overlap.csv" >"$rows/h200/overlap.csv"
awk -F, 'NR == 1 || $4 == 1024' "$measured/h200x2/ag_gemm.csv" >"$rows/h200x2/ag_gemm.csv"
awk -F, 'NR == 1 || ($3 == "normal" && $4 == "gpt3-fc1" && $9 == "schedule" && $8 !~ /strided|emulated/)' \
  "$measured/h200x2/ficco_schedules.csv" >"$rows/h200x2/ficco_schedules.csv"
"$program" validate measured --data "$rows" --kernels "$measured" --all --runs out/measured-runs \
  --kinds "sequential,two_streams,medium_grained,ag_gemm,ficco_schedules" -o out/rivals-pairs-results "$@" || [ $? -eq 1 ]
cp out/rivals-pairs-results/pairs.csv validation/rivals/pairs.csv
awk -F, 'NR > 1 { all[$1]++; all["all"]++; if ($6 == "right") { right[$1]++; right["all"]++ } }
         END { for (q in all) printf "%s: %d of %d\n", q, right[q], all[q] }' validation/rivals/pairs.csv | sort
