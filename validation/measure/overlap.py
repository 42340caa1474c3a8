"""overlap.csv and interference.csv: a cuBLAS GEMM and transfers, each alone, in sequence and on two streams.

Interference: the queues of two streams are filled, as long alone the one as the other, and begin together; a stream's time is
its mean a call until its own last call ends. `rested`: 0.1 s of nothing before every reading, so that the clock is at its
highest; `sustained`: only the last of readings that follow each other for 0.3 s, so that the power limit has settled."""
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem

from common import HOLD, Table, rest, run_ranks, slowest, time_calls, work

GATHERED = [int(size) for size in os.environ.get("T3_TRANSFERS", str(64 << 20)).split()]  # bytes of a transfer beside a GEMM
QUEUE_S, SETTLE_S, READINGS = 20e-3, 0.3, 7
SPIN = 5_000_000  # cycles that both streams wait until the queues are filled


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

    return time_calls(both, calls, 7, hold=HOLD)


def queues(work_of_streams, marks=False):
    """Runs [(stream, call, calls)], begun together; seconds a call of each, and when each call ended if `marks`."""
    events = []
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()
    gate = torch.cuda.Event()
    torch.cuda._sleep(SPIN)
    dist.all_reduce(torch.zeros(1, device="cuda"))  # the GPUs begin together too
    gate.record()
    for stream, call, calls in work_of_streams:
        stream.wait_event(gate)
        with torch.cuda.stream(stream):
            events.append([torch.cuda.Event(enable_timing=True)])
            events[-1][0].record()
            for i in range(calls):
                call()
                if marks or i == calls - 1:
                    events[-1].append(torch.cuda.Event(enable_timing=True))
                    events[-1][-1].record()
    torch.cuda.synchronize()
    if marks:
        return [[events[0][0].elapsed_time(e) * 1e3 for e in stream_events] for stream_events in events]
    return [e[0].elapsed_time(e[-1]) * 1e-3 / calls for e, (_, _, calls) in zip(events, work_of_streams)]


def calls_in(queue_s, call_s):
    return max(4, round(queue_s / call_s))


def settled(work_of_streams, state):
    """Median of the readings, a call of each stream; the slowest GPU's."""
    readings = []
    if state == "sustained":
        once = max(slowest([q])[0] * calls for q, (_, _, calls) in zip(queues(work_of_streams), work_of_streams))
        for _ in range(int(SETTLE_S / once)):
            queues(work_of_streams)
    for _ in range(READINGS):
        if state == "rested":
            rest()
        readings.append(queues(work_of_streams))
    return [slowest([reading[i] for reading in readings])[0] for i in range(len(work_of_streams))]


def copy_to_neighbour(rank, world, size):
    """A copy engine's transfer into the next GPU: through symmetric memory, as a copy between tensors of two devices would
    also make the streams of both wait for each other."""
    mine = torch.zeros(size, dtype=torch.uint8, device="cuda")
    landing = symm_mem.empty(size, dtype=torch.uint8, device="cuda")
    handle = symm_mem.rendezvous(landing, dist.group.WORLD)
    theirs = handle.get_buffer((rank + 1) % world, (size,), torch.uint8)
    kept = (landing, handle)  # the memory goes with them
    return lambda: (kept, theirs.copy_(mine))


def gather(world, size):
    whole = torch.zeros(size, dtype=torch.uint8, device="cuda")
    part = torch.zeros(size // world, dtype=torch.uint8, device="cuda")
    return lambda: dist.all_gather_into_tensor(whole, part)


def transfers(rank, world):
    for size in GATHERED:
        yield "copy_engine", copy_to_neighbour(rank, world, size), size
        yield "nccl_all_gather", gather(world, size), size * (world - 1) // world


def interference(tables, series, where, world, gemm, kinds):
    a, b = torch.cuda.Stream(), torch.cuda.Stream()
    for kind, transfer, moved in kinds:
        one = [slowest(time_calls(call, 10, 3, hold=HOLD))[0] for call in (gemm, transfer)]
        for state, table in tables.items():
            gemm_alone, comm_alone = (settled([(stream, call, calls_in(QUEUE_S, seconds))], state)[0]
                                      for stream, call, seconds in ((a, gemm, one[0]), (b, transfer, one[1])))
            gemms, moves = calls_in(QUEUE_S, gemm_alone), calls_in(QUEUE_S, comm_alone)
            gemm_shared, comm_shared = settled([(a, gemm, gemms), (b, transfer, moves)], state)
            table.row(world, kind, *where[:4], moved, gemm_alone, gemm_shared, comm_alone, comm_shared)
        rest()
        for stream, ends in zip(("gemm", "transfer"), queues([(a, gemm, gemms), (b, transfer, moves)], marks=True)):
            for i, at in enumerate(ends):
                series.row(kind, *where[1:4], moved, stream, i, f"{at:.1f}")


def worker(rank, world, out):
    overlap = Table(f"{out}/overlap-{world}.csv", "tag,world,op,model,M,N,K,tp,median_s,min_s".split(","), rank)
    columns = "world,kind,model,M,N,K,comm_bytes,gemm_alone_s,gemm_shared_s,comm_alone_s,comm_shared_s".split(",")
    beside = {state: Table(f"{out}/interference-{state}-{world}.csv", columns, rank) for state in ("rested", "sustained")}
    series = Table(f"{out}/interference-calls-{world}.csv", "kind,M,N,K,moved,stream,call,end_us".split(","), rank)
    kinds = list(transfers(rank, world))
    for model, sub, tp, m, n, k in work("mega-gpt-2:4,8,16"):
        a = torch.randn((m, k), device="cuda", dtype=torch.half)
        b = torch.randn((k, n), device="cuda", dtype=torch.half)
        c = torch.empty((m, n), device="cuda", dtype=torch.half)
        part = torch.empty((m // world, n), device="cuda", dtype=torch.half)
        gemm, rs = (lambda: torch.mm(a, b, out=c)), (lambda: dist.reduce_scatter_tensor(part, c))
        where = (model, m, n, k, tp)

        def one_after_the_other():
            gemm()
            rs()

        for op, call in (("gemm", gemm), ("rs", rs), ("seq", one_after_the_other)):
            rest()
            overlap.row("default", world, op, *where, *slowest(time_calls(call, 10, 7, hold=HOLD)))
        rest()
        overlap.row("default", world, "conc", *where, *slowest(together(gemm, rs, 10)))
        interference(beside, series, where, world, gemm, kinds)


if __name__ == "__main__":
    run_ranks(worker, int(sys.argv[2]), sys.argv[1])
