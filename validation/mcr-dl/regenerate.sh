#!/bin/sh
# Makes results/ anew: regenerate.sh [t3sim program]. Run from the repository's root. Needs gnuplot.
set -eu
program=${1:-build/t3sim}
results=validation/mcr-dl/results
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
"$program" validate mcr-dl -o "$work/run" || [ $? -eq 1 ]  # 1: a number misses; findings.csv says which
rm -f $results/*
cp "$work"/run/*.csv $results/
gnuplot -e "dir='$results'" validation/mcr-dl/plot.gp
