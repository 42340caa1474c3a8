"""chosen.csv: which kernel cuBLAS takes for C = AB of FP16, row-major, where nobody says, and its time, read after a rest.

    python3 chosen.py chosen.csv"""
import sys
import time

import torch

from accumulate import kernel_of, microseconds

ROWS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
COLUMNS_AND_K = ((1280, 8192), (2560, 8192), (6144, 12288), (12288, 6144), (3072, 192), (3072, 768), (3072, 3072), (8192, 1024),
                 (7168, 2048), (1024, 8192), (8192, 8192), (4256, 4256))


def main():
    with open(sys.argv[1], "w") as table:
        print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}, CUDA {torch.version.cuda}", file=sys.stderr)
        print("m,n,k,us,kernel", file=table)
        for n, k in COLUMNS_AND_K:
            b = torch.randn((k, n), device="cuda", dtype=torch.half) * 0.02
            for m in ROWS:
                a = torch.randn((m, k), device="cuda", dtype=torch.half)
                c = torch.empty((m, n), device="cuda", dtype=torch.half)

                def call():
                    torch.mm(a, b, out=c)

                name = kernel_of(call)
                time.sleep(0.1)
                print(f"{m},{n},{k},{microseconds(call):.2f},{name}", file=table, flush=True)


if __name__ == "__main__":
    main()
