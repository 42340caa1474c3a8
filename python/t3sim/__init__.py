"""Results of t3sim as data frames, runs from Python, and plots. Needs pandas; plots need matplotlib.

    import t3sim
    run = t3sim.run({"schemes": ["sequential", "t3"]}, model="llama3-8b", layer="attn-out", tp=8, machine="paper")
    run.schemes[["time_us", "speedup"]]
    sweep = t3sim.read_sweep("out/map")
    t3sim.plot_map(sweep, x="workload_k", y="topology_bandwidth_GBps", scheme="t3-mca")

Columns are named as in results.json, stats.csv and results.csv (docs/reference.md). Times are in microseconds.
"""

from .plots import plot_gap, plot_map, plot_phases, plot_series, plot_speedups
from .results import Run, read_run, read_sweep
from .runner import Failed, config, run, sweep

__all__ = ["Failed", "Run", "config", "plot_gap", "plot_map", "plot_phases", "plot_series", "plot_speedups",
           "read_run", "read_sweep", "run", "sweep"]
