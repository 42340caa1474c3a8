#!/usr/bin/env bash
# Runs the sweep (about ten minutes of CPU time) and draws the heat map: regenerate.sh [JOBS]
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
build/t3sim sweep run sweeps/overlap-map.yaml -o out/overlap-map -j "${1:-1}" --resume
cp out/overlap-map/results.csv "$here"
build/t3sim sweep plot out/overlap-map --x workload.k --y topology.bandwidth --value speedup --scheme t3-mca \
  --panels gpus.count --panels workload.m --panels workload.n \
  --line 1 --versus sequential --scale topology.bandwidth=2 --line-title 'above: better than a link twice as fast' \
  --title 'Speed-up of t3-mca over sequential' -o "$here/heat-map"
