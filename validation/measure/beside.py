"""beside.csv: GEMMs beside copies between two GPUs, with the cycles that they take beside their time, after a rest: what copies
cost the clock and what they cost the L2 and the memory. `copies`: none; out (this GPU's engine pushes), in (the other's does),
both; pull (as both, each engine pulls). Of 64 MiB, or always of the same 4 MiB, which the L2 keeps. Then kernels that only
store, only load, or do both; and the cycles of a load that waits for the one before, in the L2 and in memory."""
import ctypes
import statistics
import sys

import torch

from clocked import compiled_library, read_clocks, tensors
from common import Table, rest

BYTES, SMALL = 64 << 20, 4 << 20
HOLD = 8_000_000  # cycles that both GPUs wait while the host fills their queues
CALLS_S, READINGS = 2e-3, 5
KINDS = ("none", "out", "in", "both", "pull")


class Gpu:
    def __init__(self, index):
        self.device = torch.device("cuda", index)
        with torch.cuda.device(index):
            self.gemms, self.copies = torch.cuda.Stream(), torch.cuda.Stream()
            self.away, self.arrived = (torch.zeros(BYTES, dtype=torch.uint8, device=self.device) for _ in range(2))
            self.clocks = [torch.zeros((256, 2), dtype=torch.int64, device=self.device) for _ in range(2)]

    def events(self, count):
        return [torch.cuda.Event(enable_timing=True) for _ in range(count)]

    def hold(self):
        with torch.cuda.device(self.device):
            for stream in (self.gemms, self.copies):
                with torch.cuda.stream(stream):
                    torch.cuda._sleep(HOLD)


