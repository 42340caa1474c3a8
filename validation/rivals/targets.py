#!/usr/bin/env python3
"""Writes targets.csv and targets.md: every published number (published.csv) once, beside ours.

T3's come from validation/paper/results/summary.csv, those of the fused operators and MCR-DL that FOUND names from their findings.csv,
and why they miss from ours.csv; the others from ours.csv whole, which is written by hand from the pages that it names.
Usage, from the repository's root: targets.py [check]      check: say what would change, and fail"""
import csv
import io
import sys
from pathlib import Path

HERE = Path("validation/rivals")
VERDICTS = {"pass": "hit", "agrees": "hit", "fail": "miss", "differs": "miss"}


EMBEDDING, GEMV, GEMM = "embedding + all-to-all", "GEMV + all-reduce", "GEMM + all-to-all"
# By id: the findings whose numbers are one published row.
FOUND = {
    "fused-operators": {
        "fused-emb-intra": [f"{EMBEDDING} in a node: saves in the mean, %", f"{EMBEDDING} in a node: saves at most, %"],
        "fused-emb-inter": [f"{EMBEDDING} between nodes: saves in the mean, %", f"{EMBEDDING} between nodes: saves at most, %"],
        "fused-gemv-ar": [f"{GEMV}: saves in the mean, %", f"{GEMV}: saves at most, %"],
        "fused-gemm-a2a": [f"{GEMM}: saves in the mean, %", f"{GEMM}: saves at most, %"],
        "fused-skew": ["oblivious order: skew in the mean, %", "aware order: skew in the mean, %"],
        "fused-occ": ["occupancy 25 to 75 % saves, %", "occupancy 75 to 87.5 % costs, %"],
        "fused-emb-512": ["in a node: batch 512 gains less than 2048, %", "in a node, the largest batch: below the embedding alone, us"],
        "fused-emb-256": ["between nodes, batch 256: below the embedding alone, us"],
        "fused-gemv-64k": ["GEMV: M = 64k gains less than 8k, %"],
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


def of_t3(why):
    return {row["id"]: (row["ours"], VERDICTS[row["verdict"]], why.get(row["id"], "validation/paper"))
            for row in read("validation/paper/results/summary.csv")}


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
            of = [named(found, what) for what in whats]
            verdicts = {row["verdict"] for row in of} - {"beside"}
            bands = [f"{row['low']} to {row['high']}" for row in of if row.get("low")]
            text = f"band {', '.join(bands)}; " if bands else ""
            yield id, (" / ".join(row["ours"] for row in of), "miss" if "miss" in verdicts or id in missed else "hit",
                       f"{text}{why[id]}; validation/{page}" if why.get(id) else f"{text}validation/{page}")


def table():
    rows = read(HERE / "ours.csv")
    ours = {row["id"]: (row["ours"], row["verdict"], row["why"]) for row in rows if row["ours"] or row["verdict"] == "undetermined"}
    missed = {row["id"] for row in rows if not row["ours"] and row["verdict"] == "miss"}
    why = {row["id"]: row["why"] for row in rows if row["id"] not in ours}
    for results in (of_t3(why), dict(of_findings(why, missed))):
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
        f"{sum(row[6] == verdict for row in rows)} {verdict}" for verdict in ("hit", "miss", "undetermined")) + ".\n\n"
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
