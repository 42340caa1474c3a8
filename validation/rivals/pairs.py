#!/usr/bin/env python3
"""How many of the measured pairs (pairs.csv) the machine orders rightly, as README.md has it.

Usage, from the repository's root: pairs.py [write | check]      write: into README.md; check: say whether it is there, and fail"""
import csv
import re
import sys
from pathlib import Path

HERE = Path("validation/rivals")
PAGE = HERE / "README.md"
HEAD = "| pairs | right | of rows on which no value was chosen |\n|---|---|---|\n"
GOAL = 90


def groups(row):
    """What a pair counts in; those of all-gathers and FiCCO's by shape, too."""
    two_streams = " conc " in row["faster"] + row["slower"]
    yield row["question"]
    shape = re.search(r"\d+x\d+x\d+", row["faster"]).group()
    if row["question"] in ("overlap of all-gather and GEMM", "FiCCO's schedules"):
        yield f"- {shape}"
    if two_streams:
        yield "- with two streams"


def share(rows):
    right = sum(row["verdict"] == "right" for row in rows)
    return f"{right} of {len(rows)}" if rows else "-"


def table():
    with open(HERE / "pairs.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    of = {}
    for row in rows:
        question, *parts = groups(row)
        of.setdefault(question, {}).setdefault(question, []).append(row)
        for part in parts:
            of[question].setdefault(part, []).append(row)
    lines = HEAD
    for parts in of.values():
        for name, members in parts.items():
            lines += f"| {name} | {share(members)} | {share([m for m in members if m['use'] == 'reported'])} |\n"
    reported = [row for row in rows if row["use"] == "reported"]
    percent = 100 * sum(row["verdict"] == "right" for row in rows) / len(rows)
    return lines + f"| all | **{share(rows)}, {percent:.1f} %; the goal is {GOAL}** | {share(reported)} |\n"


def main():
    if not sys.argv[1:]:
        print(table(), end="")
        return
    page = PAGE.read_text()
    start = page.index(HEAD)
    end = page.index("\n\n", start) + 1
    replaced = page[:start] + table() + page[end:]
    if sys.argv[1:] == ["write"]:
        PAGE.write_text(replaced)
    elif replaced != page:
        sys.exit(f"{PAGE} is not what pairs.csv says: run {HERE}/pairs.py write")


if __name__ == "__main__":
    main()
