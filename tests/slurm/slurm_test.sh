#!/usr/bin/env bash
# t3sim sweep run --slurm on a real Slurm of two nodes, started here: slurm_test.sh T3SIM
# A node and the controller are killed on the way; points are lost and run twice; everything ends complete.
# Exit status 77: skipped, as Slurm is not installed.
set -u
t3sim=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=cluster.sh
. "$here/cluster.sh"

if missing=$(cluster_missing); then
  echo "skipped: no $missing; needs Debian's packages slurmctld slurmd slurm-client munge"
  exit 77
fi
if [ "$(id -u)" != 0 ]; then
  echo "skipped: slurmd needs root"
  exit 77
fi

folder=$(mktemp -d)
trap 'kill ${sweep:-} 2>/dev/null; cluster_stop; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
cd "$folder" || exit 1

fail() {
  echo "FAILED: $*" >&2
  local log
  for log in run.log "$folder"/cluster/log/*; do
    echo "-- $log" >&2
    tail -n 15 "$log" >&2
  done
  exit 1
}
same_tables() {
  cmp calm/results.csv "$1/results.csv" || fail "$2: results.csv differs"
  cmp calm/results.sqlite "$1/results.sqlite" || fail "$2: results.sqlite differs"
}

cat >small.yaml <<'EOF'
workload: {name: small, m: 1024, n: 512, k: 512}
gpus: {count: 4}
gpu: {cus: 8}
memory: {channels: 8}
l2: {slices: 16, size: 1 MiB}
schemes: [sequential, t3]
EOF
cat >sweep.yaml <<'EOF'
base: small.yaml
axes:
  workload.k: [1472, 1504, 1536, 1568]
  topology.bandwidth: [75 GB/s, 100 GB/s, 150 GB/s]
EOF

"$t3sim" sweep run sweep.yaml -o calm --quiet || fail "the sweep on this machine"
cluster_start "$folder/cluster" || fail "Slurm did not start"
echo "Slurm runs"

# 1. Undisturbed but for a node that dies, and a controller that dies and comes back.
"$t3sim" sweep run sweep.yaml -o killed --slurm --task-seconds 0.4 >run.log 2>&1 &
sweep=$!
points_done() { [ "$(find killed/points -type f ! -name '*.*' 2>/dev/null | wc -l)" -ge "$1" ]; }
running_on() { [ -n "$(squeue -h -w "$1" -t R -o %i 2>/dev/null)" ]; }
wait_until 60 points_done 2 || fail "nothing gets done"
wait_until 30 running_on n2 || fail "nothing runs on node n2"
node_kill n2
echo "node n2 killed with $(find killed/points -type f ! -name '*.*' | wc -l) of 12 points done"
sleep 6  # a controller saves its state every 5 s; killed before, it starts tasks anew that nodes still run
kill -9 "$controller_pid"
echo "controller killed with $(find killed/points -type f ! -name '*.*' | wc -l) of 12 points done"
sleep 2
controller_start
wait_until 100 grep -q missing run.log || fail "the sweep does not end"
wait "$sweep" || fail "the sweep ended with status $?"
sweep=
same_tables killed "after a killed node and controller"
grep -q "12 of 12 points done (0 of them before), 0 failed, 0 missing" run.log || fail "the summary is wrong"
node_start n2
echo "complete; node n2 is back"

# 2. Slurm loses a task and runs others twice: the files tell, --resume puts it right.
wait_until 60 nodes_idle || fail "node n2 does not come back"
cp -r killed lost
for point in $(find lost/points -type f ! -name '*.*' | sort | head -3); do rm "$point"; done
rm -r lost/results.csv lost/results.sqlite
"$t3sim" sweep status lost >status.log && fail "status takes a sweep with lost points for done"
grep -q "9 done, 0 running, 0 failed, 3 missing" status.log || fail "status: $(cat status.log)"
"$t3sim" sweep run sweep.yaml -o lost --slurm --resume --detach --task-seconds 0.1 >run.log 2>&1 || fail "detached"
sbatch --parsable --array=0-2 --output=/dev/null lost/slurm/1.sh >/dev/null || fail "sbatch"  # all tasks twice
queue_empty() { [ -z "$(squeue -h 2>/dev/null)" ]; }
wait_until 60 queue_empty || fail "the queue does not empty"
timeout 60 "$t3sim" sweep run sweep.yaml -o lost --slurm --resume >run.log 2>&1 || fail "resumed"
grep -q "12 of 12 points done (12 of them before)" run.log || fail "points were run again: $(cat run.log)"
same_tables lost "after lost and doubled tasks"
echo "passed"
