#!/usr/bin/env bash
# A sweep of 200 points with -j 2, killed with SIGKILL at 20 random moments and resumed, ends with the same bytes as
# an undisturbed one: kill_two_hundred_points.sh T3SIM [SEED]. Some minutes; the tests do the same with 8 points.
set -u
t3sim=$(realpath "$1")
RANDOM=${2:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cat >small.yaml <<'EOF'
workload: {name: small, m: 512, n: 256, k: 64}
gpus: {count: 4}
gpu: {cus: 8}
memory: {channels: 8}
l2: {slices: 16, size: 1 MiB}
schemes: [sequential, t3-mca]
EOF
cat >sweep.yaml <<'EOF'
base: small.yaml
axes:
  workload.k: {from: 32, to: 640, step: 32}
  topology.bandwidth: {from: 50 GB/s, to: 500 GB/s, step: 50 GB/s}
EOF
start=$(date +%s%N)
"$t3sim" sweep run sweep.yaml -o calm -j 2 --quiet || exit 1
undisturbed_ms=$((($(date +%s%N) - start) / 1000000))
killed=0
for _ in $(seq 20); do
  setsid "$t3sim" sweep run sweep.yaml -o killed -j 2 --resume --quiet >log 2>&1 &
  sweep=$!
  ms=$((20 + (RANDOM * 32768 + RANDOM) % (undisturbed_ms / 10 + 1)))
  sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
  kill -9 -- "-$sweep" 2>/dev/null && killed=$((killed + 1))
  wait "$sweep" 2>/dev/null
done
before=$("$t3sim" sweep status killed | tail -n 1)
"$t3sim" sweep run sweep.yaml -o killed -j 2 --resume --quiet || exit 1
cmp calm/results.csv killed/results.csv && cmp calm/results.sqlite killed/results.sqlite || exit 1
echo "same bytes after $killed kills; before the last resume: $before"
