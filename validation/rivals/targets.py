#!/usr/bin/env python3
"""Writes targets.csv and targets.md: every published number (published.csv) once, beside ours.

T3's come from validation/paper/results/summary.csv, and why they miss from ours.csv; the others from ours.csv whole, which is written
by hand from the pages that it names.
Usage, from the repository's root: targets.py [check]      check: say what would change, and fail"""
import csv
import io
import sys
from pathlib import Path

HERE = Path("validation/rivals")
VERDICTS = {"pass": "hit", "agrees": "hit", "fail": "miss", "differs": "miss"}


def read(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def of_t3(why):
    return {row["id"]: (row["ours"], VERDICTS[row["verdict"]], why.get(row["id"], "validation/paper"))
            for row in read("validation/paper/results/summary.csv")}


def table():
    rows = read(HERE / "ours.csv")
    ours = {row["id"]: (row["ours"], row["verdict"], row["why"]) for row in rows if row["verdict"]}
    t3 = of_t3({row["id"]: row["why"] for row in rows if not row["verdict"]})
    both = t3.keys() & ours.keys()
    assert not both, f"twice: {both}"
    ours.update(t3)
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
