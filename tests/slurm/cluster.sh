# shellcheck shell=bash
# A Slurm of two nodes on this machine, on the loopback only, with all its files in $cluster. Sourced.

cluster_missing() {
  local program
  for program in munged slurmctld slurmd sbatch squeue scancel; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "$program"; return 0; }
  done
  return 1
}

# Three ports that nothing listens on.
free_ports() {
  local port found=0
  for port in $(shuf -i 20000-30000 -n 50); do
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      found=$((found + 1))
      [ $found -lt 3 ] || return 0
    fi
  done
}

cluster_start() {
  cluster=$1
  export PATH=$PATH:/usr/sbin SLURM_CONF=$cluster/slurm.conf
  local ports name
  mapfile -t ports < <(free_ports)
  mkdir -p "$cluster"/{state,log,munge,n1,n2}
  chmod 700 "$cluster/munge"
  head -c 128 /dev/urandom >"$cluster/munge/key"
  chmod 400 "$cluster/munge/key"
  name=$(hostname -s)
  cat >"$SLURM_CONF" <<EOF
ClusterName=t3simtest
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=${ports[0]}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
SlurmctldLogFile=$cluster/log/slurmctld
SlurmdLogFile=$cluster/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,sched_interval=2,bf_interval=2
# Short times, for a short test; cred_expire is also how long a requeued job waits.
SlurmdTimeout=8
BatchStartTimeout=4
KillWait=1
ReturnToService=2
NodeName=n1 NodeHostname=$name NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=$name NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
EOF
  munged --force --foreground --key-file="$cluster/munge/key" --socket="$cluster/munge/socket" \
    --pid-file="$cluster/munge/pid" --log-file="$cluster/munge/log" --seed-file="$cluster/munge/seed" \
    --num-threads=2 >/dev/null 2>&1 &
  munge_pid=$!
  wait_until 10 test -S "$cluster/munge/socket"
  controller_start
  node_start n1
  node_start n2
  wait_until 30 nodes_idle
}

nodes_idle() { [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c '^idle$')" = 2 ]; }

controller_start() {
  slurmctld -D >/dev/null 2>&1 &
  controller_pid=$!
}
node_start() {
  slurmd -D -N "$1" >/dev/null 2>&1 &
  declare -g "$1_pid=$!"
}

# The processes of the tasks that a node runs.
node_tasks() {
  local process
  for process in $(grep -lsz "^SLURMD_NODENAME=$1\$" /proc/[0-9]*/environ); do
    process=$(dirname "$process")
    grep -qsz "^SLURM_CONF=$SLURM_CONF\$" "$process/environ" && echo "${process#/proc/}"
  done
}

# As if its plug were pulled: the daemon, the steps it started, and what they run.
node_kill() {
  local pid_name=$1_pid
  kill_now "${!pid_name}"
  node_tasks_kill "$1"
}
node_tasks_kill() {
  local process parent
  for process in $(node_tasks "$1"); do
    parent=$(awk '/^PPid:/ {print $2}' "/proc/$process/status" 2>/dev/null)
    [ "$(cat "/proc/$parent/comm" 2>/dev/null)" != slurmstepd ] || kill -9 "$parent"
    kill -9 "$process" 2>/dev/null
  done
  return 0
}

# Stops the task that a node runs in its midst, whatever its length; false if none runs.
node_pause() {
  local process
  for process in $(node_tasks "$1"); do kill -STOP "$process" 2>/dev/null; done
  for process in $(node_tasks "$1"); do
    [ "$(awk '/^State:/ {print $2}' "/proc/$process/status" 2>/dev/null)" != T ] || return 0
  done
  return 1
}
node_go_on() {
  local process
  for process in $(node_tasks "$1"); do kill -CONT "$process" 2>/dev/null; done
}

# A controller saves its state every 5 s. Killed before, it takes tasks that ended for running (until their node
# registers again, at every 20th ping), and starts anew what nodes run (they refuse; task and node are then held).
controller_state_saved() {
  touch "$cluster/now"
  squeue -h -t R -o %A | while read -r job; do scontrol update "JobId=$job" Comment=save; done
  wait_until 20 test "$cluster/state/job_state" -nt "$cluster/now"
}
controller_kill() { kill_now "$controller_pid"; }

# Without bash's word about it.
kill_now() {
  kill -9 "$1"
  wait "$1" 2>/dev/null
}

cluster_stop() {
  [ -n "${cluster:-}" ] || return 0
  timeout 10 scancel --user="$(id -un)" >/dev/null 2>&1
  node_tasks_kill n1
  node_tasks_kill n2
  local pid
  for pid in ${n1_pid:-} ${n2_pid:-} ${controller_pid:-}; do kill "$pid" 2>/dev/null; done
  sleep 1
  for pid in ${n1_pid:-} ${n2_pid:-} ${controller_pid:-} ${munge_pid:-}; do kill -9 "$pid" 2>/dev/null; done
  wait 2>/dev/null
}

# wait_until SECONDS COMMAND…; nothing waits beyond `deadline`, in seconds from the start of the test.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] && [ $SECONDS -lt "$deadline" ] || { echo "gave up waiting for: $*" >&2; return 1; }
    sleep 0.2
  done
}
