#!/bin/sh
# Makes results/ anew: regenerate.sh [t3sim program]. Run from the repository's root.
set -eu
program=${1:-build/t3sim}
rm -f validation/memory/results/memory.svg validation/memory/results/memory.png  # not t3sim's: it would refuse the folder
"$program" validate memory -o validation/memory/results
gnuplot -e "dir='validation/memory/results'" validation/memory/plot.gp
