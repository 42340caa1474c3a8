"""Decodes the Perfetto trace of a program's run: every command of commands.csv on its GPU and stream, and nothing else.

    test_program_trace.py T3SIM MACHINE

Exit status 77: python3-protobuf is missing.
"""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import perfetto
except ImportError:
    print("python3-protobuf is missing: skipped")
    sys.exit(77)

# Two streams that overlap, and a host that waits for one of them.
PROGRAM = """
name: two streams and a host
arrays: {a: {rows: 256, columns: 256}, b: {rows: 256, columns: 256}, c: {rows: 256, columns: 256},
         received: {rows: 256, columns: 256}}
streams: [compute, copies]
commands:
  - {on: compute, launch: {gemm: {a: a, b: b, c: c}}}
  - {on: copies, copy: {from: a, to: "received@(rank + 1) % gpus"}}
  - {on: compute, sync: compute}
  - {on: compute, host: 2 us}
"""


def rows_of(directory):
    with open(directory / "commands.csv", newline="") as file:
        return list(csv.DictReader(file))


def differences(directory, tracks):
    """Times in the table are rounded to ns, those in the trace are cut."""
    wrong, left = [], {(t.process, t.name): list(zip(t.slices, t.arguments)) for t in tracks}
    for row in rows_of(directory):
        place = (f'GPU {row["gpu"]}', row["stream"])
        if not left.get(place):
            wrong.append(f"no slice for {row}")
            continue
        (name, start, end), arguments = left[place].pop(0)
        times = [(start / 1000, row["begun_us"]), (end / 1000, row["done_us"]),
                 (arguments.get("issued_us", -1), row["issued_us"])]
        if name != row["command"] or any(abs(have - float(want)) > 0.00101 for have, want in times):
            wrong.append(f"{name}, {times}, {arguments}: not {row}")
    wrong += [f"{place}: {slices} are no commands" for place, slices in left.items() if slices]
    return wrong


def overlap(tracks):
    of = {t.name: t.slices for t in tracks if t.process == "GPU 0"}
    return any(a[1] < b[2] and b[1] < a[2] for a in of["compute"] for b in of["copies"])


def main():
    t3sim, machine = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        directory, program = Path(folder) / "run", Path(folder) / "program.yaml"
        program.write_text(PROGRAM)
        run = [t3sim, "run", "--machine", machine, "--program", str(program), "-o", str(directory), "--timeline"]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        tracks = perfetto.read(directory / "timeline.perfetto-trace")
        wrong = differences(directory, tracks)
        if not overlap(tracks):
            wrong.append("the two streams do not overlap")
        if {t.name for t in tracks} != {"host", "compute", "copies"}:
            wrong.append("not a track per stream and host")
        subprocess.run([*run, "--timeline-window", "1 us..2 us", "--timeline-tracks", "comp*"], check=True,
                       stdout=subprocess.DEVNULL)
        slices = [(t.name, s[1:]) for t in perfetto.read(directory / "timeline.perfetto-trace") for s in t.slices]
        if slices != [("compute", (1000, 2000))] * 2:
            wrong.append(f"window: {slices}")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
