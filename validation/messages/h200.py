#!/usr/bin/env python3
"""NCCL's LL, LL128 and Simple on four H200 (validation/measured/data/h200/collectives.csv) beside the message level.

    h200.py T3SIM ENDPOINT.yaml [--set key=value]... > h200.csv

ENDPOINT.yaml: of `t3sim tune endpoint --machine h200-x4` (h200-x4.yaml here). The calls were one after the other: arrays are warm
where they fit. Rows whose size is an even power of two may be used to choose
values by, the others are kept back. NCCL's all-to-all is made of sends and receives, which take Simple whatever the tag says.
"""
import csv, itertools, json, math, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROTOCOLS = {"ring_LL": "LL", "ring_LL128": "LL128", "ring_simple": "Simple"}


def ours(t3sim, endpoint, rows, sets):
    lines = [f"include: [{ROOT}/configs/systems/h200-x4.yaml, {os.path.abspath(endpoint)}]",
             "gpus: {count: 4, model: message}", "message:", "  collectives:"]
    for r in rows:
        kind = r["op"].replace("_", "-")
        protocol = "Simple" if kind == "all-to-all" else PROTOCOLS[r["tag"]]
        lines.append(f"    - {{kind: {kind}, protocol: {protocol}, arrays: warm, bytes: {r['bytes']} B}}")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write("\n".join(lines) + "\n")
        f.flush()
        out = subprocess.run([t3sim, "run", f.name, "--json"] + sets, check=True, capture_output=True, text=True)
    return [c["time_us"] for c in json.loads(out.stdout)["collectives"]]


def order(times):
    """Pairs of protocols that differ by over 5 %, of the kept half: how many of them come in the measured order, and which do not."""
    right, wrong = 0, []
    for (op, size), by_protocol in times.items():
        for a, b in itertools.combinations(by_protocol, 2):
            (ma, oa), (mb, ob) = by_protocol[a], by_protocol[b]
            if max(ma, mb) / min(ma, mb) <= 1.05:
                continue
            if (ma < mb) == (oa < ob):
                right += 1
            else:
                wrong.append(f"{op} {size}: {a} {ma:.1f} ({oa:.1f}), {b} {mb:.1f} ({ob:.1f})")
    print(f"order: {right} of {right + len(wrong)} pairs", *wrong, sep="\n  ", file=sys.stderr)


def main():
    t3sim, endpoint, sets = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(f"{ROOT}/validation/measured/data/h200/collectives.csv") as f:
        rows = [r for r in csv.DictReader(f) if r["tag"] in PROTOCOLS and r["world"] == "4"]
    print("protocol,op,bytes,half,measured_us,ours_us,error_pct")
    groups, times = {}, {}
    for r, us in zip(rows, ours(t3sim, endpoint, rows, sets)):
        measured = float(r["median_s"]) * 1e6
        half = "used" if int(math.log2(int(r["bytes"]))) % 2 == 0 else "kept"
        print(f"{PROTOCOLS[r['tag']]},{r['op']},{r['bytes']},{half},{measured:.2f},{us:.2f},{100 * (us / measured - 1):.1f}")
        if half == "kept" and r["op"] != "all_to_all":
            times.setdefault((r["op"], r["bytes"]), {})[PROTOCOLS[r["tag"]]] = (measured, us)
        size = "large" if int(r["bytes"]) >= 4 << 20 else "small"
        groups.setdefault((PROTOCOLS[r["tag"]], r["op"], size, half), []).append(max(us / measured, measured / us))
    for key, errors in sorted(groups.items()):
        mean = 100 * (math.exp(sum(map(math.log, errors)) / len(errors)) - 1)
        print("  ".join(key), f"{mean:.1f} %, worst {100 * (max(errors) - 1):.1f} %", file=sys.stderr)
    order(times)


main()
