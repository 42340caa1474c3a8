"""Geometric means of the studies' speed-ups over sequential, beside those of the machine as it is: summary.py

Reads results/*.csv and ../results/figure16.csv, figure19_sublayers.csv; prints a table a study.
"""
import csv
from collections import defaultdict
from math import exp, log
from pathlib import Path

HERE = Path(__file__).parent
SCHEMES = ["t3", "t3-mca", "ideal-overlap"]


def table(path):
    with open(HERE / path, newline="") as file:
        return list(csv.DictReader(file))


def geomean(values):
    return exp(sum(map(log, values)) / len(values))


def speedups(study):
    """(scheme or preset, case) -> speed-up"""
    rows = table(f"results/{study}.csv")
    return {(r.get("preset") or r["scheme"], r["workload_name"]): float(r["speedup"])
            for r in rows if r["scheme"] != "sequential"}


def of_figure(path):
    return {(scheme, f'{r["model"]} {r["layer"]} TP{r["tp"]}'): float(r[scheme])
            for r in table(path) for scheme in SCHEMES}


def show(title, values, groups):
    print(title)
    print(f'  {"":<28}' + "".join(f"{g:>16}" for g in groups))
    for column in dict.fromkeys(key[0] for key in values):
        cells = []
        for cases in groups.values():
            found = [v for (c, case), v in values.items() if c == column and cases(case)]
            cells.append(f"{geomean(found):>16.3f}" if found else f'{"":>16}')
        print(f"  {column:<28}" + "".join(cells))
    print()


def by_case(values):
    """Cases, then each column's values."""
    columns = list(dict.fromkeys(key[0] for key in values))
    print(f'  {"":<28}' + "".join(f"{c:>15}" for c in columns))
    rows = defaultdict(dict)
    for (column, case), value in values.items():
        rows[case][column] = value
    for case, of in rows.items():
        print(f"  {case:<28}" + "".join(f"{of[c]:>15.3f}" for c in columns))
    print()


def stagger():
    print("stagger: T-NLG, 4096 tokens, 8 explicit GPUs")
    for r in table("results/stagger.csv"):
        plan = Path(r["collective_plan"]).stem
        print(f'  K {r["workload_k"]:>4}  {plan:<20} {r["scheme"]:<14} {float(r["time_us"]):>8.1f} us  {float(r["speedup"]):.3f}')


def main():
    small = {"16 sub-layers": lambda case: not case.endswith("TP32"),
             "FC of these": lambda case: "FC" in case and not case.endswith("TP32"),
             "large models": lambda case: case.endswith("TP32")}
    as_it_is = of_figure("../results/figure16.csv") | of_figure("../results/figure19_sublayers.csv")
    paced = {("paced", case): v for (_, case), v in speedups("mca-paced").items()}
    show("the machine as it is, and mca-paced.yaml", as_it_is | paced, small)
    hidden = speedups("orientation") | speedups("orientation-mca")
    tokens = {key: value for key, value in as_it_is.items() if ("t3", key[1]) in hidden}
    ways = {"Mega-GPT-2": lambda case: case.startswith("Mega"), "GPT-3, MT-NLG": lambda case: case.endswith("TP32"),
            "all 12": lambda case: True}
    show("M = tokens, the cases of orientation.yaml", tokens, ways)
    show("M = H (orientation.yaml, orientation-mca.yaml)", hidden, ways)
    by_case(hidden)
    slower = speedups("slower-memory")
    show("memory at 700 MHz (slower-memory.yaml)", slower, {k: small[k] for k in list(small)[:2]})
    by_case(slower)
    stagger()


if __name__ == "__main__":
    main()
