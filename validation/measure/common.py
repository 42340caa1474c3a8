"""Timing, CSV files and provenance that all measurements share."""
import csv
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

HOLD = 4_000_000  # cycles, 2 ms: a host may take 50 us to launch a call that takes 20, and more for Triton's

# Models of the T3 paper: M tokens, N hidden, K by sub-layer before slicing.
MODELS = {"mega-gpt-2": (16384, 3072), "t-nlg": (8192, 4256), "palm": (2048, 18432), "gpt-3": (2048, 12288)}
SUBLAYERS = {"op": 1, "ip": 3, "fc": 4}


def shapes(model, tps):
    """(sub, tp, M, N, K) of a model's sub-layers whose K divides; rows of 16 bytes, as misaligned GEMMs are left out."""
    m, n = MODELS[model]
    for tp in tps:
        for sub, times in SUBLAYERS.items():
            k = times * n // tp
            if times * n % tp == 0 and k % 8 == 0 and n % 8 == 0:
                yield sub, tp, m, n, k


def work(default):
    """(model, sub, tp, M, N, K) of the models in the environment's T3_MODELS ("name=MxN:tp,tp ..."), else of `default`, which
    is written the same without the lengths of models known here."""
    for word in os.environ.get("T3_MODELS", default).split():
        what, tps = word.split(":")
        model, _, lengths = what.partition("=")
        if lengths:
            MODELS[model] = tuple(int(length) for length in lengths.split("x"))
        for shape in shapes(model, [int(tp) for tp in tps.split(",")]):
            yield (model, *shape)


def rest(seconds=0.1):
    """The clock comes back: what ran before must not be in the next measurement. NO_REST=1: it stays as it is left. Returns how long it was."""
    torch.cuda.synchronize()
    if os.environ.get("NO_REST"):
        return 0
    time.sleep(seconds)
    return seconds


def time_calls(call, calls, repeats, warmup=3, before=None, hold=0):
    """Seconds a call, each repeat: `calls` back to back between two events, `before` run ahead of the first event. `hold`:
    cycles that the GPU waits before the first event while the host launches, so that no call waits for the host."""
    for _ in range(warmup):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        if before:
            before()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        if hold:
            torch.cuda._sleep(hold)
        start.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e-3 / calls)
    return times


def kernels(call, calls, hold):
    """(begin, end, name) of all kernels of `calls` calls, in us by CUPTI, in the order in which they began. `hold`: as time_calls()."""
    profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
    with profiler:
        torch.cuda._sleep(hold)
        for _ in range(calls):
            call()
        torch.cuda.synchronize()
    with tempfile.NamedTemporaryFile(suffix=".json") as trace:
        profiler.export_chrome_trace(trace.name)
        with open(trace.name) as f:
            events = [e for e in json.load(f)["traceEvents"] if e.get("cat") == "kernel"]
    return sorted((e["ts"], e["ts"] + e["dur"], e["name"]) for e in events if "spin" not in e["name"])


def slowest(times):
    """(median, minimum), the slowest GPU's: to be called by every rank."""
    import torch.distributed as dist

    pair = torch.tensor([statistics.median(times), min(times)], dtype=torch.float64, device="cuda")
    dist.all_reduce(pair, op=dist.ReduceOp.MAX)
    return tuple(pair.tolist())


class Table:
    """A CSV file that is written row by row; on other ranks than 0 nothing is."""

    def __init__(self, path, columns, rank=0):
        self.file = open(path, "w", newline="") if rank == 0 else None
        self.writer = csv.writer(self.file) if self.file else None
        self.row(*columns)

    def row(self, *values):
        if self.writer:
            self.writer.writerow(values)
            self.file.flush()


def provenance(out, command):
    """What the numbers were taken with, beside them."""

    def said(*words):
        try:
            return subprocess.run(words, capture_output=True, text=True, timeout=60).stdout.strip()
        except (OSError, subprocess.TimeoutExpired):
            return ""

    facts = {
        "date": datetime.date.today().isoformat(),
        "command": command,
        "gpus": [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())],
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "nccl": ".".join(map(str, torch.cuda.nccl.version())),
        "python": sys.version.split()[0],
        "nvidia_smi": said("nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm,clocks.sm,clocks.mem,power.limit,"
                           "temperature.gpu", "--format=csv,noheader").splitlines(),
        "topology": said("nvidia-smi", "topo", "-m").splitlines(),
    }
    with open(os.path.join(out, "provenance.json"), "w") as f:
        json.dump(facts, f, indent=1)


def run_ranks(worker, world, out):
    """Runs worker(rank, world, out) on `world` GPUs, one process each, with NCCL."""
    import torch.multiprocessing as mp

    mp.spawn(_rank, args=(worker, world, out), nprocs=world)


def _rank(rank, worker, world, out):
    import torch.distributed as dist

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ.get("MASTER_PORT", "29511"))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=world, device_id=torch.device("cuda", rank))
    try:
        worker(rank, world, out)
    finally:
        dist.destroy_process_group()
