"""clocked.csv: GEMMs with the cycles that they take beside their time, so that the clock and what is done in a cycle can be
told apart. C = AB (beta 0) and C += AB (beta 1), random and zero A, one call after a rest and many in a row. One GPU.

clocked.py OUT [gathered]     gathered: the GEMMs of ag_gemm.csv instead"""
import ctypes
import statistics
import subprocess
import sys
import tempfile
import threading

import torch
from torch.profiler import ProfilerActivity, profile

from common import HOLD, Table, rest

SMS = torch.cuda.get_device_properties(0).multi_processor_count
LONG = 0.15  # seconds of calls in a row, and as much before


def compiled_library(source):
    here = sys.path[0]
    out = tempfile.mkdtemp() + "/library.so"
    subprocess.run(["nvcc", "-O2", "-arch=native", "-shared", "-Xcompiler", "-fPIC", f"{here}/{source}", "-o", out],
                   check=True)
    return ctypes.CDLL(out)


CLOCKS = compiled_library("clock.cu")


def read_clocks(into):
    stream = torch.cuda.current_stream().cuda_stream
    error = CLOCKS.read_clocks_of(ctypes.c_void_p(into.data_ptr()), SMS, ctypes.c_void_p(stream))
    assert error == 0, error


def kernel_name(call):
    with profile(activities=[ProfilerActivity.CUDA]) as p:
        call()
        torch.cuda.synchronize()
    return max(p.key_averages(), key=lambda e: e.self_device_time_total).key.replace(",", ";")[:100]


def draw():
    try:
        return torch.cuda.power_draw() / 1000
    except Exception:  # no pynvml
        return 0


class Watts:
    """The power that NVML shows meanwhile, its median."""

    def __enter__(self):
        self.seen, self.end = [], False
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def look(self):
        while not self.end:
            self.seen.append(draw())

    def __exit__(self, *_):
        self.end = True
        self.thread.join()


def once(call, calls):
    """(seconds a call, cycles a call) of `calls` in a row, the median SM's."""
    before, after = (torch.zeros((256, 2), dtype=torch.int64, device="cuda") for _ in range(2))
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(HOLD)
    read_clocks(before)
    start.record()
    for _ in range(calls):
        call()
    end.record()
    read_clocks(after)
    torch.cuda.synchronize()
    passed = (after - before)[before[:, 1] > 0].double().cpu()
    seconds = start.elapsed_time(end) * 1e-3
    mhz = statistics.median((passed[:, 0] / passed[:, 1]).tolist()) * 1e3
    return seconds / calls, mhz


def measure(table, tag, data, beta, shape, operands, call):
    name = kernel_name(call)
    short = []
    for _ in range(7):
        rest(0.05)
        short.append(once(call, 1))
    seconds, mhz = sorted(short)[len(short) // 2]
    table.row(tag, data, beta, *shape, name, "after a rest", 1, seconds, mhz, seconds * mhz * 1e6, "")
    calls = max(1, int(LONG / seconds))
    with Watts() as watts:
        once(call, calls)
        seen = len(watts.seen)
        seconds, mhz = once(call, calls)
        power = statistics.median(watts.seen[seen:] or [0])
    table.row(tag, data, beta, *shape, name, "in a row", calls, seconds, mhz, seconds * mhz * 1e6, round(power))


def tensors(m, n, k, data, whole_k):
    a = torch.zeros((m, whole_k), device="cuda", dtype=torch.half)
    if data == "normal":
        a.normal_()
    b = torch.randn((whole_k, n), device="cuda", dtype=torch.half) * 0.02
    return a[:, :k], b[:k], torch.zeros((m, n), device="cuda", dtype=torch.half)


def library(table, tag, m, n, ks, betas=(0, 1), datas=("zero", "normal"), whole_k=None):
    for data in datas:
        for k in ks:
            a, b, c = tensors(m, n, k, data, whole_k or k)
            for beta in betas:
                call = (lambda: torch.addmm(c, a, b, out=c)) if beta else (lambda: torch.mm(a, b, out=c))
                measure(table, tag, data, beta, (m, n, k), (a, b, c), call)
            del a, b, c


def compiled(table, m, n, k, tile, warps, stages):
    from fused import gemm_to_owner
    for data in ("zero", "normal"):
        a, b, c = tensors(m, n, k, data, k)
        bm, bn, bk = tile
        target = torch.tensor([c.data_ptr()], dtype=torch.int64, device="cuda")
        grid = ((m // bm) * (n // bn),)

        def call():
            gemm_to_owner[grid](a, b, target, m, n, k, 0, m, 0, bm, bn, bk, 8, num_warps=warps, num_stages=stages)

        call()
        measure(table, f"triton {bm}x{bn}x{bk} {warps} warps {stages} stages", data, 0, (m, n, k), (a, b, c), call)


def gathered(table):
    """The GEMMs of all-gather + GEMM, in the tiles that were measured: a few waves each."""
    small, large = ((128, 128, 64), 4, 4), ((128, 256, 64), 8, 4)
    for m, n, k, tile in ((1024, 6144, 12288, small), (2048, 6144, 12288, large), (4096, 6144, 12288, large),
                          (8192, 6144, 12288, large), (1024, 1280, 8192, small), (4096, 1280, 8192, small),
                          (1024, 6144, 3072, small), (2048, 6144, 12288, small), (1024, 2048, 12288, small),
                          (1024, 4096, 12288, small), (1024, 8192, 12288, small)):
        compiled(table, m, n, k, *tile)
    for m in (1024, 2048, 4096, 8192):
        library(table, "gathered", m, 6144, (12288,), betas=(0,))
    for m in (1024, 4096):
        library(table, "gathered", m, 1280, (8192,), betas=(0,))


def main(out, what=""):
    torch.manual_seed(1)
    table = Table(f"{out}/clocked.csv",
                  "what,data,beta,M,N,K,kernel,calls_are,calls,seconds,sm_mhz,cycles,watts".split(","))
    if what == "gathered":
        return gathered(table)
    # Slices of FiCCO's g14: C of 1 GB; the same width with a C that stays in the L2; a wave and a half.
    library(table, "slices of K 4096", 147456, 3584, (64, 128, 256, 512, 1024, 4096), whole_k=4096)
    library(table, "C in the L2", 4096, 3584, (64, 128, 256, 512, 1024, 4096), datas=("zero",), whole_k=4096)
    library(table, "time over K", 16384, 3072, (192, 384, 768, 1536, 3072, 6144), betas=(0,))
    library(table, "time over K", 2048, 12288, (384, 1536, 6144), betas=(0,))
    library(table, "square", 8192, 8192, (8192,), betas=(0,))
    compiled(table, 4096, 6144, 3072, (128, 128, 64), 4, 4)
    compiled(table, 4096, 6144, 12288, (128, 128, 64), 4, 4)
    compiled(table, 4096, 6144, 3072, (128, 256, 64), 8, 3)
    compiled(table, 4096, 6144, 12288, (128, 256, 64), 8, 3)
    compiled(table, 1024, 1280, 8192, (128, 128, 64), 4, 4)


if __name__ == "__main__":
    main(*sys.argv[1:])
