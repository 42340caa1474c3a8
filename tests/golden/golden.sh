#!/usr/bin/env bash
# Are the results of a program the same bytes as before? Runs every configuration and sweep of this folder and hashes
# results.json, stats.csv, series.csv and timeline.csv, a sweep's results.csv and the data of a report's page. For a dozen of
# them values/ says what the times and counters are, so that a difference can be read.
#
#   golden.sh PROGRAM check [--ignore NAME]...      against hashes.txt; prints each file that differs; exit status 1
#   golden.sh PROGRAM make                          writes hashes.txt and values/ anew; a commit that does says why
#   golden.sh compare PROGRAM PROGRAM [--ignore NAME]... [--keep DIR]   two programs; the first lines that differ
#
# --ignore leaves out what only one of them says: a key of results.json with all that is in it, rows of the CSV files
# of that component, name, track or phase, columns of a sweep's results; a report's data is left out altogether.
# --only GLOB takes the configurations whose name fits, -j N runs N at a time (default 2).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}" >&2; exit 2; }

# Drops ignored keys, and commas at the ends of lines, which depend on what follows.
results_json() {
  awk -v ignored=" $IGNORED " '
    closing { if (index($0, closing) == 1) closing = ""; next }
    match($0, /^ *"[^"]*":/) {
      name = substr($0, 1, RLENGTH - 2); indent = name; sub(/".*/, "", indent); sub(/^ *"/, "", name)
      if (index(ignored, " " name " ")) {
        if ($0 ~ /\{$/) closing = indent "}"; else if ($0 ~ /\[$/) closing = indent "]"
        next
      }
    }
    { sub(/,$/, ""); print }' "$1"
}

# Drops columns and rows with an ignored name.
rows_csv() {
  awk -F, -v ignored=" $IGNORED " '
    NR == 1 { for (i = 1; i <= NF; ++i) if (index(ignored, " " $i " ")) gone[i] = 1 }
    {
      line = ""
      comma = ""
      for (i = 1; i <= NF; ++i) {
        if (NR > 1 && $i ~ /^[a-z]/ && index(ignored, " " $i " ")) next
        if (i in gone) continue
        line = line comma $i
        comma = ","
      }
      print line
    }' "$1"
}

# Of a report's page only what it shows of the results: its words change, and so do commit and configuration.
report_data() {
  sed -n 's/.*<script type="application\/json" id="data">//;T;s/,"config":{.*},"stats":/,"stats":/;s/,"config_text":.*//p' "$1"
}

# plain DIR: the files of a run, sweep or report as they are compared, in DIR/plain.
plain() {
  mkdir "$1/plain"
  if [ -f "$1/results.json" ]; then results_json "$1/results.json" >"$1/plain/results.json"; fi
  local file
  for file in "$1"/*.csv; do rows_csv "$file" >"$1/plain/${file##*/}"; done
  if [ -f "$1/report.html" ] && [ -z "$IGNORED" ]; then report_data "$1/report.html" >"$1/plain/report-data.json"; fi
}

# values STATS: the time of each phase and GPU, and all counters of events and bytes that are not zero: added up over GPUs
# and over parts of a kind, of peaks the highest.
values() {
  awk -F, -v OFS=, '
    NR == 1 { print "scheme,phase,component,name,value,unit"; next }
    $3 == "phase_time" { print $6, $7, "gpu[" $1 "]", $3, $4, $5; next }
    $5 == "us" || $5 == "cycles" || $3 ~ /share|mean/ { next }
    {
      sub(/\[.*/, "", $2)
      row = $6 OFS $7 OFS $2 OFS $3
      if (!(row in sum)) { rows[++n] = row; unit[row] = $5 }
      if ($3 !~ /peak|max/) sum[row] += $4
      else if ($4 > sum[row]) sum[row] = $4
    }
    END { for (i = 1; i <= n; ++i) if (sum[rows[i]] > 0) printf "%s,%.0f,%s\n", rows[i], sum[rows[i]], unit[rows[i]] }' "$1"
}

# Rows of values/ that are otherwise now. A new counter is no difference; a changed or missing one is.
differing_values() {
  local file name stats
  for file in "$here"/values/*.csv; do
    name=${file##*/} name=${name%.csv} stats=$1/configs/$name/plain/stats.csv
    [ -f "$stats" ] || continue
    LC_ALL=C comm -23 <(LC_ALL=C sort "$file") <(values "$stats" | LC_ALL=C sort) | while IFS=, read -r row; do
      printf '%s: was %s, is %s\n' "$name" "$row" "$(values "$stats" | grep -F -m 1 "${row%,*,*}," | cut -d, -f5 || true)"
    done | sed -n '1,8p'
  done
}

