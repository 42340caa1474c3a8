"""chosen.csv: which kernel cuBLAS takes for C = AB of FP16, row-major, where nobody says, and its time, read after a rest.

    python3 chosen.py chosen.csv
    python3 chosen.py chosen_long.csv long    # FiCCO's Table I on a GPU of eight: whole and in pieces of rows and of K"""
import sys
import time

import torch

from accumulate import kernel_of, microseconds

ROWS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
COLUMNS_AND_K = ((1280, 8192), (2560, 8192), (6144, 12288), (12288, 6144), (3072, 192), (3072, 768), (3072, 3072), (8192, 1024),
                 (7168, 2048), (1024, 8192), (8192, 8192), (4256, 4256))

# FiCCO's Table I, N / 8.
LONG = ((16384, 2048, 131072), (131072, 2048, 16384), (53248, 2048, 131072), (131072, 6656, 16384), (8192, 1024, 262144), (262144, 1024, 8192),
        (28672, 1024, 262144), (262144, 3584, 8192), (196608, 2304, 16384), (196608, 13312, 16384), (1048576, 1280, 8192), (1048576, 7168, 8192),
        (1607680, 7168, 8192), (147456, 3584, 4096), (327680, 3584, 4096), (229376, 3584, 4096))
MOST_BYTES = 60e9


def shapes(long):
    if not long:
        yield from ((m, n, k) for n, k in COLUMNS_AND_K for m in ROWS)
        return
    for m, n, k in LONG:
        for rows, slices in ((1, 1), (2, 1), (8, 1), (64, 1), (1, 8), (1, 64)):
            if 2 * (m // rows * (k // slices) + k // slices * n + m // rows * n) < MOST_BYTES:
                yield m // rows, n, k // slices


def main():
    with open(sys.argv[1], "w") as table:
        print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}, CUDA {torch.version.cuda}", file=sys.stderr)
        print("m,n,k,us,kernel", file=table)
        for m, n, k in shapes(sys.argv[2:] == ["long"]):
            a = torch.empty((m, k), device="cuda", dtype=torch.half).normal_()
            b = torch.empty((k, n), device="cuda", dtype=torch.half).normal_(std=0.02)
            c = torch.empty((m, n), device="cuda", dtype=torch.half)

            def call():
                torch.mm(a, b, out=c)

            name = kernel_of(call)
            time.sleep(0.1)
            us = microseconds(call) if 2.0 * m * n * k < 1e13 else float("nan")  # twenty calls of the longest would take seconds
            print(f"{m},{n},{k},{us:.2f},{name}", file=table, flush=True)
            del a, b, c


if __name__ == "__main__":
    main()
