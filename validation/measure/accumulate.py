"""accumulate.csv: cuBLAS's C = AB and C += AB where K is short, A all zeros, calls in a row: what C's own traffic costs.

    python3 accumulate.py accumulate.csv
    ncu --metrics dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum \\
        python3 accumulate.py --once      # what moves, of 147456 x 3584 x 64"""
import sys

import torch
from torch.profiler import ProfilerActivity, profile

SHAPES = [(16896, 256 * columns) for columns in (1, 2, 3, 4, 6, 8, 16)] + [(147456, 3584), (262144, 1024), (65536, 3072)]
LENGTHS = (64, 128, 256, 512)
READINGS, CALLS = 7, 20


def operations(m, n, k):
    a = torch.zeros((m, k), device="cuda", dtype=torch.half)
    b = torch.randn((k, n), device="cuda", dtype=torch.half) * 0.02
    c = torch.zeros((m, n), device="cuda", dtype=torch.half)
    return {"mm": lambda: torch.mm(a, b, out=c), "addmm": lambda: torch.addmm(c, a, b, out=c)}


def kernel_of(call):
    call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        call()
        torch.cuda.synchronize()
    return ";".join(event.name for event in seen.events() if "nvjet" in event.name)


def microseconds(call):
    call(), call()
    torch.cuda.synchronize()
    readings = []
    for _ in range(READINGS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(2_000_000)  # cycles, until the queue is filled
        begin.record()
        for _ in range(CALLS):
            call()
        end.record()
        torch.cuda.synchronize()
        readings.append(begin.elapsed_time(end) * 1e3 / CALLS)
    return sorted(readings)[READINGS // 2]


def main():
    if sys.argv[1] == "--once":
        for call in operations(147456, 3584, 64).values():
            call()
        return torch.cuda.synchronize()
    with open(sys.argv[1], "w") as table:
        print("op,m,n,k,us,kernel", file=table)
        for m, n in SHAPES:
            for k in LENGTHS:
                for op, call in operations(m, n, k).items():
                    print(f"{op},{m},{n},{k},{microseconds(call):.2f},{kernel_of(call)}", file=table)


if __name__ == "__main__":
    main()
