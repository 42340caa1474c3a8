#!/usr/bin/env python3
"""How many of the measured pairs (pairs.csv) the machine orders rightly, as README.md has it.

Usage, from the repository's root: pairs.py [write | check]      write: into README.md; check: say whether it is there, and fail"""
import csv
import itertools
import re
import sys
from pathlib import Path

HERE = Path("validation/rivals")
PAGE = HERE / "README.md"
HEAD = "| pairs | right | of rows on which no value was chosen |\n|---|---|---|\n"
GOAL = 90
EXCHANGE, P2P = "fused-operators (all-to-all)", "shard-p2p"
OVER = 1.05  # pairs that differ by less are none
# By a word of a row's name: the method that it is of.
METHODS = {
    "seq": "sequential", "seq_a2a": "sequential", "seq_rs": "sequential", "nccl_then_triton": "sequential", "nccl_then_cublas": "sequential",
    "copy_then_triton": "sequential", "copy_then_cublas": "sequential", "serial": "sequential",
    "conc": "two-streams",
    "fused": "medium-grained", "torch_fused_all_gather_matmul": "medium-grained",
    "fused_pull": "flux", "fused_push_write_value": "flux", "fused_a2a_shifted_then_reduce": "flux",
    "fused_a2a_shifted": EXCHANGE, "fused_a2a_naive": EXCHANGE,
    "shard_p2p": P2P, "uniform_fused_1d": "uniform-fused-1d", "uniform_fused_2d": "uniform-fused-2d",
    "hetero_fused_1d": "hetero-fused-1d", "hetero_unfused_1d": "hetero-unfused-1d",
}


def method(name):
    """Of a row, by a word of its name."""
    found = [METHODS[word] for word in name.split() if word in METHODS]
    assert len(found) == 1, name
    return found[0]


def methods(row):
    """Of both sides; one if both are of the same."""
    return {method(row["faster"]), method(row["slower"])}


def shape_of(name):
    """The row's name without the sub-layer: those of two degrees of tensor parallelism may be one shape."""
    return re.sub(r"mega-gpt-2 tp \d+ ", "", name)


def once(rows):
    """Without those that another row has already."""
    seen = {}
    for row in rows:
        seen.setdefault((shape_of(row["faster"]), shape_of(row["slower"])), row)
    return list(seen.values())


def times(rows):
    """Of rows that pairs join, measured and ours, as multiples of those of one of them: a list of {name: (measured, ours)}."""
    beside = {}
    for row in rows:
        faster, slower = shape_of(row["faster"]), shape_of(row["slower"])
        ratios = float(row["measured_ratio"]), float(row["our_ratio"])
        beside.setdefault(faster, []).append((slower, ratios))
        beside.setdefault(slower, []).append((faster, tuple(1 / ratio for ratio in ratios)))
    joined, seen = [], set()
    for name in beside:
        if name in seen:
            continue
        of, ends = {name: (1.0, 1.0)}, [name]
        for end in ends:
            for other, ratios in beside[end]:
                if other not in of:
                    of[other] = tuple(time * ratio for time, ratio in zip(of[end], ratios))
                    ends.append(other)
        seen.update(of)
        joined.append(of)
    return joined


def at_their_best(rows):
    """Pairs of methods on a shape, each by its fastest row, measured and ours: [(both methods, right?)]."""
    pairs = []
    for of in times(rows):
        best = {}
        for name, both in of.items():
            known = best.get(method(name), both)
            best[method(name)] = tuple(map(min, known, both))
        for one, other in itertools.combinations(best, 2):
            measured, ours = (b / a for a, b in zip(best[one], best[other]))
            if max(measured, 1 / measured) > OVER:
                pairs.append(({one, other}, (measured > 1) == (ours > 1)))
    return pairs


def of_best(pairs):
    return f"{sum(right for _, right in pairs)} of {len(pairs)}, {100 * sum(right for _, right in pairs) / len(pairs):.1f} %"


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
    for name in dict.fromkeys(METHODS.values()):
        lines += line(f"- with {name}", [row for row in rows if name in methods(row)])
    of_issue = [row for row in rows if not {EXCHANGE, P2P} & methods(row)]
    for name, of in (("all", rows), ("all but all-to-alls and shard-p2p", of_issue)):
        lines += line(name, of).replace(share(of), percent(of), 1)
    best = at_their_best(rows)
    lines += f"| methods, each by its fastest row | {of_best(best)} | |\n"
    lines += f"| - without two-streams | {of_best([pair for pair in best if 'two-streams' not in pair[0]])} | |\n"
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
