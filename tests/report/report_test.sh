#!/usr/bin/env bash
# The pages of `t3sim report` in a real browser: report_test.sh T3SIM FOLDER [DIRECTORY-OF-A-RUN-OR-SWEEP…]
# FOLDER is for what the test makes. Without directories it runs a few small layers and sweeps to look at. Exits with 77
# (skipped) where there is no Chromium, Node.js or, at the first time, no npm that gets playwright-core.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
t3sim=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
examples=("$@")

skip() { echo "skipped: $*"; exit 77; }

T3SIM_CHROMIUM=$(command -v chromium || command -v chromium-browser) || skip "no chromium"
command -v node >/dev/null || skip "no Node.js"
node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' || skip "Node.js is older than 18"
if ! cmp -s "$here/package-lock.json" "$folder/package-lock.json" || [ ! -d "$folder/node_modules" ]; then
  command -v npm >/dev/null || skip "no npm"
  cp "$here/package.json" "$here/.npmrc" "$folder"
  cp "$here/package-lock.json" "$folder/wanted.json"
  (cd "$folder" && cp wanted.json package-lock.json && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) ||
    { rm -f "$folder/package-lock.json"; skip "npm does not get playwright-core: $(tail -n 1 "$folder/npm.log")"; }
fi

# A small machine on which a layer takes a second at most.
make_examples() {
  rm -rf runs sweeps programs compared other-run other-sweep
  mkdir runs sweeps programs
  cat >small.yaml <<'END'
workload: {name: "small, <b>&quot;", m: 1024, n: 512, k: 256}
gpus: {count: 4}
gpu: {cus: 8}
memory: {channels: 8}
l2: {slices: 16, size: 1 MiB}
run: {series_interval: 1 us}
schemes: [sequential, t3, t3-mca, ideal-overlap, ideal-rs-nmc]
END
  echo "include: $here/../machine.yaml" >>small.yaml
  cat >map.yaml <<'END'
base: small.yaml
axes:
  gpus.count: [2, 4]
  topology.bandwidth: {from: 37.5 GB/s, to: 300 GB/s, points: 3, scale: log}
  workload.k: [32, 64, 128]
set: {workload.m: 512, workload.n: 256}
schemes: [sequential, t3-mca, ideal-overlap]
END
  cat >one-axis.yaml <<'END'
base: small.yaml
axes: {topology.latency: [100 ns, 500 ns, 2500 ns]}
set: {workload.m: 512, workload.n: 256}
END
  "$t3sim" trace gen --m 1024 --n 512 --k 256 --layout TN -o good.t3t >run.log
  { head -c -100 good.t3t; printf X; tail -c 99 good.t3t; } >bad.t3t  # its header is sound
  cat >failures.yaml <<'END'
base: small.yaml
axes: {workload.trace: [good.t3t, bad.t3t], gpus.count: [2, 4]}
END
  "$t3sim" run small.yaml -o runs/all --quiet >run.log
  "$t3sim" run small.yaml --scheme t3 -o runs/one-scheme --quiet >run.log
  "$t3sim" run small.yaml --scheme kernel -o runs/kernel --quiet >run.log
  "$t3sim" run small.yaml --scheme sequential,t3-mca --set gpus.model=explicit --set gpus.count=8 --set workload.k=64 -o runs/explicit --quiet >run.log
  "$t3sim" run small.yaml --scheme sequential,t3 --set gpus.model=explicit --set workload.k=64 --set topology.kind=torus --set topology.shape=2x2x1 \
    --set 'topology.hop_latency=250 ns' -o runs/torus --quiet >run.log
  "$t3sim" run small.yaml --set collective.kind=all-gather --set collective.gemm=consumer -o runs/all-gather --quiet >run.log
  "$t3sim" run small.yaml --set collective.kind=all-to-all --set topology.kind=switch --set workload.k=64 -o runs/all-to-all --quiet >run.log
  "$t3sim" run small.yaml --set collective.kind=reduce-scatter --set workload.k=64 -o runs/reduce-scatter --quiet >run.log
  "$t3sim" run small.yaml --set l2.kernel_boundary=keep -o runs/no-gap --quiet >run.log
  "$t3sim" run --machine h200 --program gemm-copy-gemm -p m=256 -p n=512 -p k=256 -o programs/two-streams --quiet >run.log
  make_copies
  "$t3sim" run --machine h200 --program copies.yaml --set gpus.count=10 -o programs/ten-gpus --quiet >run.log
  "$t3sim" sweep run map.yaml -o sweeps/map --quiet >run.log
  "$t3sim" sweep run one-axis.yaml -o sweeps/one-axis --quiet >run.log
  "$t3sim" sweep run failures.yaml -o sweeps/failures --quiet >run.log 2>&1 || true  # that some fail is the point
  "$t3sim" run small.yaml --set topology.bandwidth=150GB/s -o other-run --quiet >run.log
  sed 's/^set: {/&topology.bandwidth: 150 GB\/s, /' one-axis.yaml >other-axis.yaml
  "$t3sim" sweep run other-axis.yaml -o other-sweep --quiet >run.log
  examples=(runs/* programs/* sweeps/*)
  compare runs runs/all other-run runs/one-scheme
  compare sweeps sweeps/one-axis other-sweep
  compare programs programs/two-streams programs/ten-gpus runs/one-scheme
}

# A page of several results, and its numbers beside it.
compare() {
  local name=compared/$1
  shift
  mkdir -p "$name"
  "$t3sim" report "$@" -o "$name/report.html" >/dev/null
  "$t3sim" compare "$@" --json >"$name/comparison.json"
  T3SIM_COMPARED+=:$(realpath "$name")
}

# Names that HTML would take for its own, a long one, a host that waits, more GPUs than the page shows at a time.
make_copies() {
  cat >copies.yaml <<'END'
name: "<b>&amp; copies"
parameters: {rows: 64, "width": 64}
arrays: {a: {rows: rows, columns: width}, b: {rows: rows, columns: width}}
streams:
  a-stream-of-a-very-long-name-indeed:
    - {name: "<i>the copy</i>", copy: {from: a, to: "b@(rank + 1) % gpus"}}
    - sync: a-stream-of-a-very-long-name-indeed
    - host: 2 us
END
}

T3SIM_RUNS='' T3SIM_SWEEPS='' T3SIM_PROGRAMS='' T3SIM_COMPARED=''
if [ "${#examples[@]}" -eq 0 ]; then
  cd "$folder"
  make_examples
fi
for directory in "${examples[@]}"; do
  "$t3sim" report "$directory" >/dev/null
  if [ -e "$directory/plan.jsonl" ]; then T3SIM_SWEEPS+=:$(realpath "$directory")
  elif [ -e "$directory/commands.csv" ]; then T3SIM_PROGRAMS+=:$(realpath "$directory")
  else T3SIM_RUNS+=:$(realpath "$directory"); fi
done
export T3SIM_COMPARED=${T3SIM_COMPARED#:}
export T3SIM_CHROMIUM T3SIM_RUNS=${T3SIM_RUNS#:} T3SIM_SWEEPS=${T3SIM_SWEEPS#:} T3SIM_PROGRAMS=${T3SIM_PROGRAMS#:} T3SIM_PLAYWRIGHT=$folder
node --test "$here/report.test.mjs"
