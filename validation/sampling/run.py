#!/usr/bin/env python3
"""Short runs and a line (run.sampling: auto) against whole runs, and one whole GEMM of each of FiCCO's g1 to g16.

    run.py [--t3sim PROGRAM] [programs] [gemms]    writes results/programs.csv, results/gemms.csv; both if none is named

Rows that the files have already are kept: delete what is to be run again. About ten minutes of CPU time for both.
"""
import argparse
import csv
import json
import os
import resource
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# What a sample may be off: 1 % for GEMMs and collectives, 2 % for the others. Sizes take five seconds to a minute whole; with a
# patience of one second they are cut down to the shortest lengths that a program allows, as larger ones are with the usual
# patience of ten.
SMALL = ["--patience", "1"]
# Whole runs of programs whose arrays are several times the L2 of an H200 take many minutes. So they run on a sixteenth of one:
# CUs, L2, memory, links and NCCL's buffers beside the links.
MACHINES = {
    "h200": [],
    "sixteenth": ["gpu.cus=8", "l2.size=3840 KiB", "l2.slices=12", "memory.channels=12", "topology.bandwidth=28125 MB/s",
                  "execution.channel.buffer=768 KiB"],
    # Eight CUs share panels a quarter as well as 132. So a quarter of memory and links keeps what H200's GEMMs ask of them.
    "quarter": ["gpu.cus=8", "l2.size=7680 KiB", "l2.slices=48", "memory.channels=48", "topology.bandwidth=112500 MB/s"],
}
# kind, program, GPUs, machine, parameters
PROGRAMS = [
    ("gemm", "decomposed-gemm", 2, "h200", "m=2048 n=2048 k=16384"),
    ("gemm", "decomposed-gemm", 2, "h200", "m=65536 n=2048 k=512"),
    ("gemm", "decomposed-gemm", 2, "h200", "m=2048 n=2048 k=49152"),
    ("gemm", "decomposed-gemm", 2, "sixteenth", "m=2048 n=512 k=65536 pieces=4"),
    ("collective", "gather-then-gemm", 2, "sixteenth", "m=2048 n=128 k=65536 gemm=0 library=0"),
    ("collective", "gather-then-gemm", 2, "sixteenth", "m=2048 n=128 k=65536 gemm=0 library=1"),
    ("fused", "gemm-reduce-scatter", 2, "sixteenth", "m=1024 n=512 k=65536"),
    ("fused", "all-gather-gemm-push", 2, "sixteenth", "m=1024 n=512 k=65536 rows=128"),
    ("fused", "medium-grained-all-gather-gemm", 2, "sixteenth", "m=1024 n=512 k=65536"),
    ("fused", "all-gather-gemm", 2, "sixteenth", "m=1024 n=512 k=262144 rows=128"),
    ("ficco", "ficco-shard-p2p", 4, "sixteenth", "m=1024 n=512 k=65536"),
    ("ficco", "ficco-serial", 4, "sixteenth", "m=1024 n=512 k=65536"),
    ("ficco", "ficco-uniform-fused-1d", 4, "sixteenth", "m=512 n=512 k=49152 chunks=2"),
    ("ficco", "ficco-shard-p2p", 4, "quarter", "m=512 n=512 k=65536"),
    ("ficco", "ficco-serial", 4, "quarter", "m=512 n=512 k=65536"),
    ("ficco", "ficco-uniform-fused-1d", 4, "quarter", "m=512 n=512 k=65536 chunks=2"),
    ("ficco", "ficco-hetero-unfused-1d", 4, "quarter", "m=512 n=512 k=65536 chunks=2"),
    ("ficco", "ficco-hetero-fused-1d", 4, "quarter", "m=512 n=512 k=65536 chunks=2"),
    ("ficco", "ficco-uniform-fused-2d", 4, "quarter", "m=512 n=512 k=65536 chunks=2"),
    ("fused", "gemm-reduce-scatter-add", 2, "sixteenth", "m=512 n=512 k=65536"),
    ("fused", "medium-grained-gemm-reduce-scatter", 2, "sixteenth", "m=512 n=512 k=65536"),
    ("fused", "medium-grained-gemm-reduce-scatter", 2, "quarter", "m=512 n=512 k=65536"),
]
AUTO = ["--set", "run.sampling=auto"]
ALLOWED_PCT = {"gemm": 1, "collective": 1, "fused": 2, "ficco": 2}

