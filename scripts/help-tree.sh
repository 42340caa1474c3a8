# shellcheck shell=bash
# Sourced: what t3sim's help lists.

# The commands that have a help of their own, one a line: "run", "sweep", "sweep plan", ...
commands_of() {
  local binary=$1 name word
  for name in $("$binary" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    printf '%s\n' "$name"
    for word in $(words_of "$binary" "$name"); do
      if "$binary" "$name" "$word" --help >/dev/null 2>&1; then printf '%s %s\n' "$name" "$word"; fi
    done
  done
}

# The words that may follow a command, "plan run status" of "Usage: t3sim sweep plan|run|status ...".
words_of() { "$1" "$2" --help | sed -n '1s/^Usage: t3sim '"$2"' \([a-z]*|[a-z|]*\).*/\1/p' | tr '|' ' '; }

# The options of a command, "--set -o": as its help lists them.
options_of() {
  local binary=$1
  shift
  "$binary" "$@" --help | sed -n 's/^  \(-[a-zA-Z]\)\? *\[\? *\(--[a-z-]*\).*/\1 \2/p' | tr '\n' ' ' | tr -s ' '
}