make_values() {
  local file
  for file in "$here"/values/*.csv; do values "$work/configs/$(basename "$file" .csv)/plain/stats.csv" >"$file"; done
}

# one PROGRAM OUT WHAT: a configuration, or a sweep. A run that fails leaves its message in place of its results.
one() {
  local program=$1 out=$2/$3 log=$2/$3.log status=0
  cd "$here/${3%%/*}"  # relative names in configurations are seen from their folder
  case $3 in
    configs/*) "$program" run "${3#*/}.yaml" -o "$out" --quiet >"$log" 2>&1 || status=$? ;;
    sweeps/*) "$program" sweep run "${3#*/}.yaml" -o "$out" -j 1 >"$log" 2>&1 || status=$? ;;
  esac
  if [ "$status" = 0 ] && [ "$3" = configs/explicit ]; then "$program" report "$out" >/dev/null || status=$?; fi
  mkdir -p "$out"
  if [ "$status" = 0 ]; then plain "$out"; else
    mkdir -p "$out/plain"
    { echo "exit status $status"; tail -n 3 "$log"; } >"$out/plain/results.json"
    printf '%s: exit status %s: %s\n' "$3" "$status" "$(tail -n 1 "$log")" >&2
  fi
}

# run_all PROGRAM OUT
run_all() {
  mkdir -p "$2/configs" "$2/sweeps"
  export -f one plain results_json rows_csv report_data
  export here IGNORED
  names | xargs -P "$jobs" -I{} bash -euo pipefail -c 'one "$@"' _ "$1" "$2" {}
}

names() {
  local path name
  for path in "$here"/configs/*.yaml "$here"/sweeps/*.yaml; do
    name=${path#"$here"/} name=${name%.yaml}
    # shellcheck disable=SC2053  # a pattern it is
    if [[ ${name#*/} == $only ]]; then printf '%s\n' "$name"; fi
  done
}

hashes() { (cd "$1" && find . -path '*/plain/*' -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum | sed 's|/plain/|/|'); }

# Prints what is in one list and not in the other, a file a line.
differing_files() { LC_ALL=C comm -3 <(LC_ALL=C sort "$1") <(LC_ALL=C sort "$2") | awk '{print $2}' | LC_ALL=C sort -u; }

check() {
  local differ
  run_all "$program" "$work"
  hashes "$work" >"$work/hashes"
  differ=$(differing_files <(list_of_selected) "$work/hashes")
  if [ -n "$differ" ]; then differing_values "$work"; fi
  finish "$differ" "hashes.txt"
}

list_of_selected() {
  local name
  while read -r name; do grep -F "  $name/" "$here/hashes.txt" || true; done < <(names) |
    if [ -n "$IGNORED" ]; then grep -v 'report-data.json$'; else cat; fi
}

compare() {
  local differ file
  run_all "$program" "$work/a"
  run_all "$other" "$work/b"
  hashes "$work/a" >"$work/hashes-a"
  hashes "$work/b" >"$work/hashes-b"
  differ=$(differing_files "$work/hashes-a" "$work/hashes-b")
  for file in $differ; do
    printf '%s\n' "--- $file"
    { diff "$work/a/${file%/*}/plain/${file##*/}" "$work/b/${file%/*}/plain/${file##*/}" || true; } 2>&1 | cut -c1-160 | sed -n 1,6p
  done
  finish "$differ" "the other program's"
}

# finish DIFFERING AGAINST: the closing lines, and the exit status.
finish() {
  local all
  all=$(names | wc -l)
  if [ -z "$1" ]; then
    printf '%s runs: the same bytes as %s\n' "$all" "$2"
    return
  fi
  printf '%s\n' "$1" | sed 's/^/differs: /'
  printf '%s of %s runs differ from %s\n' "$(printf '%s\n' "$1" | cut -d/ -f1-2 | sort -u | wc -l)" "$all" "$2"
  exit 1
}

IGNORED='' only='*' jobs=2 keep='' words=()
while [ $# -gt 0 ]; do
  case $1 in
    --ignore) IGNORED+=" $2"; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --keep) keep=$2; shift 2 ;;
    -j) jobs=$2; shift 2 ;;
    -*) usage ;;
    *) words+=("$1"); shift ;;
  esac
done
IGNORED=${IGNORED# }
[ "${#words[@]}" -ge 2 ] || usage
if [ -n "$keep" ]; then mkdir -p "$keep"; work=$(cd "$keep" && pwd); else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
readonly work
if [ "${words[0]}" = compare ]; then
  [ "${#words[@]}" = 3 ] || usage
  program=$(realpath -e "${words[1]}") other=$(realpath -e "${words[2]}")
  compare
else
  program=$(realpath -e "${words[0]}")
  case ${words[1]} in
    check) check ;;
    make) run_all "$program" "$work"; hashes "$work" >"$here/hashes.txt"; make_values ;;
    *) usage ;;
  esac
fi
