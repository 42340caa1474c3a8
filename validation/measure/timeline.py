"""gemm_timeline_cases.csv and gemm_timeline.csv.gz: a Triton GEMM whose workgroups write down where and when they ran. For each
tile: the CU, its start, the end of its main loop, the end of its stores, in ns from the first start. One GPU."""
import csv
import gzip
import statistics
import sys

import torch
import triton
import triton.language as tl

from common import Table, rest, time_calls, work

GROUP = 8
VARIANTS = ((128, 128, 64, 4, 4), (128, 256, 64, 8, 3))  # tile, warps, stages


@triton.jit
def nanoseconds(after):
    """The GPU's clock, read once `after` is known."""
    return tl.inline_asm_elementwise("{ mov.u64 $0, %globaltimer; }", "=l,r", [after], dtype=tl.int64, is_pure=False, pack=1)


@triton.jit
def cu_of(after):
    return tl.inline_asm_elementwise("{ mov.u32 $0, %smid; }", "=r,r", [after], dtype=tl.int32, is_pure=False, pack=1)


@triton.jit
def gemm(a, b, c, times, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    start = nanoseconds(tl.program_id(0))
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    tile = tl.program_id(0)
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
    # A barrier, so that the times are of the whole workgroup.
    tl.debug_barrier()
    looped = nanoseconds(tile)
    tl.store(c + at_m[:, None].to(tl.int64) * n + at_n[None, :], total.to(tl.float16))
    tl.debug_barrier()
    end = nanoseconds(tile)
    row = times + tl.program_id(0) * 6
    tl.store(row, tile_m.to(tl.int64))
    tl.store(row + 1, tile_n.to(tl.int64))
    tl.store(row + 2, cu_of(tile).to(tl.int64))
    tl.store(row + 3, start)
    tl.store(row + 4, looped)
    tl.store(row + 5, end)


def main(out):
    name = torch.cuda.get_device_name(0)
    cases = Table(f"{out}/gemm_timeline_cases.csv", "gpu,case,M,N,K,BM,BN,BK,group_m,warps,stages,kernel_median_s,rest_s".split(","))
    with gzip.open(f"{out}/gemm_timeline.csv.gz", "wt", newline="") as file:
        tiles = csv.writer(file)
        tiles.writerow("case,wg,tile_m,tile_n,cu,start_ns,mainloop_end_ns,end_ns".split(","))
        for model, sub, tp, m, n, k in work("mega-gpt-2:8,16"):
            for bm, bn, bk, warps, stages in VARIANTS:
                if m % bm or n % bn or k % bk:  # the kernel has no masks
                    continue
                case = f"{model}-{sub}-tp{tp}-{bm}x{bn}x{bk}"
                seconds, rested, rows = measure(m, n, k, bm, bn, bk, warps, stages)
                cases.row(name, case, m, n, k, bm, bn, bk, GROUP, warps, stages, seconds, rested)
                tiles.writerows([case, wg, *row] for wg, row in enumerate(rows))


def measure(m, n, k, bm, bn, bk, warps, stages):
    a = torch.randn((m, k), device="cuda", dtype=torch.half)
    b = torch.randn((k, n), device="cuda", dtype=torch.half)
    c = torch.empty((m, n), device="cuda", dtype=torch.half)
    grid = (m // bm * (n // bn),)
    times = torch.zeros((grid[0], 6), device="cuda", dtype=torch.int64)

    def call():
        gemm[grid](a, b, c, times, m, n, k, bm, bn, bk, GROUP, num_warps=warps, num_stages=stages)

    call()
    torch.testing.assert_close(c, a @ b, rtol=2e-2, atol=0.5)
    rested = rest()
    seconds = statistics.median(time_calls(call, 1, 15))
    rows = times.tolist()
    first = min(row[3] for row in rows)
    return seconds, rested, [row[:3] + [at - first for at in row[3:]] for row in rows]


if __name__ == "__main__":
    main(sys.argv[1])
