"""Reads the runs of run.sh and writes the table: table.py RUNS RESULTS."""

import csv
import json
import pathlib
import sys

COLUMNS = ("reduce-scatter,topology,substrate,fused_us,rs_read_MB,rs_write_MB,gemm_read_MB,gemm_write_MB,"
           "dram_MB,sent_MB").split(",")


def row(run):
    scheme = json.loads((run / "results.json").read_text())["schemes"]["t3"]
    dram = scheme["dram_bytes"]
    megabytes = [dram[k] / 1e6 for k in ("rs_read", "rs_write", "gemm_read", "gemm_write")]
    megabytes += [sum(dram.values()) / 1e6, scheme["link_bytes"] / 1e6]
    return run.name.split(",") + [f"{scheme['phases']['fused_us']:.1f}"] + [f"{x:.1f}" for x in megabytes]


def order(cells):
    return ["ring", "fully-connected", "switch"].index(cells[1]), cells[2] != "near-memory", cells[2]


def main():
    runs, results = map(pathlib.Path, sys.argv[1:])
    rows = sorted((row(run) for run in runs.iterdir()), key=order)
    direct = [r for r in rows if r[0] == "direct" and "atomic" not in r[2]]
    if not direct or any(float(r[4]) != 0 for r in direct):
        sys.exit("a direct reduce-scatter without atomics reads DRAM for communication (section 7.1)")
    with open(results / "substrates.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS] + rows)
    with open(results / "substrates.md", "w") as file:
        for i, cells in enumerate([[c.replace("_", " ") for c in COLUMNS]] + rows):
            print("| " + " | ".join(cells) + " |", file=file)
            if i == 0:
                print("|---|---|---|" + "---:|" * (len(COLUMNS) - 3), file=file)


main()
