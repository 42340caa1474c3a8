"""p2p.csv: copy engines between GPUs 0 and 1, one way and both ways at once. One process."""
import statistics
import sys

import torch

from common import Table, time_calls


def main(out):
    table = Table(f"{out}/p2p.csv", "test,a,b,bytes,median_s,min_s".split(","))
    for power in range(16, 29, 2):
        here = [torch.zeros(1 << power, dtype=torch.uint8, device=f"cuda:{gpu}") for gpu in (0, 1)]
        there = [torch.zeros(1 << power, dtype=torch.uint8, device=f"cuda:{1 - gpu}") for gpu in (0, 1)]

        def one():
            there[0].copy_(here[0], non_blocking=True)

        def both():
            with torch.cuda.device(1):
                there[1].copy_(here[1], non_blocking=True)
            one()

        for test, call in (("copy_one", one), ("copy_bidir", both)):
            times = time_calls(call, 10, 11)
            table.row(test, 0, 1, 1 << power, statistics.median(times), min(times))


if __name__ == "__main__":
    main(sys.argv[1])
