#!/bin/sh
# Makes results/ anew: regenerate.sh [t3sim program]. Run from the repository's root. Needs gnuplot.
set -eu
program=${1:-build/t3sim}
results=validation/mcr-dl/results
rm -f $results/*.svg  # not t3sim's: it would refuse the folder
"$program" validate mcr-dl -o $results || [ $? -eq 1 ]  # 1: a number misses; findings.csv says which
gnuplot -e "dir='$results'" validation/mcr-dl/plot.gp
