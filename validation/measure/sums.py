"""sums.csv: a sum over the first dimension of FP16 parts, as fused.py takes it after all tiles have come; and their negation, which only streams.

  python3 sums.py OUT        on one GPU
"""
import statistics
import sys

import torch

from common import HOLD, Table, kernels, provenance, rest, time_calls

COLUMNS = 3072
SHAPES = [(parts, rows) for parts in (2, 3, 4, 8, 16) for rows in (512, 1024, 2048, 4096, 8192)]


def main(out):
    table = Table(f"{out}/sums.csv", "op,parts,rows,columns,rest_s,median_s,min_s,kernel_us,kernel".split(","))
    for parts, rows in SHAPES:
        landing = torch.randn((parts, rows, COLUMNS), device="cuda", dtype=torch.half)
        total = torch.empty((rows, COLUMNS), device="cuda", dtype=torch.half)
        negated = torch.empty_like(landing)
        calls = {"sum": lambda: torch.sum(landing, dim=0, out=total), "negate": lambda: torch.neg(landing, out=negated)}
        for op, call in calls.items():
            rested = rest()
            times = time_calls(call, 20, 7, hold=HOLD)
            ran = kernels(call, 5, HOLD)
            table.row(op, parts, rows, COLUMNS, rested, statistics.median(times), min(times),
                      round(statistics.median(end - begin for begin, end, _ in ran), 2), ran[0][2].split("<")[0].removeprefix("void "))


if __name__ == "__main__":
    main(sys.argv[1])
    provenance(sys.argv[1], " ".join(sys.argv))
