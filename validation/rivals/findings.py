#!/usr/bin/env python3
"""Do the page's findings survive if each free constant of the four H200 (constants.csv) is moved by 20 %, down and up?

Writes findings.csv: a line for each finding and machine, with the figures that decide. Exit status 1 if one fails.
Usage, from the repository's root: findings.py [t3sim program [check | SHAPE]]      finished runs are kept in out/rivals-findings
check: only whether the machine takes every moved constant; nothing is simulated. SHAPE: only its findings are run anew.
"""
import csv
import subprocess
import sys
from pathlib import Path

HERE = Path("validation/rivals")
OUT = Path("out/rivals-findings")
MACHINE = "h200-x4"
BY = (0.8, 1.2)


class Times:
    """Of the methods of a shape and of their programs, in us."""

    def __init__(self, path):
        with open(path / "runs.csv", newline="") as f:
            self.us = {row["method"]: float(row["us"]) for row in csv.DictReader(f) if row["us"]}
        with open(path / "candidates.csv", newline="") as f:
            self.of_program = {row["program"]: float(row["us"]) for row in csv.DictReader(f)}

    def gain(self, *methods):
        """Of the fastest, over one after the other."""
        return self.us["sequential"] / min(self.us[method] for method in methods)

    def gain_of(self, program):
        return self.us["sequential"] / self.of_program[program]


FINDINGS = {}


def finding(shape, methods):
    """Of a function that returns whether it holds, and the figures."""
    def add(function):
        FINDINGS[function.__doc__] = (shape, methods, function)
    return add


TODAY = ["medium-grained", "coconet", "flux", "flux-add", "fused-operators"]


@finding("mega-gpt-2-fc2-2k", [*TODAY, "t3-mca"])
def hardware(of):
    """T3's hardware beats the best of today, where a GEMM's sums are scattered"""
    today, t3 = of.gain(*TODAY), of.gain("t3-mca")
    return t3 > today, f"t3-mca {t3:.3f}, today {today:.3f}"


@finding("mega-gpt-2-fc2-2k", ["coconet"])
def chunks(of):
    """at 2,048 rows, a GEMM in chunks, each with a library's collective behind it, is slower than one after the other"""
    return of.gain("coconet") < 1, f"coconet {of.gain('coconet'):.3f}"


@finding("mega-gpt-2-fc2-2k", ["flux", "fused-operators"])
def order(of):
    """tiles stored to their owners and summed there gain less where all GPUs store to the same owner at a time (no order by rank)"""
    by_rank, same = of.gain_of("gemm-reduce-scatter"), of.gain_of("gemm-reduce-scatter shift=0")
    return by_rank > same, f"by rank {by_rank:.3f}, the same {same:.3f}"


@finding("moe-combine-2k", ["fused-operators"])
def exchange(of):
    """where rows are exchanged, tiles stored into their owners as they are done are faster than the library's all-to-all behind the GEMM"""
    fused = of.gain("fused-operators")
    return fused > 1, f"fused-operators {fused:.3f}"


def config_of(program, overrides=()):
    """The machine's keys, as `t3sim config` prints them."""
    shape = [f"--set=workload.{key}=1024" for key in "mnk"] + ["--set=collective.kind=reduce-scatter"]
    done = subprocess.run([program, "config", f"configs/systems/{MACHINE}.yaml", *shape, *[f"--set={o}" for o in overrides]],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip())
    return done.stdout


def resolved(program):
    """The values of the machine's keys, by path."""
    text = config_of(program)
    values, path = {}, []
    for line in text.splitlines():
        key, _, value = line.strip().partition(": ")
        path = path[:(len(line) - len(line.lstrip())) // 2] + [key.rstrip(":")]
        values[".".join(path)] = value
    return values


def scaled(value, factor):
    """Of a whole number that is no time the nearest one, and another one in any case."""
    number, _, unit = value.partition(" ")
    moved = float(number) * factor
    if "." in number or unit in ("us", "ns"):
        return f"{moved:g} {unit}".strip()
    whole = round(moved)
    if whole == int(number):
        whole += 1 if factor > 1 else -1
    return f"{whole} {unit}".strip()


def check(program):
    """Every move is of a key that the machine has, and is taken as it is."""
    machines = list(moves(program))
    for _, overrides in machines:
        config_of(program, overrides)
    print(f"{len(machines)} machines")


def times(program, name, overrides, shapes):
    out = OUT / "results" / name
    for shape in sorted(shapes):
        methods = sorted({m for s, methods, _ in FINDINGS.values() if s == shape for m in methods})
        done = subprocess.run([program, "validate", "rivals", f"--system={MACHINE}", f"--shape={shape}",
                               f"--scheme={','.join(methods)}", "--no-parts", "--features", "", "--committed", "", f"--runs={OUT / 'runs'}",
                               *[f"--set={o}" for o in overrides], "-o", str(out / shape)], stdout=subprocess.DEVNULL)
        if done.returncode:  # 1: a check of the command fails
            sys.exit(f"{name}: {shape}: status {done.returncode}")
    return {shape: Times(out / shape) for shape in shapes}


def moves(program):
    yield "as it is", []
    values = resolved(program)
    with open(HERE / "constants.csv", newline="") as f:
        for row in csv.DictReader(f):
            keys = row["key"].split("+")  # that only make sense together
            for factor in BY:
                moved = [f"{key}={scaled(values[key], factor)}" for key in keys]
                yield ", ".join(moved).replace("=", " "), moved


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/t3sim"
    if sys.argv[2:] == ["check"]:
        return check(program)
    anew = {title: of for title, of in FINDINGS.items() if of[0] in sys.argv[2:] or not sys.argv[2:]}
    with open(HERE / "findings.csv", newline="") as f:
        lines = [line for line in list(csv.reader(f))[1:] if line[0] not in anew and line[0] in FINDINGS]
    failed = sum(line[2] != "holds" for line in lines)
    for number, (name, overrides) in enumerate(moves(program)):
        of = times(program, str(number), overrides, {shape for shape, _, _ in anew.values()})
        for title, (shape, _, function) in anew.items():
            holds, figures = function(of[shape])
            failed += not holds
            lines.append([title, name, "holds" if holds else "fails", figures])
        print(f"{name}: {', '.join(line[2] for line in lines[-len(anew):])}", file=sys.stderr)
    with open(HERE / "findings.csv", "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([["finding", "machine", "verdict", "figures"]] + lines)
    print(f"{len(lines) - failed} of {len(lines)} hold")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
