#!/usr/bin/env bash
# The package on a bare Debian 12: bare_debian.sh BUILD_DIRECTORY FOLDER [ARGUMENTS-OF-RUN…]
#
# As root, with debootstrap. FOLDER gets a Debian of nothing but its essential packages (kept for the next time), the
# package of BUILD_DIRECTORY is installed there with what it depends on, and used from /root. Not a part of ./run-tests: it
# fetches a hundred megabytes. Without arguments the layer is a small one;
# "--model llama3-70b --layer mlp-down --tp 8 --machine h100" takes some minutes.
set -euo pipefail
build=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
layer=("$@")
[ "${#layer[@]}" -gt 0 ] || layer=(--model llama3-8b --layer attn-out --tp 8 --tokens 512 --machine paper)

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
inside() { chroot "$folder/debian" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -c "cd && $1"; }
expect() { grep -qF -- "$2" <<<"$1" || fail "expected \"$2\" in: $1"; }

[ -x "$folder/debian/usr/bin/apt-get" ] || debootstrap --variant=minbase bookworm "$folder/debian" >"$folder/debootstrap.log"
cp /etc/resolv.conf "$folder/debian/etc/"
cmake --build "$build" --target t3sim t3_installed_help >/dev/null
cpack --config "$build/CPackConfig.cmake" -B "$folder" >"$folder/cpack.log"
cp "$folder"/t3sim_*.deb "$folder/debian/root/t3sim.deb"
inside 'apt-get update -qq && apt-get install -y -qq --no-install-recommends ./t3sim.deb man-db bash-completion >/dev/null'

inside "t3sim run $(printf '%q ' "${layer[@]}") -q -o out" | tee "$folder/table.txt"
expect "$(<"$folder/table.txt")" "sequential"
expect "$(<"$folder/table.txt")" "limited by"
expect "$(inside 't3sim report out')" "out/report.html"
[ -s "$folder/debian/root/out/report.html" ] || fail "no page"
expect "$(inside 'MANWIDTH=120 man t3sim')" "--machine"
for words in 'run --mod=--model' 'run --model llama3-7=llama3-70b' 'run --machine b2=b200' 'sweep pl=plan'; do
  line=(t3sim ${words%=*})
  offered=$(inside ". /usr/share/bash-completion/completions/t3sim; COMP_WORDS=(${line[*]}); COMP_CWORD=$((${#line[@]} - 1)); _t3sim; echo \"\${COMPREPLY[*]}\"")
  expect " $offered " " ${words#*=} "
done
inside 'mkdir -p /tmp/elsewhere && cd /tmp/elsewhere && t3sim program check gemm-copy-gemm &&
  t3sim run --machine h200 --program gemm-copy-gemm -p m=256 -p n=512 -p k=256 -q -o program >/dev/null &&
  t3sim run --model llama3-8b --layer attn-out --tp 8 --tokens 512 --machine paper --scheme t3 --set collective.algorithm=direct \
    --set topology.kind=fully-connected -q >/dev/null && t3sim sweep plan figure-16 | tail -1 && t3sim compare program program'
printf 'the package works on a bare Debian\n'
