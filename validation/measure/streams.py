"""streams.csv: what it costs that streams wait for each other by events, on one GPU, all calls queued before the first begins.

    python3 streams.py streams.csv

Kernels are spins of one thread block (`spin`), or cuBLAS GEMMs that hold all SMs. `inner`: the second stream's kernel runs on a
third, which waits for the second and is waited for, as PyTorch runs NCCL's collectives."""
import statistics
import sys

import torch

from common import HOLD, Table, rest, time_calls

CALLS, READINGS = 20, 9


def gemm(k):
    a = torch.randn((16384, k), device="cuda", dtype=torch.half)
    b = torch.randn((k, 3072), device="cuda", dtype=torch.half)
    c = torch.empty((16384, 3072), device="cuda", dtype=torch.half)
    return lambda: torch.mm(a, b, out=c)


def forked(first, second, streams, inner):
    def call():
        now = torch.cuda.current_stream()
        for stream, work in zip(streams, (first, second)):
            stream.wait_stream(now)
            with torch.cuda.stream(stream):
                if inner and work is second:
                    streams[2].wait_stream(stream)
                    with torch.cuda.stream(streams[2]):
                        work()
                    stream.wait_stream(streams[2])
                else:
                    work()
        for stream in streams[:2]:
            now.wait_stream(stream)

    return call


def chained(first, second, streams):
    def call():
        now = torch.cuda.current_stream()
        streams[0].wait_stream(now)
        with torch.cuda.stream(streams[0]):
            first()
        streams[1].wait_stream(streams[0])
        with torch.cuda.stream(streams[1]):
            second()
        now.wait_stream(streams[1])

    return call


def main():
    table = Table(sys.argv[1], "first,second,how,median_us,min_us".split(","))
    streams = [torch.cuda.Stream() for _ in range(3)]
    pairs = {("spin 50", "spin 50"): [lambda: torch.cuda._sleep(99_000)] * 2,
             ("spin 50", "spin 250"): [lambda: torch.cuda._sleep(99_000), lambda: torch.cuda._sleep(495_000)],
             ("gemm 192", "gemm 768"): [gemm(192), gemm(768)],
             ("gemm 768", "gemm 192"): [gemm(768), gemm(192)],
             ("gemm 192", "spin 250"): [gemm(192), lambda: torch.cuda._sleep(495_000)]}
    for (one, other), (first, second) in pairs.items():
        ways = {"first": first, "second": second, "one stream": lambda: (first(), second()),
                "chained": chained(first, second, streams), "forked": forked(first, second, streams, False),
                "forked, inner": forked(first, second, streams, True)}
        for how, call in ways.items():
            rest()
            times = [1e6 * t for t in time_calls(call, CALLS, READINGS, hold=2 * HOLD)]
            table.row(one, other, how, f"{statistics.median(times):.2f}", f"{min(times):.2f}")


if __name__ == "__main__":
    main()
