#!/usr/bin/env python3
"""Whole runs on one thread: CPU seconds, events and peak memory, of one build or of two in turn.

  bench/whole_runs.py build/t3sim                      the table, and a line per case, the best run, in bench/history.csv
  bench/whole_runs.py build/t3sim --against old/build/t3sim  pairs of runs, one right after the other, and their ratios;
               each with the configuration of the tree that its build folder is in, if it is in one
  --repeat N   runs of each (default 3): the least CPU time counts, the median of the pairs' ratios
  --quick      a quarter of the tokens
  --only CASE  one of the cases
"""
import argparse
import csv
import datetime
import functools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONFIG = "configs/paper/t-nlg-fc2-tp8.yaml"
# name: schemes, and the one that the program runs besides, for the speed-up against it: its CPU seconds are not the case's
CASES = {
    "isolated GEMM": ("kernel", None),
    "sequential": ("sequential", None),
    "t3": ("t3", "sequential"),
    "t3-mca": ("t3-mca", "sequential"),
    "all schemes": ("sequential,t3,t3-mca,ideal-overlap,ideal-rs-nmc", None),
}
FIELDS = ["date", "commit", "case", "cpu_s", "events", "peak_mb"]


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def config_of(program):
    """That of the tree in whose build folder the program is: an older one may not know today's keys."""
    own = os.path.join(os.path.dirname(os.path.abspath(program)), os.pardir, CONFIG)
    return own if os.path.exists(own) else os.path.join(ROOT, CONFIG)


@functools.cache
def one_thread(program):
    """Older programs know no number of threads: they have one."""
    text = subprocess.run([program, "run", "--help"], capture_output=True, text=True, check=True).stdout
    return ["-j", "1"] if "--jobs" in text else []


def run(program, schemes, quick):
    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "out")
        command = [program, "run", config_of(program), "--scheme", schemes, "--quiet", "-o", out, *one_thread(program)]
        if quick:
            command += ["--set", "workload.m=2048"]
        before = cpu_seconds()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = cpu_seconds() - before
        with open(os.path.join(out, "manifest.json")) as file:
            manifest = json.load(file)
    return {
        "commit": manifest["git_commit"],
        "cpu_s": seconds,
        "events": sum(manifest["simulated_events"].values()),
        "peak_mb": manifest["peak_memory_bytes"] / 1e6,
    }


def run_case(program, case, quick):
    schemes, besides = CASES[case]
    result = run(program, schemes, quick)
    if besides:
        result["cpu_s"] -= run(program, besides, quick)["cpu_s"]
    return result


def best(runs):
    return min(runs, key=lambda r: r["cpu_s"])


def keep(history, rows):
    new = not os.path.exists(history)
    with open(history, "a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--against")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--history", default=os.path.join(ROOT, "bench", "history.csv"))
    arguments = parser.parse_args()
    today = datetime.date.today().isoformat()
    rows = []
    header = f"{'case':<14} {'CPU s':>8} {'M events':>9} {'peak MB':>8}"
    print(header + (f" {'old CPU s':>10} {'ratio':>6}" if arguments.against else ""))
    for case in CASES:
        if arguments.only not in (None, case):
            continue
        runs, old = [], []
        for _ in range(arguments.repeat):  # in turn, so that both see the same machine
            runs.append(run_case(arguments.program, case, arguments.quick))
            if arguments.against:
                old.append(run_case(arguments.against, case, arguments.quick))
        new = best(runs)
        line = f"{case:<14} {new['cpu_s']:8.2f} {new['events'] / 1e6:9.1f} {new['peak_mb']:8.0f}"
        if old:
            ratio = statistics.median(o["cpu_s"] / r["cpu_s"] for o, r in zip(old, runs))
            line += f" {best(old)['cpu_s']:10.2f} {ratio:6.2f}"
        print(line, flush=True)
        rows.append({"date": today, "commit": new["commit"], "case": case + (" (quick)" if arguments.quick else ""),
                     "cpu_s": f"{new['cpu_s']:.2f}", "events": new["events"], "peak_mb": f"{new['peak_mb']:.0f}"})
    keep(arguments.history, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
