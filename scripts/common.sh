# shellcheck shell=bash
# Sourced by quickstart and run-tests: what they need from Debian, and how they build. Run from the repository root.
set -euo pipefail

readonly packages=(g++ cmake ninja-build libboost-program-options-dev libfmt-dev libgtest-dev liblzma-dev libsqlite3-dev
                   libssl-dev libyaml-cpp-dev nlohmann-json3-dev zlib1g-dev)
# Only for tests, which skip what is missing: a Slurm of two nodes, pictures of sweeps, a browser for reports, a reader of Perfetto traces,
# data frames and plots, a Debian package.
test_packages=(slurmctld slurmd slurm-client munge gnuplot-nox chromium python3-protobuf python3-pandas python3-matplotlib dpkg-dev)
# Where Node.js is not Debian's, its own npm is there and Debian's does not fit.
command -v node >/dev/null || test_packages+=(nodejs)
command -v npm >/dev/null || test_packages+=(npm)
readonly test_packages

say() { printf '== %s\n' "$*" >&2; }

missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s\n' "$package"
  done
}

# install_packages NAME…: only what is missing; asks the registry for fresh lists only if the present ones do not do.
install_packages() {
  if ! command -v dpkg-query apt-get >/dev/null; then
    say "not a Debian system: taking $* for installed"
    return
  fi
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  say "installing ${missing[*]}"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends
                 "${missing[@]}")
  "${install[@]}" >/dev/null 2>&1 || { "${as_root[@]}" apt-get update -qq >&2 && "${install[@]}" >&2; }
}

# build DIRECTORY TARGET [cmake options]
build() {
  local directory=$1 target=$2
  shift 2
  # Sixteen sources at a time: headers are read once for all of them, which halves the time of a whole build. For a build
  # of one's own, in which a file changes now and then, plain `cmake -B` is the better one.
  local options=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 "$@")
  if [ ! -f "$directory/CMakeCache.txt" ]; then
    options+=(-G Ninja)
    if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  fi
  say "building in $directory"
  cmake -S . -B "$directory" "${options[@]}" >/dev/null
  cmake --build "$directory" --target "$target" --parallel "$(nproc)" >&2
}
