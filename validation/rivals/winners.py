#!/usr/bin/env python3
"""The tables of who wins where, as README.md has them, from results/winners.csv and all/winners.csv.

Usage, from the repository's root: winners.py [write | check]      write: into README.md; check: say whether it is there, and fail"""
import csv
import sys
from pathlib import Path

HERE = Path("validation/rivals")
PAGE = HERE / "README.md"
HEAD = "| machine, shape | GEMM, communication alone, us | fastest of today | stopped by; over the ideal, us | with T3's hardware |"
TABLES = ["results", "all"]  # in the page's order
NO_RIVALS = ["GEMM alone", "communication alone", "ideal-overlap", "two-streams"]


def read(folder, name):
    with open(HERE / folder / name, newline="") as f:
        return list(csv.DictReader(f))


def stopped_by(row):
    part, over = row["today_stopped_by"], row["today_over_ideal_us"]
    if not row.get("today_stopped_by_us"):  # a sample that does not say its parts
        return f"-; {over}"
    return f"{part} {row['today_stopped_by_us']}; {over}"


def as_fast(row, runs):
    """Other methods of today within 1 % of the fastest."""
    of = [r for r in runs if all(r[key] == row[key] for key in ("system", "links", "shape")) and r["us"] and not r["hardware"]]
    best = next((float(r["us"]) for r in of if r["method"] == row["today"]), 0)
    near = [r["method"] for r in of if r["method"] not in (row["today"], *NO_RIVALS) and float(r["us"]) < 1.01 * best]
    return f" (as fast: {', '.join(near)})" if near else ""


def line(row, runs):
    machine = row["system"] if float(row["links"]) == 1 else f"{row['system']} links x{row['links']}"
    today = f"{row['today']}, {float(row['today_speedup']):.2f}{as_fast(row, runs)}" if row["today"] else "-"
    more = f"{row['fastest']}, {float(row['fastest_speedup']):.2f}" if row["fastest"] != row["today"] else "-"
    return (f"| {machine}, {row['shape']} | {row['gemm_us']}, {row['communication_us']} | {today} | "
            f"{stopped_by(row) if row['today'] else ''} | {more} |")


def table(folder):
    runs = read(folder, "runs.csv")
    return "\n".join([HEAD, "|---|---|---|---|---|", *(line(row, runs) for row in read(folder, "winners.csv"))])


def replaced(page):
    """The page with today's tables where it has them."""
    start = 0
    for folder in TABLES:
        start = page.index(HEAD, start)
        page = page[:start] + table(folder) + page[page.index("\n\n", start):]
        start += len(HEAD)
    return page


def main():
    if not sys.argv[1:]:
        print("\n\n".join(map(table, TABLES)))
        return
    page = PAGE.read_text()
    if sys.argv[1:] == ["write"]:
        PAGE.write_text(replaced(page))
    elif replaced(page) != page:
        sys.exit(f"{PAGE} is not what its winners.csv say: run {HERE}/winners.py write")


if __name__ == "__main__":
    main()
