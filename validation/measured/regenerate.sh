#!/bin/sh
# Makes validation/measured/results anew: regenerate.sh build/t3sim
set -e
t3sim=$(realpath "${1:?usage: regenerate.sh T3SIM}")
cd "$(dirname "$0")/../.."
rm -f validation/measured/results/*.svg validation/measured/results/worst.csv
"$t3sim" validate measured --estimate -o validation/measured/results --quiet
results=validation/measured/results
sort -t, -k7,7gr $results/cases.csv | head -40 >worst.csv.new
mv worst.csv.new $results/worst.csv
gnuplot -e "results='$results'" validation/measured/plot.gp
