#!/bin/sh
# Longer shapes than those of results/, as far as they have been run: all.sh [t3sim program [options]], such as
# `all.sh build/t3sim --system h200-x4 --shape llama-70b-o`; without options all that are left, which takes days. Run from the
# repository's root. Finished runs stay in all/kept.jsonl and are not repeated; the tables have each machine and shape that is whole.
set -eu
program=${1:-build/t3sim}
[ $# -eq 0 ] || shift
all=validation/rivals/all
rivals() { "$program" validate rivals --all --no-parts --features "" --committed $all/kept.jsonl -o $all "$@" || [ $? -eq 1 ]; }
rivals "$@"  # 1: a check fails; it has said which
rivals --finished
python3 -B validation/rivals/winners.py write
