"""The files of runs and sweeps as data frames."""

import json
import pathlib

import pandas


class Run:
    """What `t3sim run -o DIR` wrote. Data frames are read when they are asked for."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.manifest = self._json("manifest.json")
        if self.manifest.get("program") != "t3sim":
            raise ValueError(f"{directory}: not a result of t3sim run")
        self.results = self._json("results.json")
        self.workload = self.results["workload"]

    def _json(self, name):
        path = self.directory / name
        if not path.exists():
            raise FileNotFoundError(f"{path}: not there: not a result of t3sim run, or not all of one")
        return json.loads(path.read_text(encoding="utf-8"))

    def _csv(self, name):
        return pandas.read_csv(self.directory / name)

    @property
    def schemes(self):
        """A row a scheme: time_us, speedup, phases, DRAM bytes, link bytes, gap_us."""
        rows = {}
        for name, scheme in self.results["schemes"].items():
            row = {"time_us": scheme["time_us"], "speedup": scheme["speedup"], **scheme["phases"]}
            row |= {f"dram_{key}_bytes": value for key, value in scheme["dram_bytes"].items()}
            row |= {"link_bytes": scheme["link_bytes"], "gap_us": scheme.get("gap", {}).get("gap_us")}
            rows[name] = row
        return pandas.DataFrame.from_dict(rows, orient="index").rename_axis("scheme")

    @property
    def limits(self):
        """A row a scheme and phase: what it uses, and what limits it."""
        rows = [{"scheme": name, "phase": phase, **limits} for name, scheme in self.results["schemes"].items()
                for phase, limits in scheme.get("limits", {}).items()]
        return pandas.DataFrame(rows).set_index(["scheme", "phase"])

    @property
    def gap(self):
        """Parts of the gap to the ideal overlap, in microseconds: a row a fused scheme."""
        rows = {name: scheme["gap"]["parts_us"] for name, scheme in self.results["schemes"].items() if "gap" in scheme}
        return pandas.DataFrame.from_dict(rows, orient="index").rename_axis("scheme")

    @property
    def stats(self):
        return self._csv("stats.csv")

    @property
    def series(self):
        return self._csv("series.csv")

    @property
    def timeline(self):
        return self._csv("timeline.csv")

    @property
    def config(self):
        """The complete configuration, as text."""
        return (self.directory / "config.yaml").read_text(encoding="utf-8")


def read_run(directory):
    return Run(directory)


def read_sweep(directory):
    """results.csv of a sweep's directory, or a file like it: a row a point and scheme."""
    path = pathlib.Path(directory)
    return pandas.read_csv(path / "results.csv" if path.is_dir() else path)
