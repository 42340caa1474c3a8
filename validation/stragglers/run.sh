#!/usr/bin/env bash
# What one GPU that is unlike the others costs all of them: prints results.csv. About three minutes of CPU time.
set -euo pipefail
cd "$(dirname "$0")/../.."
t3sim=${1:-build/t3sim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo case,scheme,time_us,slowdown_pct,lost_us
while read -r name setting; do
  "$t3sim" run configs/paper/t-nlg-fc2-tp8.yaml --set workload.m=4096 --set workload.n=2048 --set workload.k=1024 --set gpus.count=4 \
    --set gpus.model=explicit ${setting:+--set "$setting"} --scheme sequential,t3,t3-mca --quiet -o "$work/$name" >/dev/null
  python3 - "$name" "$work" <<'PYTHON'
import json, sys
name, work = sys.argv[1:]
alike, now = (json.load(open(f"{work}/{case}/results.json"))["schemes"] for case in ("alike", name))
for scheme in now:
    a, b = alike[scheme]["time_us"], now[scheme]["time_us"]
    print(f"{name},{scheme},{b:.1f},{100 * (b / a - 1):.1f},{b - a:.1f}")
PYTHON
done <<'CASES'
alike
clock-80-percent gpus.overrides.2.clock=1.12 GHz
link-half gpus.overrides.2.link_bandwidth=37.5 GB/s
start-20-us-late gpus.overrides.2.start_delay=20 us
memory-half gpus.overrides.2.memory_clock=500 MHz
CASES
