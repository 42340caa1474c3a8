#!/usr/bin/env python3
"""Holds imported GEMM traces against Accel-Sim: run.py [-t build/t3sim] [-o FOLDER] [--shape M N K].

Generates each trace of data/accelsim.csv (gemm_trace.py), imports it, runs it alone on the machine that Accel-Sim simulated,
checks the counts of sectors and prints the table of README.md. Exit status 1 if a count is off, a time by more than 10 %, or
the times by more than 5 % in the mean.
"""

import argparse
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

import gemm_trace

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EACH, MEAN = 10, 5  # per cent of Accel-Sim's time
SHAPE = ("m", "n", "k", "steps", "lda", "ldn")
COLUMNS = [
    ("machine", "{}"), ("cus", "{}"), ("m", "{}"), ("n", "{}"), ("k", "{}"), ("steps", "{}"), ("lda", "{}"), ("ldn", "{}"),
    ("l2_sectors", "{:,}"), ("accelsim_l2_sectors", "{:,}"), ("l2_misses", "{:,}"), ("accelsim_l2_misses", "{:,}"),
    ("dram_writes", "{:,}"), ("accelsim_dram_writes", "{:,}"),
    ("cycles", "{:,}"), ("accelsim_cycles", "{:,}"), ("difference", "{:+.1f} %"),
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


def shape_of(case):
    return [int(case[name]) for name in SHAPE]


def run_case(program, folder, case, issue):
    kernel, trace, out = folder / "kernel.traceg.gz", folder / "kernel.t3t", folder / "out"
    gemm_trace.write_kernel(kernel, *shape_of(case))
    issue = [f"cus={case['cus']}", *issue]
    t3sim(program, "trace", "import", "accelsim", kernel, "--quiet", "-o", trace, *(f"--issue={i}" for i in issue))
    config = ROOT / f"configs/systems/{case['machine']}.yaml"
    t3sim(program, "run", config, "--scheme", "kernel", "--set", f"workload.trace={trace}",
          "--set", f"gpu.cus={case['cus']}", "--quiet", "-o", out)  # fmt: skip
    return counters(out)


def row_of(case, sums):
    sector = 32
    row = {name: case[name] for name in ("machine", "cus", *SHAPE)}
    row["sectors"] = int((sums["cu", "load_bytes"] + sums["l2", "store_bytes"]) / sector)
    row["l2_sectors"] = int((sums["l2", "read_bytes"] + sums["l2", "store_bytes"]) / sector)
    row["l2_read_misses"] = int(sums["l2", "miss_bytes"] / sector)
    row["l2_write_misses"] = int(sums["l2", "store_miss_bytes"] / sector)
    row["l2_misses"] = row["l2_read_misses"] + row["l2_write_misses"]
    row["dram_writes"] = int(sums["l2", "writeback_bytes"] / sector)
    row["cycles"] = int(sums["kernel", "cycles"])
    for name in ("l2_sectors", "l2_misses", "dram_writes", "cycles"):
        row[f"accelsim_{name}"] = int(case[name]) if name in case else None
    row["difference"] = 100 * (row["cycles"] / int(case["cycles"]) - 1) if "cycles" in case else None
    return row


def faults(case, row):
    """What is not as it must be."""
    loaded, stored, inputs = gemm_trace.sectors(*shape_of(case))
    if row["sectors"] != loaded + stored:
        yield f"sectors are {row['sectors']:,}, must be {loaded + stored:,}"
    if row["l2_write_misses"] != stored:
        yield f"L2 write misses are {row['l2_write_misses']:,}, must be {stored:,}"
    if row["l2_read_misses"] < inputs:
        yield f"L2 read misses are {row['l2_read_misses']:,}, compulsory are {inputs:,}"
    if row["difference"] is not None and abs(row["difference"]) > EACH:
        yield f"time is off by {row['difference']:+.1f} %"


def mean_error(rows):
    """Geometric mean of max(ours / theirs, theirs / ours) - 1, in per cent."""
    logs = [abs(math.log1p(row["difference"] / 100)) for row in rows if row["difference"] is not None]
    return 100 * math.expm1(sum(logs) / len(logs)) if logs else 0


def text(row, name, form):
    return "" if row[name] is None else form.format(int(row[name]) if "," in form else row[name])


def markdown(rows):
    def line(cells):
        return "| " + " | ".join(cells) + " |"

    yield line([name.replace("_", " ") for name, _ in COLUMNS])
    yield "|" + "---|" * len(COLUMNS)
    for row in rows:
        yield line([text(row, name, form) for name, form in COLUMNS])


def write_table(folder, rows):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "accelsim.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, [name for name, _ in COLUMNS], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            difference = None if row["difference"] is None else round(row["difference"], 1)
            writer.writerow({**row, "difference": difference})


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-t", "--t3sim", default=str(ROOT / "build/t3sim"), help="the program")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="folder for the table, as accelsim.csv")
    parser.add_argument("--data", type=pathlib.Path, default=HERE / "data/accelsim.csv", help="Accel-Sim's runs")
    parser.add_argument("--shape", nargs=3, metavar=("M", "N", "K"), help="this shape alone, on Table 1")
    parser.add_argument("--issue", action="append", default=[], metavar="KEY=VALUE", help="as of t3sim trace import")
    return parser.parse_args()


def main():
    arguments = parsed()
    with open(arguments.data, newline="") as file:
        cases = list(csv.DictReader(file))
    if arguments.shape:
        cases = [{"machine": "accelsim-table1", "cus": 80, **dict(zip(SHAPE, [*arguments.shape, 0, 0, 0]))}]
    runs, rows, bad = {}, [], False
    for case in cases:
        key = tuple(case[name] for name in ("machine", "cus", *SHAPE))
        if key not in runs:
            with tempfile.TemporaryDirectory() as folder:
                runs[key] = run_case(arguments.t3sim, pathlib.Path(folder), case, arguments.issue)
        rows.append(row_of(case, runs[key]))
        for fault in faults(case, rows[-1]):
            bad = True
            print(f"{' '.join(map(str, key))}: {fault}", file=sys.stderr)
    print("\n".join(markdown(rows)))
    print(f"\nmean: {mean_error(rows):.1f} %")
    if mean_error(rows) > MEAN:
        bad = True
        print(f"the mean is more than {MEAN} %", file=sys.stderr)
    if arguments.output:
        write_table(arguments.output, rows)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
