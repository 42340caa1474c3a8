"""order.csv: which of a cuBLAS GEMM and NCCL's reduce-scatter, on two streams that are forked before each call and joined after
it, begins first on which GPU (two or more; CUPTI's times, each GPU by its own first kernel). Usage: order.py OUT"""
import os
import sys

import torch

from common import HOLD, Table, kernels, run_ranks

M, N, CALLS = 16384, 3072, 40


def worker(rank, world, out):
    import torch.distributed as dist

    table = Table(f"{out}/order.csv", "K,gpu,kernel,call,begin_us,end_us".split(","), rank)
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    for k in (192, 768, 1536, 3072):
        a = torch.randn((M, k), device="cuda", dtype=torch.half)
        b = torch.randn((k, N), device="cuda", dtype=torch.half)
        c = torch.empty((M, N), device="cuda", dtype=torch.half)
        part = torch.empty((M // world, N), device="cuda", dtype=torch.half)

        def both():
            now = torch.cuda.current_stream()
            for stream, call in zip(streams, (lambda: torch.mm(a, b, out=c), lambda: dist.reduce_scatter_tensor(part, c))):
                stream.wait_stream(now)
                with torch.cuda.stream(stream):
                    call()
            for stream in streams:
                now.wait_stream(stream)

        for _ in range(5):
            both()
        torch.cuda.synchronize()
        dist.barrier()
        found = kernels(both, CALLS, 4 * HOLD)
        all_found = [None] * world
        dist.all_gather_object(all_found, found)
        for gpu, events in enumerate(all_found):
            counts = {}
            for begin, end, name in events:
                kernel = "reduce-scatter" if "nccl" in name else "gemm"
                counts[kernel] = counts.get(kernel, -1) + 1
                table.row(k, gpu, kernel, counts[kernel], f"{begin - events[0][0]:.1f}", f"{end - events[0][0]:.1f}")


if __name__ == "__main__":
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    run_ranks(worker, torch.cuda.device_count(), sys.argv[1])
