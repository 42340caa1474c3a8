"""collectives.csv: NCCL by operation, bytes and channels. Protocol, algorithm and channels are set by the environment
of a process, so each tag has processes of its own (measure.sh)."""
import os
import sys

import torch
import torch.distributed as dist

from common import HOLD, Table, run_ranks, slowest, time_calls

COLUMNS = "tag,world,op,bytes,median_s,min_s".split(",")


def call_of(op, whole, part):
    return {
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, whole),
        "all_gather": lambda: dist.all_gather_into_tensor(whole, part),
        "all_reduce": lambda: dist.all_reduce(whole),
        "all_to_all": lambda: dist.all_to_all_single(other(whole), whole),
    }[op]


_others = {}


def other(tensor):
    if tensor.numel() not in _others:
        _others.clear()
        _others[tensor.numel()] = torch.empty_like(tensor)
    return _others[tensor.numel()]


def worker(rank, world, out):
    tag, repeats = sys.argv[2], 11
    table = Table(f"{out}/collectives-{tag}-{world}.csv", COLUMNS, rank)
    sizes = [int(size) for size in os.environ.get("T3_SIZES", " ".join(str(1 << p) for p in range(19, 29))).split()]
    for op in ("reduce_scatter", "all_gather", "all_reduce", "all_to_all"):
        for size in sizes:
            if size // 2 % world:
                continue
            whole = torch.zeros(size // 2, device="cuda", dtype=torch.half)
            part = torch.zeros(whole.numel() // world, device="cuda", dtype=torch.half)
            median, least = slowest(time_calls(call_of(op, whole, part), 10, repeats, hold=HOLD))
            table.row(tag, world, op, size, median, least)


if __name__ == "__main__":
    run_ranks(worker, int(sys.argv[3]), sys.argv[1])
