#!/bin/sh
# Makes results/ anew: regenerate.sh [t3sim program [options]]. Run from the repository's root. Runs of these sources in kept.jsonl are not repeated.
set -eu
program=${1:-build/t3sim}
[ $# -eq 0 ] || shift
"$program" validate flux -o validation/flux/results "$@" || [ $? -eq 1 ]  # 1: a total misses; it has said which
