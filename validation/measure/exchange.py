"""exchange.csv: NCCL's exchange between two GPUs, with and without each GPU's own part, by channels, FIFO and chunk. What bounds a large all-to-all?

  python3 exchange.py OUT.csv [clusters]        runs itself once a setting, on two GPUs; with `clusters`, by how many blocks start together, ring collectives too
"""
import csv
import os
import statistics
import subprocess
import sys

SIZES = [64 << 20, 256 << 20]
SETTINGS = [{}, *({"NCCL_MAX_P2P_NCHANNELS": str(n), "NCCL_MIN_P2P_NCHANNELS": str(n)} for n in (2, 4, 8, 16, 24)),
            *({"NCCL_BUFFSIZE": str(n << 20)} for n in (1, 2, 8)), *({"NCCL_P2P_NVL_CHUNKSIZE": str(n << 10)} for n in (64, 128, 256, 1024)),
            {"NCCL_BUFFSIZE": str(1 << 20), "NCCL_P2P_NVL_CHUNKSIZE": str(128 << 10)}]
CLUSTERS = [{"NCCL_CGA_CLUSTER_SIZE": str(n), **more} for n in (0, 1, 2, 4, 8)
            for more in ({}, {"NCCL_MAX_P2P_NCHANNELS": "24", "NCCL_MIN_P2P_NCHANNELS": "24", "NCCL_P2P_NVL_CHUNKSIZE": str(128 << 10)})]


def measure():
    import torch
    import torch.distributed as dist

    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    peer = 1 - rank
    rows = []
    for size in SIZES:
        a = torch.randn(size // 2, device="cuda", dtype=torch.half)
        b = torch.empty_like(a)
        half = a.numel() // 2

        def both():
            dist.all_to_all_single(b, a)

        def others():
            ops = [dist.P2POp(dist.isend, a[peer * half:(peer + 1) * half], peer), dist.P2POp(dist.irecv, b[peer * half:(peer + 1) * half], peer)]
            for work in dist.batch_isend_irecv(ops):
                work.wait()

        def one_way():
            if rank == 0:
                dist.send(a[half:], 1)
            else:
                dist.recv(b[half:], 0)

        def gather():
            dist.all_gather_into_tensor(b, a[:half])

        def scatter():
            dist.reduce_scatter_tensor(b[:half], a)

        calls = [("all_to_all", both), ("exchange", others), ("one_way", one_way)]
        if "NCCL_CGA_CLUSTER_SIZE" in os.environ:
            calls += [("all_gather", gather), ("reduce_scatter", scatter)]
        for name, call in calls:
            for _ in range(3):
                call()
            times = []
            for _ in range(7):
                dist.barrier()
                torch.cuda.synchronize()
                start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                torch.cuda._sleep(4_000_000)
                start.record()
                for _ in range(10):
                    call()
                end.record()
                torch.cuda.synchronize()
                times.append(start.elapsed_time(end) * 1e-4)
            t = torch.tensor([statistics.median(times)], device="cuda", dtype=torch.float64)
            dist.all_reduce(t, op=dist.ReduceOp.MAX)
            rows.append((name, size, t.item()))
    if rank == 0:
        for row in rows:
            print("row", *row)
    dist.destroy_process_group()


def main(out, settings):
    with open(out, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow("world,channels,buffer_bytes,chunk_bytes,cluster,op,bytes,median_s".split(","))
        for n, setting in enumerate(settings):
            env = {**os.environ, **setting, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(29500 + n), "WORLD_SIZE": "2", "NCCL_NVLS_ENABLE": "0", "NCCL_PROTO": "Simple"}
            ranks = [subprocess.Popen([sys.executable, __file__], env={**env, "RANK": str(r)}, stdout=subprocess.PIPE, text=True) for r in range(2)]
            said = [p.communicate(timeout=120)[0] for p in ranks]
            for line in said[0].splitlines():
                if line.startswith("row "):
                    _, op, size, seconds = line.split()
                    table.writerow([2, setting.get("NCCL_MAX_P2P_NCHANNELS", ""), setting.get("NCCL_BUFFSIZE", ""), setting.get("NCCL_P2P_NVL_CHUNKSIZE", ""), setting.get("NCCL_CGA_CLUSTER_SIZE", ""), op, size, seconds])
            file.flush()


if __name__ == "__main__":
    measure() if "RANK" in os.environ else main(sys.argv[1], CLUSTERS if sys.argv[2:] == ["clusters"] else SETTINGS)
