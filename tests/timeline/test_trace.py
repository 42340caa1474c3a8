"""Decodes the Perfetto trace of a run and counts: tracks, slices, instants and counters must be as many as
stats.csv, series.csv and timeline.csv say.

    test_trace.py T3SIM [--no-window] CONFIG [--set key=value]...

--no-window: does not run once more for a part of the trace. Exit status 77: python3-protobuf is missing.
"""
import csv
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

try:
    import perfetto
except ImportError:
    print("python3-protobuf is missing: skipped")
    sys.exit(77)


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def of_statistics(directory):
    """(process, kind) -> number, by what the tables say."""
    want = Counter()
    for r in table(directory / "stats.csv"):
        process, key = f'{r["scheme"]}: GPU {r["gpu"]}', (r["component"], r["name"])
        if key == ("kernel", "stages"):
            want[process, "stage"] += int(r["value"])
        elif key == ("kernel", "workgroups"):
            want[process, "workgroup"] += int(r["value"])
            want[process, "kernel"] += 1
        elif key == ("tracker", "completed_entries"):
            want[process, "trigger"] += int(r["value"])
        elif key == ("dma", "blocks"):
            want[process, "dma"] += int(r["value"])
        elif r["name"].startswith("busy_intervals_to_"):
            want[process, "link to " + r["name"].split("_")[-1]] += int(r["value"])
    for r in table(directory / "timeline.csv"):
        process = f'{r["scheme"]}: GPU {r["gpu"]}'
        if r["track"] in ("step", "tracker"):
            want[process, r["track"]] += 1
    series, rows = defaultdict(set), table(directory / "series.csv")
    ends = defaultdict(float)
    for r in table(directory / "stats.csv"):
        if (r["component"], r["name"]) == ("gpu", "phase_time"):
            ends[r["scheme"], r["phase"]] = max(ends[r["scheme"], r["phase"]], float(r["value"]))
    for r in rows:
        if r["component"] == "dram" and float(r["start_us"]) >= ends[r["scheme"], r["phase"]]:
            continue  # after the last phase, the L2's writing back, which the trace leaves out
        process = f'{r["scheme"]}: GPU {r["gpu"]}'
        want[process, "counter " + r["component"] + " " + r["name"]] += 1
        series[process, r["component"] + " " + r["name"]].add(r["phase"])
    for (process, name), phases in series.items():
        want[process, "counter " + name] += len(phases)  # back to 0 after each phase
    return +want


def of_trace(tracks):
    have = Counter()
    for t in tracks:
        name = t.name.split(" (")[0]
        kind = "workgroup" if name.startswith("cu ") else "dma" if name.startswith("dma engine") else name
        have[t.process, kind] += len(t.slices)
        have[t.process, "trigger"] += len(t.instants)
        if not name.startswith("channel "):
            have[t.process, "counter " + name] += len(t.counters)
    return +have


def differences(want, have):
    return [f"{key}: {want[key]} in the tables, {have[key]} in the trace"
            for key in sorted(set(want) | set(have)) if want[key] != have[key]]


def check(directory):
    tracks = perfetto.read(directory / "timeline.perfetto-trace")
    wrong = differences(of_statistics(directory), of_trace(tracks))
    stats = table(directory / "stats.csv")
    for process in sorted({t.process for t in tracks}):
        scheme, gpu = process.split(": GPU ")
        mine = [r for r in stats if r["scheme"] == scheme and r["gpu"] == gpu]
        names = {t.name for t in tracks if t.process == process}
        cus = {r["component"] for r in mine if r["component"].startswith("cu[")}
        if cus != {"cu[" + n.split()[1] + "]" for n in names if n.startswith("cu ")}:
            wrong.append(f"{process}: not a track for every CU")
        channels = {r["component"] for r in mine if r["component"].startswith("channel[")}
        if channels != {"channel[" + n.split()[1] + "]" for n in names if n.startswith("channel ")}:
            wrong.append(f"{process}: not a track for every channel")
        sent = sum(int(r["value"]) for r in mine if r["component"].startswith("link.out") and r["name"] == "bytes")
        shown = sum(int(s[0].split()[0]) for t in tracks if t.process == process and t.name.startswith("link to ")
                    for s in t.slices)
        if sent != shown:
            wrong.append(f"{process}: {sent} bytes sent, {shown} in the trace")
    size = (directory / "timeline.perfetto-trace").stat().st_size
    if size >= 100_000_000:
        wrong.append(f"the trace has {size} bytes")
    print(f"{len(tracks)} tracks, {sum(len(t.slices) for t in tracks)} slices, "
          f"{sum(len(t.instants) for t in tracks)} instants, {sum(len(t.counters) for t in tracks)} counter values, "
          f"{size} bytes")
    return wrong


def check_window(run, directory):
    """A window and a choice of tracks: nothing else, and nothing outside."""
    subprocess.run([*run, "--timeline", "--timeline-window", "5 us..9 us", "--timeline-tracks", "link*,stage"],
                   check=True, stdout=subprocess.DEVNULL)
    wrong, tracks = [], perfetto.read(directory / "timeline.perfetto-trace")
    for t in tracks:
        if not t.name.startswith(("link", "stage")):
            wrong.append(f"track {t.name} was not asked for")
        if any(s[1] < 5000 or s[2] > 9000 for s in t.slices) or any(not 5000 <= c[0] <= 9000 for c in t.counters):
            wrong.append(f"track {t.name} reaches beyond the window")
    if not any(t.name == "stage" and t.slices for t in tracks) or not any(t.counters for t in tracks):
        wrong.append("the window is empty")
    return wrong


def main():
    program, arguments = sys.argv[1], sys.argv[2:]
    window = arguments[0] != "--no-window"
    if not window:
        arguments.pop(0)
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "run"
        run = [program, "run", *arguments, "--quiet", "-o", str(directory)]
        subprocess.run([*run, "--timeline"], check=True, stdout=subprocess.DEVNULL)
        wrong = check(directory)
        if window:
            wrong += check_window(run, directory)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