def copy(cudart, to, source, engine, moved):
    for _ in range(BYTES // moved):
        error = cudart.cudaMemcpyAsync(to.data_ptr(), source.data_ptr(), moved, 4, engine.copies.cuda_stream)
        assert error == 0, error


def copies_of(gpu, other, kind):
    """(whose engine, from, to) of one round of copies."""
    push, arriving = (gpu, gpu.away, other.arrived), (other, other.away, gpu.arrived)
    pulls = [(gpu, other.away, gpu.arrived), (other, gpu.away, other.arrived)]
    return {"none": [], "out": [push], "in": [arriving], "both": [push, arriving], "pull": pulls}[kind]


def once(cudart, gpu, other, kind, moved, call, calls, rounds):
    """(seconds a call, MHz, seconds for 64 MiB)"""
    start, end, begun, done = gpu.events(4)
    for one in (gpu, other):
        one.hold()
    with torch.cuda.device(gpu.device), torch.cuda.stream(gpu.gemms):
        read_clocks(gpu.clocks[0])
        start.record()
        for _ in range(calls):
            call()
        end.record()
        read_clocks(gpu.clocks[1])
    moves = copies_of(gpu, other, kind)
    if moves:
        with torch.cuda.device(moves[0][0].device), torch.cuda.stream(moves[0][0].copies):
            begun, done = moves[0][0].events(2)
            begun.record()
    for _ in range(rounds):
        for engine, source, to in moves:
            with torch.cuda.device(engine.device):
                copy(cudart, to, source, engine, moved)
    if moves:
        with torch.cuda.device(moves[0][0].device), torch.cuda.stream(moves[0][0].copies):
            done.record()
    for one in (gpu, other):
        torch.cuda.synchronize(one.device)
    passed = (gpu.clocks[1] - gpu.clocks[0])[gpu.clocks[0][:, 1] > 0].double().cpu()
    mhz = statistics.median((passed[:, 0] / passed[:, 1]).tolist()) * 1e3
    return start.elapsed_time(end) * 1e-3 / calls, mhz, begun.elapsed_time(done) * 1e-3 / rounds if moves else 0


def measure(table, cudart, gpus, what, shape, call, kinds):
    gpu, other = gpus
    call()
    alone = once(cudart, gpu, other, "none", BYTES, call, 20, 0)[0]
    calls = max(4, round(CALLS_S / alone))
    for kind, moved in kinds:
        readings = []
        for _ in range(READINGS):
            rest(0.1)
            readings.append(once(cudart, gpu, other, kind, moved, call, calls, max(1, round(CALLS_S / 172e-6))))
        seconds, mhz, copy_s = (statistics.median(r[i] for r in readings) for i in range(3))
        table.row(what, *shape, kind, moved, calls, seconds, mhz, seconds * mhz * 1e6, copy_s)


def gemm(m, n, k, data):
    a, b, c = tensors(m, n, k, data, k)
    return lambda: torch.mm(a, b, out=c)


def gemms(table, cudart, gpus):
    for data in ("zero", "normal"):
        for shape in ((16384, 3072, k) for k in (192, 384, 576, 768, 1536, 3072)):
            measure(table, cudart, gpus, data, shape, gemm(*shape, data), [(kind, BYTES) for kind in KINDS])
        for shape in ((4096, 8192, k) for k in (1024, 4096)):
            measure(table, cudart, gpus, data, shape, gemm(*shape, data), [(kind, BYTES) for kind in KINDS])


def where(table, cudart, gpus):
    """Of which part of the GPU is it? An L2 that holds what is copied, a C that it holds, stores and loads alone."""
    kinds = [("none", BYTES), ("out", BYTES), ("out", SMALL), ("in", BYTES), ("in", SMALL), ("both", SMALL), ("none", BYTES)]
    for shape in ((16384, 3072, 64), (16384, 3072, 192), (16384, 3072, 768), (4096, 3072, 192), (4096, 3072, 768), (2048, 1408, 768)):
        measure(table, cudart, gpus, "zero", shape, gemm(*shape, "zero"), kinds)
    large, other = (torch.zeros(48 << 20, dtype=torch.half, device="cuda") for _ in range(2))
    small = torch.zeros(8 << 20, dtype=torch.half, device="cuda")
    total = torch.zeros((), dtype=torch.half, device="cuda")
    for what, x, call in (("store", large, large.zero_), ("load", large, lambda: torch.amax(large, dim=0, out=total)),
                          ("load and store", large, lambda: other.copy_(large)), ("store", small, small.zero_),
                          ("load", small, lambda: torch.amax(small, dim=0, out=total))):
        measure(table, cudart, gpus, what, (x.numel(), "", ""), call, kinds)


def chains():
    """(what, next of each line, total cycles): random rings over the L2, and over memory."""
    for what, lines in (("hit", 1 << 15), ("miss", 1 << 22)):
        order = torch.randperm(lines)
        ring = torch.zeros((lines, 32), dtype=torch.int32)
        ring[order, 0] = order.roll(-1).int()
        yield what, ring.cuda()


def latency(table, cudart, gpus):
    library = compiled_library("chase.cu")
    cycles = torch.zeros((), device="cuda")
    for what, ring in chains():
        loads = 5000 if what == "hit" else 2000

        def call():
            stream = torch.cuda.current_stream().cuda_stream
            error = library.chase_on(ctypes.c_void_p(ring.data_ptr()), loads, ctypes.c_void_p(cycles.data_ptr()),
                                     ctypes.c_void_p(stream))
            assert error == 0, error

        for kind, moved in (("none", BYTES), ("out", BYTES), ("out", SMALL), ("in", BYTES), ("both", BYTES), ("pull", BYTES)):
            ring.amax()  # the ring of hits is in the L2
            readings = []
            for _ in range(READINGS):
                rest(0.1)
                _, mhz, copy_s = once(cudart, *gpus, kind, moved, call, 2, 12)
                readings.append((cycles.item(), mhz, copy_s))
            median = [statistics.median(r[i] for r in readings) for i in range(3)]
            table.row(what, "", "", "", kind, moved, loads, "", median[1], median[0], median[2])


def two_gpus():
    """(CUDA's runtime, both GPUs), which can reach each other's memory."""
    cudart = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps") if "libcudart" in line))
    cudart.cudaMemcpyAsync.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
    gpus = [Gpu(0), Gpu(1)]
    for a, b in ((0, 1), (1, 0)):
        with torch.cuda.device(a):
            gpus[a].arrived.copy_(gpus[b].away)  # peer access is on from here
            torch.cuda.synchronize()
    return cudart, gpus


def main(out):
    cudart, gpus = two_gpus()
    table = Table(f"{out}/beside.csv", "what,M,N,K,copies,copied,calls,call_s,sm_mhz,cycles,copy_s".split(","))
    for part in (sys.argv[2:] or ("gemms", "where", "latency")):
        {"gemms": gemms, "where": where, "latency": latency}[part](table, cudart, gpus)


if __name__ == "__main__":
    main(sys.argv[1])
