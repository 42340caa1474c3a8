"""turns.csv: at which clock a GEMM runs on two GPUs alone, behind a copy, beside a copy of its shard and beside copies all the time,
when each case has a rest before it, when it follows itself, and when the cases are timed in turn. A case is some 4 ms of calls, and
both GPUs wait for 2 ms before it until the host has filled their queues. After a copy and in `beside` each GPU pulls half of A."""
import statistics
import sys

import torch

from beside import gemm, two_gpus
from clocked import read_clocks, tensors
from common import Table, rest
from waits import waiting_gemm

HOLD = 4_000_000
CASE_S = 4e-3
CASES = ("gemm", "copy then gemm", "beside", "flood", "copies")
SHAPES = ((4096, 6144, 12288), (4096, 1280, 8192), (16384, 3072, 3072))
COMPILED = ((2048, 6144, 12288), (4096, 6144, 12288), (8192, 6144, 12288))  # Triton's 128x256x64, 8 warps, 4 stages
RESTED, IN_A_ROW, TURNS, SETTLED = 5, 60, 30, 15  # readings; of cases in a row and of turns, the first are left out


def compiled(m, n, k, data):
    a, b, c = tensors(m, n, k, data, k)
    flags = torch.ones(m // 128, dtype=torch.int32, device="cuda")
    grid = ((m // 128) * (n // 256),)
    return lambda: waiting_gemm[grid](a, b, c, flags, m, n, k, 0, 128, 256, 64, 8, 0, num_warps=8, num_stages=4)


class Work:
    """One shape on both GPUs."""

    def __init__(self, cudart, gpus, shape, data, make):
        self.cudart, self.gpus, self.shape = cudart, gpus, shape
        self.bytes = shape[0] * shape[2]  # half of A, two bytes a word
        self.call, self.away, self.arrived = [], [], []
        for one in gpus:
            with torch.cuda.device(one.device):
                self.call.append(make(*shape, data))
                self.away.append(torch.zeros(self.bytes, dtype=torch.uint8, device=one.device))
                self.arrived.append(torch.zeros(self.bytes, dtype=torch.uint8, device=one.device))
                self.call[-1]()
                torch.cuda.synchronize()

    def pull(self, g, stream):
        error = self.cudart.cudaMemcpyAsync(self.arrived[g].data_ptr(), self.away[1 - g].data_ptr(), self.bytes, 4,
                                            stream.cuda_stream)
        assert error == 0, error

    def queue(self, g, case, calls):
        """What to wait for: (clocks before and after each GEMM, start, end)."""
        one = self.gpus[g]
        with torch.cuda.device(one.device), torch.cuda.stream(one.gemms):
            clocks = [[torch.zeros((256, 2), dtype=torch.int64, device=one.device) for _ in range(2)] for _ in range(calls)]
            start, end = one.events(2)
            torch.cuda._sleep(HOLD)
            start.record()
            for pair in clocks:
                if case in ("copies", "copy then gemm"):
                    self.pull(g, one.gemms)
                if case in ("beside", "flood"):
                    begun = torch.cuda.Event()
                    begun.record()
                    one.copies.wait_event(begun)
                    for _ in range(self.flood if case == "flood" else 1):
                        self.pull(g, one.copies)
                if case != "copies":
                    read_clocks(pair[0])
                    self.call[g]()
                    read_clocks(pair[1])
            end.record()
        return clocks, start, end

    def run(self, case, calls):
        """(MHz of GPU 0 during its GEMMs, seconds a call)"""
        queued = [self.queue(g, case, calls) for g in range(2)]
        for one in self.gpus:
            torch.cuda.synchronize(one.device)
        clocks, start, end = queued[0]
        seconds = start.elapsed_time(end) * 1e-3 / calls
        if case == "copies":
            return 0, seconds
        passed = sum((after - before)[before[:, 1] > 0].double().cpu() for before, after in clocks)
        return statistics.median((passed[:, 0] / passed[:, 1]).tolist()) * 1e3, seconds

    def measure(self, table, what, data):
        alone = min(self.run("gemm", 4)[1] for _ in range(3))
        copy = min(self.run("copies", 4)[1] for _ in range(3))
        self.flood = max(1, round(1.1 * alone / copy))
        calls = {case: max(2, round(CASE_S / (copy if case == "copies" else alone))) for case in CASES}

        def row(how, case, readings):
            mhz, seconds = (statistics.median(r[i] for r in readings) for i in range(2))
            table.row(what, data, *self.shape, how, case, calls[case], len(readings), mhz, seconds)

        for case in CASES:
            readings = []
            for _ in range(RESTED):
                rest(0.1)
                readings.append(self.run(case, calls[case]))
            row("after a rest", case, readings)
        for case in CASES:
            row("in a row", case, [self.run(case, calls[case]) for _ in range(IN_A_ROW)][SETTLED:])
        for how, cases in (("in turn", CASES), ("in turn, two", ("gemm", "flood"))):
            turns = [[self.run(case, calls[case]) for case in cases] for _ in range(TURNS)][SETTLED:]
            for i, case in enumerate(cases):
                row(how, case, [turn[i] for turn in turns])


def main(out):
    cudart, gpus = two_gpus()
    table = Table(f"{out}/turns.csv", "gemm,data,M,N,K,cases_are,case,calls,readings,sm_mhz,call_s".split(","))
    for data in ("normal", "zero"):
        for shape in SHAPES:
            Work(cudart, gpus, shape, data, gemm).measure(table, "cublas", data)
        for shape in COMPILED:
            Work(cudart, gpus, shape, data, compiled).measure(table, "triton", data)


if __name__ == "__main__":
    main(sys.argv[1])
