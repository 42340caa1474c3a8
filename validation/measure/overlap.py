"""overlap.csv and interference.csv: a cuBLAS GEMM and transfers, each alone, in sequence and on two streams."""
import statistics
import sys

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem

from common import Table, run_ranks, shapes, slowest, time_calls

GATHERED = 64 << 20  # bytes of the all-gather, and of a copy, that run beside a GEMM


def together(first, second, calls):
    """One call of both, on two streams."""
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]

    def both():
        now = torch.cuda.current_stream()
        for stream, call in zip(streams, (first, second)):
            stream.wait_stream(now)
            with torch.cuda.stream(stream):
                call()
        for stream in streams:
            now.wait_stream(stream)

    return time_calls(both, calls, 7)


def shared_times(gemm, transfer, gemm_s, transfer_s):
    """Seconds a call of each while the other runs all the time."""
    a, b = torch.cuda.Stream(), torch.cuda.Stream()
    found = []
    for timed, busy, ratio in ((gemm, transfer, gemm_s / transfer_s), (transfer, gemm, transfer_s / gemm_s)):
        times = []
        for _ in range(7):
            torch.cuda.synchronize()
            dist.barrier()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            with torch.cuda.stream(b):
                for _ in range(int(20 * ratio * 2) + 10):
                    busy()
            with torch.cuda.stream(a):
                for _ in range(3):
                    timed()
                start.record()
                for _ in range(20):
                    timed()
                end.record()
            torch.cuda.synchronize()
            times.append(start.elapsed_time(end) * 1e-3 / 20)
        found.append(slowest(times)[0])
    return found


def copy_to_neighbour(rank, world):
    """A copy engine's transfer into the next GPU: through symmetric memory, as a copy between tensors of two devices would
    also make the streams of both wait for each other."""
    mine = torch.zeros(GATHERED, dtype=torch.uint8, device="cuda")
    landing = symm_mem.empty(GATHERED, dtype=torch.uint8, device="cuda")
    handle = symm_mem.rendezvous(landing, dist.group.WORLD)
    theirs = handle.get_buffer((rank + 1) % world, (GATHERED,), torch.uint8)
    kept = (landing, handle)  # the memory goes with them
    return lambda: (kept, theirs.copy_(mine))


def gather(world):
    whole = torch.zeros(GATHERED, dtype=torch.uint8, device="cuda")
    part = torch.zeros(GATHERED // world, dtype=torch.uint8, device="cuda")
    return lambda: dist.all_gather_into_tensor(whole, part)


def worker(rank, world, out):
    transfers = (("copy_engine", copy_to_neighbour(rank, world), GATHERED),
                 ("nccl_all_gather", gather(world), GATHERED * (world - 1) // world))
    overlap = Table(f"{out}/overlap.csv", "tag,world,op,model,M,N,K,tp,median_s,min_s".split(","), rank)
    beside = Table(f"{out}/interference.csv", "world,kind,model,M,N,K,comm_bytes,gemm_alone_s,gemm_shared_s,"
                   "comm_alone_s,comm_shared_s".split(","), rank)
    for sub, tp, m, n, k in shapes("mega-gpt-2", (4, 8, 16)):
        a = torch.randn((m, k), device="cuda", dtype=torch.half)
        b = torch.randn((k, n), device="cuda", dtype=torch.half)
        c = torch.empty((m, n), device="cuda", dtype=torch.half)
        part = torch.empty((m // world, n), device="cuda", dtype=torch.half)
        gemm, rs = (lambda: torch.mm(a, b, out=c)), (lambda: dist.reduce_scatter_tensor(part, c))
        where = ("mega-gpt-2", m, n, k, tp)

        def one_after_the_other():
            gemm()
            rs()

        alone = {}
        for op, call in (("gemm", gemm), ("rs", rs), ("seq", one_after_the_other)):
            alone[op] = slowest(time_calls(call, 10, 7))
            overlap.row("default", world, op, *where, *alone[op])
        overlap.row("default", world, "conc", *where, *slowest(together(gemm, rs, 10)))
        for kind, transfer, moved in transfers:
            comm_alone = slowest(time_calls(transfer, 10, 7))[0]
            gemm_alone = slowest(time_calls(gemm, 20, 7))[0]  # again: the clock remembers what ran before
            gemm_shared, comm_shared = shared_times(gemm, transfer, gemm_alone, comm_alone)
            beside.row(world, kind, *where[:4], moved, gemm_alone, gemm_shared, comm_alone, comm_shared)


if __name__ == "__main__":
    run_ranks(worker, int(sys.argv[2]), sys.argv[1])
