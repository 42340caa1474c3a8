#!/bin/sh
# Makes results/ anew: regenerate.sh [t3sim program]. Run from the repository's root. Needs gnuplot.
set -eu
program=${1:-build/t3sim}
results=validation/ficco/results
rm -f $results/*.svg  # not t3sim's: it would refuse the folder
"$program" validate ficco --shape g5 -o $results || [ $? -eq 1 ]  # 1: a number misses; findings.csv says which
gnuplot -e "dir='$results'" validation/ficco/plot.gp
