#!/usr/bin/env bash
# What is installed works from any folder: the program with all that it knows by name, its man page, its completion.
#
#   install_test.sh BUILD_DIRECTORY
set -euo pipefail
build=$(cd "$1" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}
expect() { grep -qF -- "$2" <<<"$1" || fail "expected \"$2\" in: $1"; }

if command -v dpkg-shlibdeps >/dev/null; then
  cpack --config "$build/CPackConfig.cmake" -B "$folder/deb" >cpack.log 2>&1 || fail "cpack: $(tail -5 cpack.log)"
  package=$(ls deb/t3sim_*.deb)
  expect "$(dpkg --info "$package")" "Depends: "
  dpkg -x "$package" root
else
  DESTDIR=$folder/root cmake --install "$build" --prefix /usr >/dev/null
fi

mkdir work
cd work
t3sim=$folder/root/usr/bin/t3sim
expect "$("$t3sim" run --model llama3-8b --layer attn-out --tp 8 --tokens 512 --machine paper --scheme t3 -q -o out)" \
  "Files in out: "
[ -f out/results.json ] || fail "no results.json"
"$t3sim" report out >/dev/null
"$t3sim" sweep plan figure-16 >/dev/null 2>&1 || fail "a sweep by name"
expect "$("$t3sim" stats --list)" "link.out.busy"

man=$folder/root/usr/share/man/man1/t3sim.1.gz
if command -v man >/dev/null; then
  page=$(MANWIDTH=120 man --warnings -l "$man" 2>man.log | col -bx)
  [ ! -s man.log ] || fail "the man page: $(head -3 man.log)"
else
  page=$(zcat "$man" | sed 's/\\//g')
fi
for words in "SWEEP RUN" "--machine" "EXIT STATUS" "--task-seconds"; do expect "$page" "$words"; done

# What Tab offers after the words of a line.
PATH=$folder/root/usr/bin:$PATH
. "$folder/root/usr/share/bash-completion/completions/t3sim"
offered() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _t3sim
  printf '%s ' "${COMPREPLY[@]}"
}
expect "$(offered t3sim swe)" "sweep "
expect "$(offered t3sim run --mod)" "--model "
expect "$(offered t3sim run --model llama3-7)" "llama3-70b "
expect "$(offered t3sim run --machine b2)" "b200 "
expect "$(offered t3sim sweep pl)" "plan "
expect "$(offered t3sim sweep run --res)" "--resume "
[ -s "$folder/root/usr/share/doc/t3sim/copyright" ] || fail "no licence"
printf 'installed, and works from any folder\n'
