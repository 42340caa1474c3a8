"""One row a run, from the folders that run.sh makes: table.py FOLDER."""
import csv
import json
import pathlib
import sys

COLUMNS = ["case", "gpus", "capacity", "fused_us", "total_us", "peak_entries", "peak_set_entries",
           "spilled_entries", "stalled_stores", "completed_entries", "mean_life_us", "entry_bits",
           "table_bytes", "needed_table_bytes", "published_table_bytes"]


def row(folder):
    results = json.loads((folder / "results.json").read_text())
    scheme = results["schemes"]["t3-mca"]
    tracker = scheme["tracker"]
    with open(folder / "stats.csv", newline="") as stats:
        life = [r["value"] for r in csv.DictReader(stats)
                if r["component"] == "tracker" and r["name"] == "mean_entry_life"]
    values = {"case": results["workload"]["name"], "gpus": results["workload"]["gpus"],
              "capacity": folder.name.rsplit("-", 1)[1], "fused_us": f'{scheme["phases"]["fused_us"]:.1f}',
              "total_us": f'{scheme["time_us"]:.1f}', "mean_life_us": f"{float(life[0]):.1f}"}
    return [str({**tracker, **values}[column]) for column in COLUMNS]


print(",".join(COLUMNS))
for key in sorted((pathlib.Path(sys.argv[1]).glob("*-*-*")),
                  key=lambda f: (f.name.rsplit("-", 2)[0], int(f.name.rsplit("-", 2)[1]), f.name)):
    print(",".join(row(key)))
