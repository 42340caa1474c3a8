#!/usr/bin/env bash
# Every collective at both levels: agreement.sh T3SIM ENDPOINT.yaml [BYTES...] > agreement.csv
#
# ENDPOINT.yaml: of `t3sim tune endpoint --machine h200-x4`. Cheapest first, so that a run that is broken off has the most rows.
# 64 KiB and 4 MiB are a few CPU minutes, 64 MiB are tens of them.
set -euo pipefail

program=$1 endpoint=$2
shift 2
sizes=("$@")
[ "${#sizes[@]}" -gt 0 ] || sizes=(64KiB 4MiB 64MiB)

header=yes
for bytes in "${sizes[@]}"; do
  for gpus in 2 4 8; do
    "$program" tune endpoint "$endpoint" --machine h200-x4 --check --shapes ring,mesh,switch --gpus "$gpus" --bytes "$bytes" \
      --kinds send-receive,gather,scatter,all-gather,reduce-scatter,all-to-all,broadcast,all-reduce |
      if [ "$header" = yes ]; then cat; else tail -n +2; fi
    header=no
  done
done
