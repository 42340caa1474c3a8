#!/bin/sh
# Makes results/ anew: run.sh [t3sim program] [M]. Run from the repository's root. Needs python3 and gnuplot.
set -eu
program=${1:-build/t3sim}
m=${2:-1024}
folder=validation/substrates
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run NAME [options of t3sim]
run() {
  name=$1
  shift
  "$program" run configs/paper/t-nlg-fc2-tp8.yaml --quiet --scheme t3 -o "$work/$name" --set workload.m="$m" \
    --set collective.kind=reduce-scatter "$@" >/dev/null
}

# All with one port of 75 GB/s a GPU, each way.
ring='--set topology.kind=ring'
full='--set collective.algorithm=direct --set topology.kind=fully-connected --set topology.shared_port=true'
switch='--set collective.algorithm=direct --set topology.kind=switch'
atomic='--set memory.reduction=atomic'
in_switch='--set topology.switch.reduction=in-switch'
# shellcheck disable=SC2086 # several options each
{
  run ring,ring,near-memory $ring
  run ring,ring,atomic $ring $atomic
  run direct,fully-connected,near-memory $full
  run direct,fully-connected,atomic $full $atomic
  run direct,switch,near-memory $switch
  run direct,switch,atomic $switch $atomic
  run direct,switch,in-switch $switch $in_switch
  run direct,switch,in-switch+atomic $switch $in_switch $atomic
}
mkdir -p $folder/results
python3 -B $folder/table.py "$work" $folder/results
gnuplot -e "dir='$folder/results'" $folder/plot.gp
