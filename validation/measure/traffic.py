"""The GEMMs that traffic.sh profiles, and the table made of what the profiler says."""
import csv
import re
import sys


def profiled():
    from common import work

    return work("mega-gpt-2:4,8,16 palm:8,32 gpt-3:8,32")


def run():
    import torch

    from gemm import operands

    for _, _, _, m, n, k in profiled():
        a, b = operands("NN", m, n, k)
        c = torch.empty((m, n), device="cuda", dtype=torch.half)
        torch.mm(a, b, out=c)
        torch.cuda.synchronize()
        with torch.cuda.nvtx.range("measured"):
            torch.mm(a, b, out=c)
            torch.cuda.synchronize()


SECTOR = 32  # bytes
METRICS = ["gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sectors_op_read.sum",
           "lts__t_sectors_op_write.sum", "lts__t_sector_hit_rate.pct"]


def table(out):
    with open(f"{out}/ncu.out") as f:
        lines = [line for line in f if line.startswith('"')]
    kernels = {}
    for row in csv.DictReader(lines):
        kernel = kernels.setdefault(row["ID"], {"name": row["Kernel Name"]})
        value = row["Metric Value"].replace(",", "")
        sectors = row["Metric Name"].startswith("lts__t_sectors_op")
        kernel[row["Metric Name"]] = str(SECTOR * int(value)) if sectors else value
    shapes = iter(profiled())
    with open(f"{out}/gemm_traffic.csv", "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow("model,sub,tp,M,N,K,layout,kernel,tile,tile_k,grid,block,duration_ns,dram_read_bytes,"
                        "dram_write_bytes,l2_read_bytes,l2_write_bytes,l2_hit_pct".split(","))
        shape = None
        for kernel in kernels.values():
            if "splitKreduce" not in kernel["name"]:
                shape = next(shapes)
            tile = re.search(r"_(\d+x\d+)_(\d+)x", kernel["name"])
            writer.writerow([*shape, "NN", kernel["name"][:60], tile[1] if tile else "", tile[2] if tile else "",
                             kernel["launch__grid_size"], kernel["launch__block_size"], *[kernel[m] for m in METRICS]])


if __name__ == "__main__":
    run() if sys.argv[1] == "shapes" else table(sys.argv[2])
