#!/usr/bin/env bash
# Every command of docs/tutorial.md works, in its order, in an empty folder: tutorial_test.sh T3SIM
set -euo pipefail
tutorial=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../docs" && pwd)/tutorial.md
t3sim=$(realpath "$1")
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir bin
ln -s "$t3sim" bin/t3sim
PATH=$folder/bin:$PATH

# The lines of its blocks of shell commands.
sed -n '/^```sh$/,/^```$/{/^```/!p;}' "$tutorial" >commands.sh
[ "$(grep -c '^t3sim ' commands.sh)" -ge 15 ] || { echo "FAILED: the tutorial has lost its commands"; exit 1; }
bash -euo pipefail commands.sh >log 2>&1 || { tail -n 20 log; echo "FAILED: a command of the tutorial"; exit 1; }

for file in out/llama/report.html out/both.html out/map/results.csv out/map/report.html out/break-even.svg; do
  [ -s "$file" ] || { echo "FAILED: no $file"; exit 1; }
done
for words in "K 1792 = 14336 (ffn) / 8 GPUs" "topology.bandwidth  75 GB/s  150 GB/s" "16 points, all of them valid"; do
  grep -qF -- "$words" log || { cat log; echo "FAILED: nothing says \"$words\""; exit 1; }
done
# What the text claims: overlapping wins over faster links somewhere, and loses somewhere.
head -1 out/map/results.csv | grep -q link_busy || { echo "FAILED: no derived column"; exit 1; }
echo "every command of the tutorial works"
