#!/bin/sh
# Makes results/, links/ and docs/features.md anew: regenerate.sh [t3sim program [options]]. Run from the repository's root. Needs gnuplot.
# Runs of these sources in their kept.jsonl are not repeated, and stay there with --system or --shape, too.
set -eu
program=${1:-build/t3sim}
[ $# -eq 0 ] || shift
results=validation/rivals/results
links=validation/rivals/links
rm -f $results/*.svg  # not t3sim's: it would refuse the folder
"$program" validate rivals -o $results "$@" || [ $? -eq 1 ]  # 1: a check fails; it has said which
cp $results/features.md docs/features.md
# The same with links of half and twice the bandwidth.
"$program" validate rivals -o $links --system paper --system h200-x4 --system h800-x8 --system mi300x-x8 --links 0.5 --links 2 --no-parts --features "" \
  --committed $links/kept.jsonl "$@" || [ $? -eq 1 ]
python3 -B validation/rivals/winners.py write  # the table of README.md
gnuplot -e "dir='$results'" validation/rivals/plot.gp
