"""gemm.csv: cuBLAS GEMMs, cold (L2 flushed) and warm. One GPU."""
import statistics
import sys

import torch

from common import HOLD, Table, rest, time_calls, work

FLUSH = 256 << 20
EXTRA = [("square", f"n{n}", 1, n, n, n) for n in (1024, 2048, 4096, 8192)]


def operands(layout, m, n, k):
    """A and B of C = A B, FP16, random; a T operand is stored transposed."""
    a = torch.randn((m, k) if layout[0] == "N" else (k, m), device="cuda", dtype=torch.half)
    b = torch.randn((k, n) if layout[1] == "N" else (n, k), device="cuda", dtype=torch.half)
    return (a if layout[0] == "N" else a.t()), (b if layout[1] == "N" else b.t())


def main(out):
    name = torch.cuda.get_device_name(0)
    table = Table(f"{out}/gemm.csv", "gpu,model,sub,tp,M,N,K,layout,cold_median_s,cold_min_s,warm_mean_s,rest_s".split(","))
    flush = torch.empty(FLUSH, dtype=torch.uint8, device="cuda")
    for model, sub, tp, m, n, k in [*work("mega-gpt-2:4,8,16 palm:8,32 gpt-3:8,32"), *EXTRA]:
        for layout in ("NN", "NT", "TN"):
            a, b = operands(layout, m, n, k)
            c = torch.empty((m, n), device="cuda", dtype=torch.half)
            rested = rest()
            cold = time_calls(lambda: torch.mm(a, b, out=c), 1, 15, before=flush.zero_)
            warm = time_calls(lambda: torch.mm(a, b, out=c), 20, 3, hold=HOLD)
            table.row(name, model, sub, tp, m, n, k, layout, statistics.median(cold), min(cold), statistics.mean(warm), rested)


if __name__ == "__main__":
    main(sys.argv[1])
