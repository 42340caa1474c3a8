#!/bin/sh
# Makes results/ anew: run.sh [t3sim program] [JOBS]. Run from the repository's root; about 40 minutes of CPU time.
# Studies that were interrupted go on in out/paper-studies.
set -eu
program=${1:-build/t3sim}
jobs=${2:-2}
folder=validation/paper/studies
mkdir -p $folder/results
for study in orientation orientation-mca slower-memory mca-paced stagger; do
  "$program" sweep run $folder/$study.yaml -o out/paper-studies/$study -j "$jobs" --resume
  cp out/paper-studies/$study/results.csv $folder/results/$study.csv
done
python3 -B $folder/summary.py >$folder/results/summary.txt
cat $folder/results/summary.txt
