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
EXCHANGE, FICCO = "fused-operators (all-to-all)", "FiCCO's four"


# By a word of a row's name: the method that it is of.
METHODS = {
    "seq": "sequential", "seq_a2a": "sequential", "seq_rs": "sequential", "nccl_then_triton": "sequential", "nccl_then_cublas": "sequential",
    "copy_then_triton": "sequential", "copy_then_cublas": "sequential", "serial": "sequential",
    "conc": "two-streams",
    "fused": "medium-grained", "torch_fused_all_gather_matmul": "medium-grained",
    "fused_pull": "flux", "fused_push_write_value": "flux", "fused_a2a_shifted_then_reduce": "flux",
    "fused_a2a_shifted": EXCHANGE, "fused_a2a_naive": EXCHANGE,
    "shard_p2p": "shard-p2p", "uniform_fused_1d": FICCO, "uniform_fused_2d": FICCO, "hetero_fused_1d": FICCO, "hetero_unfused_1d": FICCO,
}


def methods(row):
    """Of both sides; one if both are of the same."""
    of = [[METHODS[word] for word in row[side].split() if word in METHODS] for side in ("faster", "slower")]
    assert all(len(found) == 1 for found in of), row
    return {found[0] for found in of}


def once(rows):
    """Without those that another row has already: the sub-layers of two degrees of tensor parallelism may be one shape."""
    seen = {}
    for row in rows:
        seen.setdefault(tuple(re.sub(r"mega-gpt-2 tp \d+ ", "", row[side]) for side in ("faster", "slower")), row)
    return list(seen.values())


def share(rows):
    right = sum(row["verdict"] == "right" for row in rows)
    return f"{right} of {len(rows)}" if rows else "-"


def line(name, rows):
    return f"| {name} | {share(rows)} | {share([row for row in rows if row['use'] == 'reported'])} |\n"


def percent(rows):
    return f"**{share(rows)}, {100 * sum(row['verdict'] == 'right' for row in rows) / len(rows):.1f} %; the goal is {GOAL}**"


def table():
    with open(HERE / "pairs.csv", newline="") as f:
        rows = once(csv.DictReader(f))
    lines = HEAD
    for question in dict.fromkeys(row["question"] for row in rows):
        lines += line(question, [row for row in rows if row["question"] == question])
    for method in dict.fromkeys(METHODS.values()):
        lines += line(f"- with {method}", [row for row in rows if method in methods(row)])
    without = [row for row in rows if EXCHANGE not in methods(row)]
    for name, of in (("all", rows), ("all but all-to-alls", without)):
        lines += line(name, of).replace(share(of), percent(of), 1)
    return lines


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
