"""in_a_row.csv: what a GEMM of cuBLAS takes alone and among others in a full queue, A zero (which leaves the clock up): by events, and by
CUPTI from its kernels' begin and end. Usage: in_a_row.py OUT"""
import statistics
import sys

import torch

from common import HOLD, Table, kernels, rest, time_calls

SHAPES = ((2304, 3584, 4096), (3584, 3584, 4096), (4096, 1024, 8192), (4096, 3584, 8192), (832, 2048, 131072), (256, 2048, 131072),
          (128, 1024, 262144), (1024, 6144, 12288), (1024, 1280, 8192), (2048, 3072, 3072), (6656, 2048, 131072))


def main(out):
    table = Table(f"{out}/in_a_row.csv", "gpu,M,N,K,calls,us_one,us_each,cupti_us_one,cupti_us_each,kernels_a_call,gap_us,kernel".split(","))
    gpu = torch.cuda.get_device_name()
    for m, n, k in SHAPES:
        a = torch.zeros((m, k), device="cuda", dtype=torch.half)
        b = torch.randn((k, n), device="cuda", dtype=torch.half)
        c = torch.empty((m, n), device="cuda", dtype=torch.half)

        def call():
            torch.mm(a, b, out=c)

        calls = max(4, min(64, int(20e-3 / (2.0 * m * n * k / 600e12))))
        for _ in range(3):
            call()
        rest()
        one = statistics.median(time_calls(call, 1, 7, hold=HOLD))
        rest()
        many = statistics.median(time_calls(call, calls, 7, hold=HOLD))
        alone, row = kernels(call, 1, 2 * HOLD), kernels(call, calls, 2 * HOLD)
        each = len(row) // calls
        # Of a call, from its first kernel's begin to its last one's end; and from then to the next call's begin.
        spans = [(row[i][0], row[i + each - 1][1]) for i in range(0, len(row) - each + 1, each)]
        gaps = [later[0] - earlier[1] for earlier, later in zip(spans, spans[1:])]
        table.row(gpu, m, n, k, calls, f"{one * 1e6:.2f}", f"{many * 1e6:.2f}", f"{alone[-1][1] - alone[0][0]:.2f}",
                  f"{statistics.median(e - b for b, e in spans):.2f}", each, f"{statistics.median(gaps):.2f}", row[0][2].split('(')[0])


if __name__ == "__main__":
    main(sys.argv[1])
