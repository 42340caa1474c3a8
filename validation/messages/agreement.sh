#!/usr/bin/env bash
# Every collective at both levels: agreement.sh T3SIM ENDPOINT.yaml OUT.csv [BYTES...]
#
# ENDPOINT.yaml: of `t3sim tune endpoint --machine h200-x4`. Cheapest first; rows that OUT.csv has are not run again, so a run
# that was broken off goes on. 64 KiB and 4 MiB are 2 CPU minutes, 64 MiB are 18.
set -euo pipefail

program=$1 endpoint=$2 out=$3
shift 3
sizes=("$@")
[ "${#sizes[@]}" -gt 0 ] || sizes=(64KiB 4MiB 64MiB)
kinds="send-receive gather scatter all-gather reduce-scatter all-to-all broadcast all-reduce"

touch "$out"
for bytes in "${sizes[@]}"; do
  number=$(numfmt --from=iec-i --suffix=B "$bytes" | tr -d B)
  for gpus in 2 4 8; do
    for kind in $kinds; do
      for shape in ring mesh switch; do
        grep -q "^$kind,[a-z-]*,$gpus,$number,$shape," "$out" && continue
        rows=$("$program" tune endpoint "$endpoint" --machine h200-x4 --check --shapes "$shape" --gpus "$gpus" --bytes "$bytes" --kinds "$kind")
        [ -s "$out" ] || sed -n 1p <<<"$rows" >"$out"
        sed -n 2p <<<"$rows" >>"$out"
      done
    done
  done
done
