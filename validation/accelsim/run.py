#!/usr/bin/env python3
"""Holds imported GEMM traces against Accel-Sim: run.py [-t build/t3sim] [-o FOLDER] [--all].

Generates each trace (gemm_trace.py), imports it, runs it alone on the machine that Accel-Sim simulated, checks the counts
of sectors and prints the table of README.md. Exit status 1 if a count is off or a time by more than 20 %.
"""

import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

import gemm_trace

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 0.20
TABLE1, QV100 = "accelsim-table1", "qv100"
L2_SECTORS = {TABLE1: 16 * 2**20 // 32, QV100: 6 * 2**20 // 32}
# Machine, M, N, K, Accel-Sim's cycles (None: not known).
REFERENCES = [
    (TABLE1, 2048, 2560, 256, 68894),
    (QV100, 2048, 2560, 256, 68649),
    (QV100, 1024, 2560, 1072, 123161),
]
# Other shapes: full and partial stages, one block a CU, short and long K.
PREDICTIONS = [
    (TABLE1, 1024, 1280, 256, None),
    (TABLE1, 1024, 2560, 64, None),
    (TABLE1, 2048, 1920, 512, None),
    (TABLE1, 2048, 5120, 256, None),
]
COLUMNS = [
    ("machine", "{}"), ("m", "{}"), ("n", "{}"), ("k", "{}"), ("blocks", "{}"), ("sectors", "{:,}"),
    ("l2_sectors", "{:,}"), ("l2_read_misses", "{:,}"), ("l2_write_misses", "{:,}"), ("cycles", "{:,}"),
    ("accelsim", "{:,}"), ("difference", "{:+.1f} %"),
]  # fmt: skip


def t3sim(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"t3sim {' '.join(map(str, arguments))}\n{done.stderr}")


def counters(folder):
    """Sums over components, by name."""
    sums = {}
    with open(folder / "stats.csv", newline="") as file:
        for row in csv.DictReader(file):
            component = row["component"].split("[")[0]
            sums[component, row["name"]] = sums.get((component, row["name"]), 0) + float(row["value"])
    return sums


def run_case(program, folder, case, issue):
    machine, m, n, k, accelsim = case
    kernel, trace, out = folder / "kernel.traceg.gz", folder / "kernel.t3t", folder / "out"
    gemm_trace.write_kernel(kernel, m, n, k)
    t3sim(program, "trace", "import", "accelsim", kernel, "--quiet", "-o", trace, *(f"--issue={i}" for i in issue))
    config = ROOT / f"configs/systems/{machine}.yaml"
    t3sim(program, "run", config, "--scheme", "kernel", "--set", f"workload.trace={trace}", "--quiet", "-o", out)
    sums = counters(out)
    sector = 32
    row = {
        "machine": machine, "m": m, "n": n, "k": k, "blocks": int(sums["kernel", "workgroups"]),
        "sectors": int((sums["cu", "load_bytes"] + sums["l2", "store_bytes"]) / sector),
        "l2_sectors": int((sums["l2", "read_bytes"] + sums["l2", "store_bytes"]) / sector),
        "l2_read_misses": int(sums["l2", "miss_bytes"] / sector),
        "l2_write_misses": int(sums["l2", "store_miss_bytes"] / sector),
        "cycles": int(sums["kernel", "cycles"]), "accelsim": accelsim,
    }  # fmt: skip
    row["difference"] = None if accelsim is None else 100 * (row["cycles"] / accelsim - 1)
    return row


def faults(row):
    """What is not as it must be."""
    loaded, stored, inputs = gemm_trace.sectors(row["m"], row["n"], row["k"])
    if row["sectors"] != loaded + stored:
        yield f"sectors are {row['sectors']:,}, must be {loaded + stored:,}"
    if row["l2_write_misses"] != stored:
        yield f"L2 write misses are {row['l2_write_misses']:,}, must be {stored:,}"
    fits = inputs + stored <= L2_SECTORS[row["machine"]]
    if row["l2_read_misses"] < inputs or (fits and row["l2_read_misses"] > inputs):
        yield f"L2 read misses are {row['l2_read_misses']:,}, compulsory are {inputs:,}"
    if row["accelsim"] and abs(row["difference"]) > 100 * TOLERANCE:
        yield f"time is off by {row['difference']:+.1f} %"


def markdown(rows):
    def line(cells):
        return "| " + " | ".join(cells) + " |"

    yield line([name.replace("_", " ") for name, _ in COLUMNS])
    yield "|" + "---|" * len(COLUMNS)
    for row in rows:
        yield line(["" if row[name] is None else form.format(row[name]) for name, form in COLUMNS])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-t", "--t3sim", default=str(ROOT / "build/t3sim"), help="the program")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="folder for the table, as accelsim.csv")
    parser.add_argument("--all", action="store_true", help="also shapes that Accel-Sim's time is not known for")
    parser.add_argument("--shape", nargs=3, type=int, metavar=("M", "N", "K"), help="this shape alone, on Table 1")
    parser.add_argument("--issue", action="append", default=[], metavar="KEY=VALUE", help="as of t3sim trace import")
    arguments = parser.parse_args()
    cases = REFERENCES + (PREDICTIONS if arguments.all else [])
    if arguments.shape:
        cases = [(TABLE1, *arguments.shape, None)]
    rows, bad = [], False
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(run_case(arguments.t3sim, pathlib.Path(folder), case, arguments.issue))
        for fault in faults(rows[-1]):
            bad = True
            print(f"{case[0]} {case[1]} x {case[2]} x {case[3]}: {fault}", file=sys.stderr)
    print("\n".join(markdown(rows)))
    if arguments.output:
        arguments.output.mkdir(parents=True, exist_ok=True)
        with open(arguments.output / "accelsim.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, [name for name, _ in COLUMNS])
            writer.writeheader()
            for row in rows:
                difference = None if row["difference"] is None else round(row["difference"], 1)
                writer.writerow({**row, "difference": difference})
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
