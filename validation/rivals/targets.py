#!/usr/bin/env python3
"""Writes targets.csv and targets.md: every published number (published.csv) once, beside ours.

T3's come from validation/paper/results/summary.csv, those of FiCCO, the fused operators and MCR-DL that FOUND names from their findings.csv,
Flux's totals from its totals.csv, and why they miss from ours.csv; the others from ours.csv whole, which is written by hand from the pages that it names.
Usage, from the repository's root: targets.py [check]      check: say what would change, and fail"""
import csv
import io
import math
import sys
from pathlib import Path

HERE = Path("validation/rivals")
RULES = """What hits: of T3, what its page's gates allow (as said), else 5 % of a ratio and 5 points of a percentage, if a percentage, or what a speed-up gains
over 1, is not off by more than half; its reduce-scatter's error against hardware by being no larger. Of the others, what their page says: within 10 % or 10 points of Flux's totals, 8 points of its ranges, 12 of its
means; FiCCO's speed-ups within 0.1 (2D 0.15), losses 0.05 of GEMMs, 0.10 of copies, slowdowns 2 % (the largest 0.4); savings of the fused operators within
6 points or inside our band, skew 2 points, occupancy 10 %; of MCR-DL inside our band, if that is at most 15 points wide; signs exactly.
FiCCO's loss of communication in pieces by half of it; the Tracker's size exactly. t3-2xcu is a miss though its gate, TP 8 alone, holds. A miss has the
mechanism, if it is known, and undetermined what is missing. A row with a mean and a maximum hits if both do, also where
the page judges the mean only.

"""
VERDICTS = {"pass": "hit", "agrees": "hit", "fail": "miss", "differs": "miss"}
EMBEDDING, GEMV, GEMM = "embedding + all-to-all", "GEMV + all-reduce", "GEMM + all-to-all"
MINUS = "-"
# By id: the findings whose numbers are one published row, with MINUS before one that counts the other way round.
FOUND = {
    "fused-operators": {
        "fused-emb-intra": [f"{EMBEDDING} in a node: saves in the mean, %", f"{EMBEDDING} in a node: saves at most, %"],
        "fused-emb-inter": [f"{EMBEDDING} between nodes: saves in the mean, %", f"{EMBEDDING} between nodes: saves at most, %"],
        "fused-gemv-ar": [f"{GEMV}: saves in the mean, %", f"{GEMV}: saves at most, %"],
        "fused-gemm-a2a": [f"{GEMM}: saves in the mean, %", f"{GEMM}: saves at most, %"],
        "fused-skew": ["oblivious order: skew in the mean, %", "aware order: skew in the mean, %"],
        "fused-occ": [f"{MINUS}occupancy 25 to 75 % saves, %", "occupancy 75 to 87.5 % costs, %"],
        "fused-emb-512": ["in a node: batch 512 gains less than 2048, %", "in a node, the largest batch: below the embedding alone, us"],
        "fused-emb-256": ["between nodes, batch 256: below the embedding alone, us"],
        "fused-gemv-64k": ["GEMV: M = 64k gains less than 8k, %"],
    },
    "ficco": {
        "ficco-p2p-comm": ["shard-p2p communicates slower, times"],
        "ficco-shard-sign": ["shard-p2p gains over serial at most"],
        "ficco-shard": ["shard-p2p is slower at worst, times"],
        "ficco-ideal": ["ideal reaches"],
        "ficco-1d": ["best 1D reaches"],
        "ficco-2d": ["2D reaches"],
        "ficco-dil-64": ["64 pieces of rows take less than 8", "64 pieces of K take less than 8"],
        "ficco-comm-dil": ["communication in 8 pieces over the whole"],
        "ficco-gemm-cil": ["GEMM beside copies in pieces, slower", "GEMM beside copies of shards, slower"],
        "ficco-comm-cil": ["copies in pieces beside a GEMM, slower", "copies of shards beside a GEMM, slower"],
        "ficco-heur-tab": ["heuristic right on Table I, threshold 5.4e+12 FLOPs"],
    },
    "mcr-dl": {
        "mcr-moe": ["DS-MoE throughput at 256 V100 over MVAPICH2-GDR %"],
        "mcr-moe-nccl": ["DS-MoE throughput at 256 V100 over NCCL %"],
        "mcr-moe-eff": ["DS-MoE scaling efficiency at 256 V100 %"],
        "mcr-dlrm": ["DLRM throughput at 32 A100 over MVAPICH2-GDR %"],
        "mcr-dlrm-nccl": ["DLRM throughput at 32 A100 over NCCL %"],
        "mcr-dlrm-eff": ["DLRM scaling efficiency at 32 A100 %"],
        "mcr-dense": ["dense 6.7B throughput over MVAPICH2-GDR %", "dense 6.7B throughput over SCCL %"],
        "mcr-comm": ["fall of communication's share of DS-MoE at 256 points", "fall of communication's share of DLRM at 32 points"],
    },
}


