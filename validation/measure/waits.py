"""waits.csv: what it costs a Triton GEMM that each tile waits first for a flag that has been set long ago (one GPU). `flag`: none;
load (a loop of ld.acquire.sys); atomic (an atomic add of 0 with acquire, system scope); half: load, but only tiles of the lower half
of C wait. The cases of a shape are timed in turn."""
import statistics
import sys

import torch
import triton
import triton.language as tl

from common import HOLD, Table

ROUNDS, CALLS_S = 15, 4e-3


@triton.jit
def waiting_gemm(a, b, c, flags, m, n, k, first_row, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
                 FLAG: tl.constexpr):
    tile = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    group = tile // (GROUP * tiles_n)
    rows = min(tiles_m - group * GROUP, GROUP)
    tile_m = group * GROUP + (tile % (GROUP * tiles_n)) % rows
    tile_n = (tile % (GROUP * tiles_n)) // rows
    if FLAG != 0:
        if tile_m * BM >= first_row:
            if FLAG == 1:
                seen = 0
                while seen == 0:
                    seen = tl.inline_asm_elementwise("ld.global.acquire.sys.b32 $0, [$1];", "=r,l", [flags + tile_m],
                                                     dtype=tl.int32, is_pure=False, pack=1)
            else:
                while tl.atomic_add(flags + tile_m, 0, sem="acquire", scope="sys") == 0:
                    pass
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
    tl.store(c + at_m[:, None] * n + at_n[None, :], total.to(tl.float16))


def timed(call, calls):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(HOLD)
    start.record()
    for _ in range(calls):
        call()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e-3 / calls


def measure(table, data, m, n, k, tile, warps, stages):
    bm, bn, bk = tile
    a = torch.zeros((m, k), device="cuda", dtype=torch.half)
    if data == "normal":
        a.normal_()
    b = torch.randn((k, n), device="cuda", dtype=torch.half) * 0.02
    c = torch.empty((m, n), device="cuda", dtype=torch.half)
    flags = torch.ones(m // bm, dtype=torch.int32, device="cuda")
    tiles = (m // bm) * (n // bn)

    def call(flag, first_row):
        return lambda: waiting_gemm[(tiles,)](a, b, c, flags, m, n, k, first_row, bm, bn, bk, 8, flag, num_warps=warps,
                                              num_stages=stages)

    cases = {"none": call(0, 0), "load": call(1, 0), "atomic": call(2, 0), "half": call(1, m // 2)}
    for one in cases.values():
        one()
    calls = max(2, round(CALLS_S / timed(cases["none"], 4)))
    seconds = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, one in cases.items():
            seconds[name].append(timed(one, calls))
    for name in cases:
        table.row(data, m, n, k, "x".join(map(str, (*tile, warps, stages))), tiles, name, calls, statistics.median(seconds[name]))


def main(out):
    table = Table(f"{out}/waits.csv", "data,M,N,K,tile,tiles,flag,calls,call_s".split(","))
    for data in ("normal", "zero"):
        for m in (2048, 4096, 8192):
            measure(table, data, m, 6144, 12288, (128, 256, 64), 8, 4)
        for m in (1024, 4096):
            measure(table, data, m, 1280, 8192, (128, 128, 64), 4, 4)
        measure(table, data, 1024, 6144, 12288, (128, 128, 64), 4, 4)
        measure(table, data, 8192, 6144, 768, (128, 128, 64), 4, 4)


if __name__ == "__main__":
    main(sys.argv[1])
