"""store_width.csv: fused.py's kernel, whose tiles go to their owner, as the compiler has it and told that its pointers are aligned; by what each thread stores at a time.

  python3 store_width.py OUT        on two GPUs
"""
import collections
import re
import sys

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem
import triton

from common import HOLD, Table, rest, run_ranks, slowest, time_calls
from fused import BK, BM, BN, GROUP, gemm_to_owner

M, N, KS = 16384, 3072, (192, 384, 768, 1536, 3072)


def worker(rank, world, out):
    table = Table(f"{out}/store_width.csv", "world,op,M,N,K,stores,rest_s,median_s,min_s".split(","), rank)
    for k in KS:
        measure(table, rank, world, k)


def measure(table, rank, world, k):
    a = torch.randn((M, k), device="cuda", dtype=torch.half)
    b = torch.randn((k, N), device="cuda", dtype=torch.half)
    c = torch.empty((M, N), device="cuda", dtype=torch.half)
    landing = symm_mem.empty((M, N), dtype=torch.half, device="cuda")
    handle = symm_mem.rendezvous(landing, dist.group.WORLD)
    remote = torch.tensor(handle.buffer_ptrs, dtype=torch.int64, device="cuda")
    local = torch.tensor([c.data_ptr() + i * (M // world) * N * 2 for i in range(world)], dtype=torch.int64, device="cuda")
    grid = (triton.cdiv(M, BM) * triton.cdiv(N, BN),)

    def launch(targets, first_tile, slot, aligned):
        return gemm_to_owner[grid](a, b, targets, M, N, k, first_tile, M // world, slot, BM, BN, BK, GROUP, aligned, num_warps=4,
                                   num_stages=4)

    def fused(first_tile, aligned):
        handle.barrier()
        launch(remote, first_tile, rank * (M // world), aligned)
        handle.barrier()

    shifted = grid[0] // world * ((rank + 1) % world)
    for aligned in (False, True):
        ptx = launch(local, 0, 0, aligned).asm["ptx"]
        counted = collections.Counter(re.findall(r"st\.global\.\S+", ptx))
        stores = " ".join(f"{kind}:{count}" for kind, count in sorted(counted.items()))
        calls = {"own": lambda: launch(local, 0, 0, aligned), "naive": lambda: fused(0, aligned), "shifted": lambda: fused(shifted, aligned)}
        for op, call in calls.items():
            rested = rest()
            table.row(world, op, M, N, k, stores, rested, *slowest(time_calls(call, 10, 7, hold=HOLD)))


if __name__ == "__main__":
    run_ranks(worker, 2, sys.argv[1])