def read(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def of_t3(why, missed):
    """Its page's verdicts, and a miss, too, where `missed` says so."""
    for row in read("validation/paper/results/summary.csv"):
        if row["verdict"] == "beside":
            continue
        within = f"within {row['target'].split('+-')[1].strip()}; " if "+-" in row["target"] else ""
        miss = row["id"] in missed
        yield row["id"], (row["ours"], "miss" if miss else VERDICTS[row["verdict"]], within + why.get(row["id"], "validation/paper"))


def of_measured_ring():
    """T3's simulator was held against hardware, so this one is, too: reduce-scatters of NCCL on four H200, of the paper's sizes (6 to 192 MB)."""
    sizes = [f"ring_simple reduce_scatter world 4 bytes {mib << 20}" for mib in (8, 16, 32, 64, 128)]
    errors = {row["case"]: float(row["error_pct"]) for row in read("validation/measured/simulated/collectives/cases.csv")}
    mean = 100 * (math.prod(1 + errors[size] / 100 for size in sizes) ** (1 / len(sizes)) - 1)
    yield "t3-rs-validation", (f"{mean:.1f}", "hit" if mean <= 6 else "miss",
                               "NCCL's reduce-scatters of 8 to 128 MiB on four H200; validation/measured/simulated.md")


def named(found, what):
    """The one finding of that name."""
    of = [row for row in found if row["what"] == what]
    assert len(of) == 1, f"{what}: {len(of)} findings"
    return of[0]


def of_findings(why, missed):
    """A row of several numbers hits if all do; of those that are only set beside the paper's, `missed` has the rows that do not."""
    for page, ids in FOUND.items():
        found = read(f"validation/{page}/results/findings.csv")
        for id, whats in ids.items():
            of = [named(found, what.removeprefix(MINUS)) for what in whats]
            ours = [MINUS + row["ours"] if what.startswith(MINUS) else row["ours"] for what, row in zip(whats, of)]
            verdicts = {row["verdict"] for row in of} - {"beside"}
            bands = [f"{row['low']} to {row['high']}" for row in of if row.get("low")]
            text = f"band {', '.join(bands)}; " if bands else ""
            yield id, (" / ".join(ours), "miss" if "miss" in verdicts or id in missed else "hit",
                       f"{text}{why[id]}; validation/{page}" if why.get(id) else f"{text}validation/{page}")


def of_flux_totals(why):
    """Times in ms: the GEMM, one after the other, fused; a hit if all three and the efficiency do."""
    rows = read("validation/flux/results/totals.csv")
    for pattern, name in (("gather", "ag"), ("scatter", "rs")):
        for machine in ("a800", "h800"):
            of = {row["what"]: row for row in rows if row["machine"] == f"{machine}-x8" and row["pattern"] == pattern}
            id = f"flux-repo-{name}-{machine}"
            ours = " / ".join(f"{float(of[f'{what} us']['ours']) / 1000:.3f}" for what in ("GEMM", "one after the other", "fused"))
            efficiency = of["efficiency %"]
            yield id, (ours, "hit" if all(row["verdict"] == "hit" for row in of.values()) else "miss",
                       f"efficiency {efficiency['ours']} for {efficiency['published']} %; {why[id]}; validation/flux")


def table():
    rows = read(HERE / "ours.csv")
    ours = {row["id"]: (row["ours"], row["verdict"], row["why"]) for row in rows if row["ours"] or row["verdict"] == "undetermined"}
    missed = {row["id"] for row in rows if not row["ours"] and row["verdict"] == "miss"}
    why = {row["id"]: row["why"] for row in rows if row["id"] not in ours}
    for results in (dict(of_t3(why, missed)), dict(of_measured_ring()), dict(of_findings(why, missed)), dict(of_flux_totals(why))):
        both = results.keys() & ours.keys()
        assert not both, f"twice: {both}"
        ours.update(results)
    for row in read(HERE / "published.csv"):
        yield [row["id"], row["paper"], row["quantity"], row["case"], f"{row['value']} {row['unit']}",
               *ours[row["id"]]]


def main():
    rows = list(table())
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["id", "paper", "quantity", "case", "theirs", "ours", "verdict", "why"])
    out.writerows(rows)
    page = "# Every published number, once\n\nWritten by `targets.py`. " + ", ".join(
        f"{sum(row[6] == verdict for row in rows)} {verdict}" for verdict in ("hit", "miss", "undetermined")) + ".\n\n" + RULES
    page += "| paper | quantity | case | theirs | ours | | why, or where |\n|---|---|---|---|---|---|---|\n"
    for row in rows:
        page += "| " + " | ".join(cell.replace("|", "/") for cell in (row[1], row[2], row[3], row[4], row[5], row[6], row[7])) + " |\n"
    for path, content in ((HERE / "targets.csv", text.getvalue()), (HERE / "targets.md", page)):
        if sys.argv[1:] == ["check"]:
            if not path.exists() or path.read_text() != content:
                sys.exit(f"{path} is not what its sources say: run {HERE}/targets.py")
        else:
            path.write_text(content)
    print(page.split("\n")[2])


if __name__ == "__main__":
    main()
