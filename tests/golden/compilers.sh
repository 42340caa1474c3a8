#!/usr/bin/env bash
# Does the program give the same bytes whoever compiles it? Builds it with gcc and, where installed, clang, each with
# -O0 and -O3, without and with sanitizers, gcc also with a profile (scripts/pgo-build), and runs the golden configurations with each. Not part of ./run-tests: it
# takes an hour of CPU time, most of it for building.
#
#   compilers.sh DIR [-j N] [NAME]...     DIR holds the builds; NAMEs (gcc-O0, clang-O3-sanitize, ...) only these
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root

usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}" >&2; exit 2; }

# The newest clang++ that is here; empty if none is.
clang() { compgen -c clang++ | grep -E '^clang\+\+(-[0-9]+)?$' | sort -V | tail -n 1 || true; }

# build NAME COMPILER [cmake options]: the build folder gets NAME's program.
build() {
  local name=$1 compiler=$2
  shift 2
  if [[ $name == *-pgo ]]; then
    "$root/scripts/pgo-build" "$out/$name" -DCMAKE_CXX_COMPILER="$compiler" >"$out/$name.log" 2>&1 || { tail -n 20 "$out/$name.log" >&2; return 1; }
    return
  fi
  local options=(-G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON
    -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 "$@")
  if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake -S "$root" -B "$out/$name" "${options[@]}" >/dev/null
  cmake --build "$out/$name" --target t3sim --parallel "$jobs" >"$out/$name.log" 2>&1 || { tail -n 20 "$out/$name.log" >&2; return 1; }
}

try() {
  local name=$1
  if [ "${#wanted[@]}" -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
  if build "$@" && "$root/tests/golden/golden.sh" "$out/$name/t3sim" check -j "$jobs"; then
    printf '%s: passed\n' "$name"
  else
    printf '%s: FAILED\n' "$name"
    failed=1
  fi
}

jobs=$(nproc) failed=0 wanted=()
[ $# -gt 0 ] || usage
out=$1
shift
while [ $# -gt 0 ]; do
  case $1 in
    -j) jobs=$2; shift 2 ;;
    -*) usage ;;
    *) wanted+=("$1"); shift ;;
  esac
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
for family in gcc clang; do
  compiler=g++
  if [ "$family" = clang ]; then compiler=$(clang); fi
  if [ -z "$compiler" ]; then echo "clang++ is not installed: skipped" >&2; continue; fi
  try "$family-O0" "$compiler" -DCMAKE_CXX_FLAGS_RELEASE=-O0
  try "$family-O3" "$compiler" "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG"
  if [ "$family" = gcc ]; then try gcc-pgo "$compiler"; fi
  for level in -O0 -O3; do
    # Without warnings: gcc 12 sees overflows in fmt under sanitizers with -O3, where there are none.
    try "$family$level-sanitize" "$compiler" -DT3SIM_SANITIZE=ON -DT3SIM_SANITIZE_LEVEL="$level" -DCMAKE_CXX_FLAGS=-w
  done
done
exit "$failed"
