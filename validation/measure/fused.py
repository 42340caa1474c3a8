"""fused.csv: a Triton GEMM whose epilogue stores every tile into the GPU that owns its rows, over symmetric memory; order of
the tiles naive (all GPUs begin at the same tile) or shifted (each begins at the rows after its own)."""
import sys

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem
import triton
import triton.language as tl

from common import HOLD, Table, run_ranks, slowest, time_calls, work

BM, BN, BK, GROUP = 128, 128, 64, 8


@triton.jit
def gemm_to_owner(a, b, targets, m, n, k, first_tile, rows_a_gpu, slot_rows,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, ALIGNED: tl.constexpr = False):
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    tile = (tl.program_id(0) + first_tile) % (tiles_m * tiles_n)
    group = tile // (GROUP * tiles_n)
    rows = min(tiles_m - group * GROUP, GROUP)
    tile_m = group * GROUP + (tile % (GROUP * tiles_n)) % rows
    tile_n = (tile % (GROUP * tiles_n)) // rows
    at_m = tile_m * BM + tl.arange(0, BM)
    at_n = tile_n * BN + tl.arange(0, BN)
    at_k = tl.arange(0, BK)
    a_at = a + at_m[:, None] * k + at_k[None, :]
    b_at = b + at_k[:, None] * n + at_n[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, k, BK):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total)
        a_at += BK
        b_at += BK * n
    owner = (tile_m * BM) // rows_a_gpu
    address = tl.load(targets + owner)
    if ALIGNED:  # store_width.py asks what the compiler makes of that
        address = tl.multiple_of(address, 16)
    target = address.to(tl.pointer_type(tl.float16))
    row = slot_rows + at_m - owner * rows_a_gpu
    tl.store(target + row[:, None].to(tl.int64) * n + at_n[None, :], total.to(tl.float16))


def worker(rank, world, out):
    table = Table(f"{out}/fused-{world}.csv", "world,op,model,M,N,K,tp,tile,median_s,min_s".split(","), rank)
    for model, sub, tp, m, n, k in work("mega-gpt-2:4,8,16"):
        if m % (world * BM) == 0 and n % BN == 0 and k % BK == 0:  # the kernel has no masks
            measure(table, rank, world, (model, m, n, k, tp))


def measure(table, rank, world, shape):
    model, m, n, k, tp = shape
    a = torch.randn((m, k), device="cuda", dtype=torch.half)
    b = torch.randn((k, n), device="cuda", dtype=torch.half)
    c = torch.empty((m, n), device="cuda", dtype=torch.half)
    part = torch.empty((m // world, n), device="cuda", dtype=torch.half)
    received = torch.empty((m, n), device="cuda", dtype=torch.half)
    landing = symm_mem.empty((m, n), dtype=torch.half, device="cuda")  # a slot of m / world rows for each GPU
    handle = symm_mem.rendezvous(landing, dist.group.WORLD)
    remote = torch.tensor(handle.buffer_ptrs, dtype=torch.int64, device="cuda")
    local = torch.tensor([c.data_ptr() + i * (m // world) * n * 2 for i in range(world)], dtype=torch.int64,
                         device="cuda")
    grid = (triton.cdiv(m, BM) * triton.cdiv(n, BN),)

    def launch(targets, first_tile, slot):
        gemm_to_owner[grid](a, b, targets, m, n, k, first_tile, m // world, slot, BM, BN, BK, GROUP, num_warps=4,
                            num_stages=4)

    def fused(first_tile):
        handle.barrier()
        launch(remote, first_tile, rank * (m // world))
        handle.barrier()

    def reduce():
        torch.sum(landing.view(world, m // world, n), dim=0, out=part)

    shifted = grid[0] // world * ((rank + 1) % world)
    check(lambda: fused(shifted), a, b, landing, rank, world)
    calls = {
        "gemm": lambda: launch(local, 0, 0),
        "rs": lambda: dist.reduce_scatter_tensor(part, c),
        "a2a": lambda: dist.all_to_all_single(received, c),
        "seq_rs": lambda: (launch(local, 0, 0), dist.reduce_scatter_tensor(part, c)),
        "seq_a2a": lambda: (launch(local, 0, 0), dist.all_to_all_single(received, c)),
        "fused_a2a_naive": lambda: fused(0),
        "fused_a2a_shifted": lambda: fused(shifted),
        "fused_a2a_shifted_then_reduce": lambda: (fused(shifted), reduce()),
        "barriers": lambda: (handle.barrier(), handle.barrier()),
    }
    for op, call in calls.items():
        table.row(world, op, model, m, n, k, tp, f"{BM}x{BN}x{BK}", *slowest(time_calls(call, 10, 7, hold=HOLD)))


def check(call, a, b, landing, rank, world):
    """Every slot must hold the rows that this GPU owns, from the GPU of that slot."""
    call()
    torch.cuda.synchronize()
    dist.barrier()
    rows = a.shape[0] // world
    expected = [torch.empty((rows, b.shape[1]), device="cuda", dtype=torch.half) for _ in range(world)]
    dist.all_to_all(expected, list((a @ b).view(world, rows, -1).unbind(0)))
    for slot, value in zip(landing.view(world, rows, -1), expected):
        torch.testing.assert_close(slot, value, rtol=2e-2, atol=0.5)


if __name__ == "__main__":
    run_ranks(worker, int(sys.argv[2]), sys.argv[1])
