"""chosen.csv: which kernel cuBLAS takes for C = AB of FP16, row-major, where nobody says, and its time, read after a rest.

    python3 chosen.py chosen.csv
    python3 chosen.py chosen_long.csv long    # FiCCO's Table I on a GPU of eight: whole and in pieces of rows and of K
    python3 chosen.py chosen_few.csv few      # 16 to 512 rows, shapes of model layers by tensor parallelism"""
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

FEW_ROWS = (16, 32, 64, 96, 128, 160, 192, 256, 320, 384, 512)
FEW_COLUMNS_AND_K = ((6144, 12288), (12288, 6144), (3072, 12288), (12288, 3072), (1536, 12288), (12288, 1536), (8192, 8192), (2048, 8192), (4096, 4096),
                     (1024, 4096), (11008, 4096), (4096, 11008), (28672, 8192), (7168, 8192), (8192, 28672), (8192, 7168), (8192, 3584), (5120, 5120),
                     (2560, 5120), (16384, 1024), (1024, 16384), (768, 3072), (3072, 768), (2048, 2048))


def shapes(which):
    if which == "few":
        yield from ((m, n, k) for n, k in FEW_COLUMNS_AND_K for m in FEW_ROWS)
        return
    if which != "long":
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
        for m, n, k in shapes("".join(sys.argv[2:])):
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
