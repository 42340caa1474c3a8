#!/usr/bin/env bash
# t3sim sweep run --slurm on a real Slurm of two nodes, started here: slurm_test.sh T3SIM
# A node and the controller are killed on the way, points are lost and run twice, a node starts no tasks; everything
# ends complete.
# Exit status 77: skipped, as Slurm is not installed.
set -u
deadline=480  # seconds, after which nothing is waited for any longer
t3sim=$(realpath "$1")
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
  timeout 10 squeue --array -o '%i %T %r %S %N' >&2
  timeout 10 scontrol show job >&2
  timeout 10 sinfo -N -o '%N %T %E' >&2
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
echo "include: $here/../machine.yaml" >>small.yaml
cat >sweep.yaml <<'EOF'
base: small.yaml
axes:
  workload.k: [1472, 1504, 1536, 1568]
  topology.bandwidth: [75 GB/s, 100 GB/s, 150 GB/s]
EOF

timeout 120 "$t3sim" sweep run sweep.yaml -o calm --quiet || fail "the sweep on this machine"
cluster_start "$folder/cluster" || fail "Slurm did not start"
echo "Slurm runs"

# 1. A node dies, and a controller dies and comes back. The task that then runs ends while there is no controller.
"$t3sim" sweep run sweep.yaml -o killed --slurm --task-seconds 0.4 >run.log 2>&1 &
sweep=$!
points_done() { [ "$(find killed/points -type f ! -name '*.*' 2>/dev/null | wc -l)" -ge "$1" ]; }
running_on() { [ -n "$(node_tasks "$1")" ]; }
wait_until 60 points_done 2 || fail "nothing gets done"
wait_until 30 running_on n2 || fail "nothing runs on node n2"
node_kill n2
echo "node n2 killed with $(find killed/points -type f ! -name '*.*' | wc -l) of 12 points done"
wait_until 30 node_pause n1 || fail "nothing runs on node n1"
controller_state_saved || fail "the controller does not save its state"
controller_kill
node_go_on n1
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
lose_three_points() {
  local point
  cp -r killed "$1"
  for point in $(find "$1/points" -type f ! -name '*.*' | sort | head -3); do rm "$point"; done
  rm -r "$1/results.csv" "$1/results.sqlite"
}
lose_three_points lost
"$t3sim" sweep status lost >status.log && fail "status takes a sweep with lost points for done"
grep -q "9 done, 0 running, 0 failed, 3 missing" status.log || fail "status: $(cat status.log)"
timeout 60 "$t3sim" sweep run sweep.yaml -o lost --slurm --resume --detach --task-seconds 0.1 >run.log 2>&1 ||
  fail "detached"
sbatch --parsable --array=0-2 --output=/dev/null lost/slurm/1.sh >/dev/null || fail "sbatch"  # all tasks twice
queue_empty() { queued=$(squeue -h 2>/dev/null) && [ -z "$queued" ]; }
wait_until 60 queue_empty || fail "the queue does not empty"
timeout 60 "$t3sim" sweep run sweep.yaml -o lost --slurm --resume >run.log 2>&1 || fail "resumed"
grep -q "12 of 12 points done (12 of them before)" run.log || fail "points were run again: $(cat run.log)"
same_tables lost "after lost and doubled tasks"
echo "lost and doubled tasks are put right"

# 3. A node that cannot start tasks: Slurm holds what it sent there, until the sweep asks it for another try.
lose_three_points held
mv "$cluster/n1" "$cluster/n1.away" && touch "$cluster/n1"
"$t3sim" sweep run sweep.yaml -o held --slurm --resume --task-seconds 0.1 >run.log 2>&1 &
sweep=$!
wait_until 60 grep -q "held by Slurm after a failed start, released: " run.log || fail "nothing was held"
rm "$cluster/n1" && mv "$cluster/n1.away" "$cluster/n1"
wait_until 100 grep -q missing run.log || fail "the sweep with held tasks does not end"
wait "$sweep" || fail "the sweep with held tasks ended with status $?"
sweep=
same_tables held "after a held task"
echo "passed"