# M, N, K of FiCCO's Table I; a GPU of eight computes N / 8 columns.
GEMMS = {
    "g1": (16384, 16384, 131072), "g2": (131072, 16384, 16384), "g3": (53248, 16384, 131072),
    "g4": (131072, 53248, 16384), "g5": (8192, 8192, 262144), "g6": (262144, 8192, 8192),
    "g7": (28672, 8192, 262144), "g8": (262144, 28672, 8192), "g9": (196608, 18432, 16384),
    "g10": (196608, 106496, 16384), "g11": (1048576, 10240, 8192), "g12": (1048576, 57344, 8192),
    "g13": (1607680, 57344, 8192), "g14": (147456, 28672, 4096), "g15": (327680, 28672, 4096),
    "g16": (229376, 28672, 4096),
}


def run(t3sim, program, gpus, parameters, *how):
    """Time in us, the sample (None: all was simulated) and CPU seconds."""
    command = [t3sim, "run", "--machine", "h200", "--program", program, "--json", "-j", "1",
               "--set", f"gpus.count={gpus}", *how]
    for parameter in parameters.split():
        command += ["-p", parameter]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result["time_us"], result.get("sampled"), after.ru_utime - before.ru_utime


class Table:
    """A CSV file that grows row by row."""

    def __init__(self, path, columns):
        self.path, self.columns = path, columns
        path.parent.mkdir(exist_ok=True)
        self.rows = list(csv.DictReader(path.open())) if path.exists() else []

    def has(self, **key):
        return any(all(row[k] == str(v) for k, v in key.items()) for row in self.rows)

    def add(self, *values):
        self.rows.append(dict(zip(self.columns, map(str, values))))
        with self.path.open("w", newline="") as file:
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        print(*values, flush=True)


def along(sample):
    return " ".join(sample["along"]) if sample else "none"


def programs(t3sim):
    table = Table(HERE / "results/programs.csv", [
        "kind", "program", "gpus", "machine", "parameters", "along", "whole_us", "sampled_us", "off_pct", "allowed_pct",
        "said_error_pct", "whole_cpu_s", "sampled_cpu_s"])
    for kind, program, gpus, machine, parameters in PROGRAMS:
        if table.has(program=program, gpus=gpus, machine=machine, parameters=parameters):
            continue
        keys = [part for key in MACHINES[machine] for part in ("--set", key)]
        sampled_us, sample, sampled_s = run(t3sim, program, gpus, parameters, *AUTO, *SMALL, *keys)
        whole_us, _, whole_s = run(t3sim, program, gpus, parameters, *keys)
        said = 100 * sample["error_us"] / sampled_us if sample else 0
        table.add(kind, program, gpus, machine, parameters, along(sample), f"{whole_us:.2f}", f"{sampled_us:.2f}",
                  f"{100 * (sampled_us / whole_us - 1):.2f}", ALLOWED_PCT[kind], f"{said:.2f}",
                  f"{whole_s:.1f}", f"{sampled_s:.1f}")


def gemms(t3sim):
    table = Table(HERE / "results/gemms.csv",
                  ["name", "m", "n", "k", "along", "time_us", "said_error_pct", "tflops", "cpu_s"])
    for name, (m, n, k) in GEMMS.items():
        if table.has(name=name):
            continue
        us, sample, cpu_s = run(t3sim, "decomposed-gemm", 2, f"m={m} n={n // 8} k={k}", *AUTO)
        said = 100 * sample["error_us"] / us if sample else 0
        table.add(name, m, n // 8, k, along(sample), f"{us:.1f}", f"{said:.2f}",
                  f"{2 * m * (n // 8) * k / us / 1e6:.0f}", f"{cpu_s:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--t3sim", default=ROOT / "build/t3sim")
    parser.add_argument("what", nargs="*", metavar="programs|gemms")
    arguments = parser.parse_args()
    tables = {"programs": programs, "gemms": gemms}
    for what in arguments.what or tables:
        if what not in tables:
            parser.error(f"{what} is unknown; allowed: programs, gemms")
        tables[what](os.fspath(arguments.t3sim))


if __name__ == "__main__":
    main()
