#!/bin/sh
# Fuzzes every trace reader for SECONDS each (600 by default), one after the other: tests/fuzz/run.sh [SECONDS] [TARGET...].
# Needs clang. New inputs go to build-fuzz/found/TARGET; what breaks a reader is left there as crash-*, leak-*, timeout-*
# or oom-*, and the exit status is 1.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-600}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- trace_file groups accelsim_kernel timeline
build=build-fuzz
cmake -S . -B $build -G Ninja -DCMAKE_CXX_COMPILER="${CXX:-clang++}" -DT3SIM_FUZZ=ON >/dev/null
cmake --build $build --target fuzzers
status=0
for target in "$@"; do
  found=$build/found/$target
  mkdir -p "$found"
  echo "== $target, $seconds s"
  "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$found/" "$found" "tests/fuzz/corpus/$target" || { echo "$target: BROKEN, see $found"; status=1; }
done
exit $status
