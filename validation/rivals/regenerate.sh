#!/bin/sh
# Makes results/ and docs/features.md anew: regenerate.sh [t3sim program [options]]. Run from the repository's root. Needs gnuplot.
# Runs of these sources in results/kept.jsonl are not repeated, and stay there with --system or --shape, too.
set -eu
program=${1:-build/t3sim}
[ $# -eq 0 ] || shift
results=validation/rivals/results
rm -f $results/*.svg  # not t3sim's: it would refuse the folder
"$program" validate rivals -o $results "$@" || [ $? -eq 1 ]  # 1: a check fails; it has said which
cp $results/features.md docs/features.md
gnuplot -e "dir='$results'" validation/rivals/plot.gp
