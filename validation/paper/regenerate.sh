#!/bin/sh
# Makes results/ anew: regenerate.sh [t3sim program]. Run from the repository's root. Needs gnuplot.
set -eu
program=${1:-build/t3sim}
results=validation/paper/results
rm -f $results/*.svg  # not t3sim's: it would refuse the folder
"$program" validate paper -o $results || [ $? -eq 1 ]  # 1: a gate fails; summary.csv says which
gnuplot -e "dir='$results'" validation/paper/plot.gp
