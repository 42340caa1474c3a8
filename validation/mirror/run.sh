#!/usr/bin/env bash
# One GPU that stands for all (gpus.model: mirror) against all of them (explicit), for every collective: prints
# results.csv. About six minutes of CPU time.
set -euo pipefail
cd "$(dirname "$0")/../.."
t3sim=${1:-build/t3sim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo collective,scheme,mirror_us,explicit_us,difference_pct
while read -r name kind algorithm gemm topology; do
  for model in mirror explicit; do
    "$t3sim" run configs/paper/t-nlg-fc2-tp8.yaml --set workload.m=8192 --set workload.n=2048 --set workload.k=512 \
      --set gpus.count=4 --set gpus.model=$model --set collective.kind="$kind" --set collective.algorithm="$algorithm" \
      --set collective.gemm="$gemm" --set topology.kind="$topology" --scheme sequential,t3,t3-mca,ideal-rs-nmc --quiet \
      -o "$work/$model" >/dev/null
  done
  python3 - "$name" "$work" <<'PYTHON'
import json, sys
name, work = sys.argv[1:]
mirror, every = (json.load(open(f"{work}/{model}/results.json"))["schemes"] for model in ("mirror", "explicit"))
for scheme in mirror:
    a, b = mirror[scheme]["time_us"], every[scheme]["time_us"]
    print(f"{name},{scheme},{a:.3f},{b:.3f},{100 * (a / b - 1):.2f}")
PYTHON
  rm -rf "$work"/*
done <<'CASES'
ring-all-reduce all-reduce ring producer ring
ring-all-gather all-gather ring producer ring
ring-gathered-input all-gather ring consumer ring
ring-beside-a-gemm reduce-scatter ring independent ring
two-rings-all-reduce all-reduce bidirectional-ring producer bidirectional-ring
direct-all-reduce all-reduce direct producer fully-connected
direct-all-gather all-gather direct producer switch
direct-gathered-input all-gather direct consumer fully-connected
all-to-all all-to-all direct producer switch
CASES
