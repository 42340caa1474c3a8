#!/bin/sh
# Makes results/ anew: regenerate.sh [t3sim program [options]]; without options, g5. Runs of these sources in kept.jsonl are not repeated. Run from the repository's root. Needs gnuplot.
set -eu
program=${1:-build/t3sim}
[ $# -eq 0 ] || shift
[ $# -ne 0 ] || set -- --shape g5
results=validation/ficco/results
rm -f $results/*.svg  # not t3sim's: it would refuse the folder
"$program" validate ficco "$@" -o $results || [ $? -eq 1 ]  # 1: a number misses; findings.csv says which
gnuplot -e "dir='$results'" validation/ficco/plot.gp
