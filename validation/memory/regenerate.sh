#!/bin/sh
# Makes results/ anew: regenerate.sh [t3sim program]. Run from the repository's root.
set -eu
program=${1:-build/t3sim}
"$program" validate memory -o validation/memory/results
gnuplot -e "dir='validation/memory/results'" validation/memory/plot.gp
