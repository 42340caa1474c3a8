"""Runs and sweeps from Python: test_t3sim.py T3SIM. Exits with 77 (skipped) where there is no pandas or matplotlib."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import matplotlib
    import pandas
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

matplotlib.use("Agg")
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import t3sim  # pylint: disable=wrong-import-position

SMALL = {"include": str(HERE.parents[1] / "tests" / "machine.yaml"), "workload": {"name": "small", "m": 512, "n": 256, "k": 64},
         "gpus": {"count": 4}, "schemes": ["sequential", "t3", "ideal-overlap"]}
SWEEP = {"base": "small.yaml", "schemes": ["sequential", "t3-mca"], "collect": ["gap"],
         "presets": {"one": {"workload.k": 32}, "two": {"workload.k": 128}},
         "axes": {"preset": ["one", "two"]}}


class InFolder(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self._folder.name)

    def sweep(self, what=None):
        pathlib.Path("small.yaml").write_text(json.dumps(SMALL), encoding="utf-8")
        pathlib.Path("sweep.yaml").write_text(json.dumps(what or SWEEP), encoding="utf-8")
        return t3sim.sweep("sweep.yaml", "out")


class Runs(InFolder):
    def test_a_dict_runs_and_its_numbers_are_those_of_the_files(self):
        run = t3sim.run(SMALL, output="out")
        with open("out/results.json", encoding="utf-8") as file:
            results = json.load(file)
        self.assertEqual(list(run.schemes.index), ["sequential", "t3", "ideal-overlap"])
        self.assertEqual(run.schemes.loc["t3", "time_us"], results["schemes"]["t3"]["time_us"])
        self.assertAlmostEqual(run.gap.loc["t3"].sum(), run.schemes.loc["t3", "gap_us"], places=5)
        self.assertIn("limited_by", run.limits.columns)

    def test_data_frames_have_every_row_of_their_file(self):
        run = t3sim.run(SMALL, output="out")
        for name in ("stats", "series", "timeline"):
            with open(f"out/{name}.csv", encoding="utf-8") as file:
                self.assertEqual(len(getattr(run, name)), len(file.readlines()) - 1, name)

    def test_options_are_those_of_the_command_line(self):
        run = t3sim.run(SMALL, scheme="t3", set="workload.k=128")
        self.assertEqual(run.workload["k"], 128)
        self.assertEqual(list(run.schemes.index), ["t3"])
        layer = t3sim.config(model="llama3-70b", layer="mlp-down", tp=8, machine="h100")
        self.assertIn("k: 3584", layer)

    def test_what_is_wrong_is_said_as_the_program_says_it(self):
        with self.assertRaises(t3sim.Failed) as caught:
            t3sim.run({**SMALL, "gpu": {"cuss": 3}})
        self.assertEqual(caught.exception.status, 2)
        self.assertIn("did you mean gpu.cus?", str(caught.exception))

    def test_a_folder_that_is_no_result_is_refused(self):
        with self.assertRaises(FileNotFoundError):
            t3sim.read_run(".")


class Sweeps(InFolder):
    def test_a_sweep_is_a_data_frame_with_its_columns(self):
        sweep = self.sweep()
        self.assertEqual(len(sweep), 4)
        self.assertEqual(sweep.query("preset == 'two' and scheme == 't3-mca'")["workload_k"].item(), 128)
        self.assertIn("gap_us", sweep.columns)
        pandas.testing.assert_frame_equal(sweep, t3sim.read_sweep("out/results.csv"))


class Plots(InFolder):
    def test_bars_add_up_to_the_time_of_the_scheme(self):
        run = t3sim.run(SMALL)
        axes = t3sim.plot_phases(run)
        tops = max(bar.get_y() + bar.get_height() for bar in axes.patches if bar.get_x() < 0.5)
        self.assertAlmostEqual(tops, run.schemes.loc["sequential", "time_us"], places=3)
        t3sim.plot_gap(run)
        t3sim.plot_series(run, "t3", "dram", run.series.query("component == 'dram'")["name"].iloc[0])

    def test_figure_16_is_made_of_a_sweep(self):
        sweep = self.sweep()
        subprocess.run([sys.executable, str(HERE.parent / "figure_16.py"), "out", "-o", "figure.svg"], check=True)
        self.assertIn("geomean", pathlib.Path("figure.svg").read_text(encoding="utf-8"))
        bars = t3sim.plot_speedups(sweep).patches
        self.assertAlmostEqual(bars[0].get_height(), sweep.query("scheme == 't3-mca'")["speedup"].iloc[0])

    def test_a_map_has_a_number_in_each_cell_that_can_be_read(self):
        sweep = self.sweep({"base": "small.yaml", "schemes": ["sequential", "t3-mca"],
                            "axes": {"workload.k": [32, 64], "topology.bandwidth": ["75 GB/s", "150 GB/s", "300 GB/s"]}})
        axes = t3sim.plot_map(sweep, "workload_k", "topology_bandwidth_GBps", scheme="t3-mca")
        self.assertEqual(len(axes.texts), 6)
        self.assertEqual(axes.get_ylabel(), "bandwidth (GB/s)")
        with self.assertRaises(ValueError):
            t3sim.plot_map(sweep, "workload_k", "topology_bandwidth_GBps")


class Notebook(InFolder):
    def test_every_cell_runs(self):
        notebook = json.loads((HERE.parent / "first-steps.ipynb").read_text(encoding="utf-8"))
        names = {}
        sys.path.insert(0, str(HERE.parent))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                self.assertEqual(cell["outputs"], [], "kept without outputs")
                exec("".join(cell["source"]), names)  # pylint: disable=exec-used


if __name__ == "__main__":
    os.environ["T3SIM"] = os.path.abspath(sys.argv.pop(1))
    unittest.main()
