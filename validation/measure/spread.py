#!/usr/bin/env python3
"""How much repeated measurements of the same thing differ: spread.py FOLDER FOLDER...

Rows are the same when all columns but the measured ones agree. Prints, by file of the first folder and by column, the
geometric mean and the largest of the ratio of the two medians. No error below that spread means anything."""
import collections
import csv
import glob
import math
import os
import sys

MEASURED = ("_s", "_ns", "_bytes", "_pct")
KEPT = {"comm_bytes"}
IGNORED = {"gpu", "block"}


def rows(folder):
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.csv"), recursive=True)):
        with open(path, newline="") as f:
            for row in csv.DictReader(f):
                values = {c: v for c, v in row.items() if c and c.endswith(MEASURED) and c not in KEPT}
                key = tuple(sorted((c, v) for c, v in row.items() if c and c not in values and c not in IGNORED))
                if values:
                    yield os.path.basename(path).split("-")[0].removesuffix(".csv"), key, values


def main(folders):
    seen = collections.defaultdict(list)
    for folder in folders:
        for table, key, values in rows(folder):
            for column, value in values.items():
                try:
                    seen[key, column].append((table, float(value)))
                except ValueError:
                    pass
    ratios = collections.defaultdict(list)
    for (_, column), found in seen.items():
        numbers = [v for _, v in found if v > 0]
        if len(numbers) > 1:
            ratios[found[0][0], column].append(max(numbers) / min(numbers))
    print(f"{'table':24} {'column':18} {'rows':>5} {'mean %':>7} {'worst %':>8}")
    for (table, column), found in sorted(ratios.items()):
        mean = math.exp(sum(map(math.log, found)) / len(found))
        print(f"{table:24} {column:18} {len(found):5} {100 * (mean - 1):7.1f} {100 * (max(found) - 1):8.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
