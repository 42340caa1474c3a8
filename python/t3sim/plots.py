"""Plots of runs and sweeps, onto given axes or new ones. All return the axes."""

import math


def _axes(axes):
    if axes is None:
        from matplotlib import pyplot  # only who plots needs it
        _, axes = pyplot.subplots(layout="constrained")
    return axes


def _spoken(column):
    """"workload_k" -> "k", "topology_bandwidth_GBps" -> "bandwidth (GB/s)", "time_us" -> "time (us)"."""
    units = {"us": "us", "ns": "ns", "GBps": "GB/s", "GHz": "GHz", "bytes": "bytes"}
    sections = ("workload_", "topology_", "gpus_", "gpu_", "memory_", "l2_", "dma_", "tracker_", "arbitration_")
    words = column.split("_")
    unit = units.get(words[-1])
    for section in sections:
        column = column.removeprefix(section)
    if unit:
        column = column[: -len(words[-1]) - 1]
    name = "GPUs" if words[0] == "gpus" and column == "count" else column.replace("_", " ")
    return f"{name} ({unit})" if unit else name


def plot_phases(run, axes=None):
    """Times of a run's schemes as bars of their phases, end to end. Ideal schemes are one bar: theirs overlap."""
    axes = _axes(axes)
    bottom = {}
    for phase in [column for column in run.schemes.columns if column.endswith("_us") and column not in ("time_us", "gap_us")]:
        heights = run.schemes[phase].where(~run.schemes.index.str.startswith("ideal-")).fillna(0)
        if heights.sum() == 0:
            continue
        axes.bar(heights.index, heights, bottom=[bottom.get(s, 0) for s in heights.index], label=_spoken(phase))
        for scheme, height in heights.items():
            bottom[scheme] = bottom.get(scheme, 0) + height
    ideal = run.schemes["time_us"].where(run.schemes.index.str.startswith("ideal-")).fillna(0)
    if ideal.sum() > 0:
        axes.bar(ideal.index, ideal, label="ideal", color="lightgray")
    axes.set_ylabel("time (us)")
    axes.set_title(run.workload["name"])
    axes.tick_params(axis="x", rotation=20)
    axes.legend()
    return axes


def plot_gap(run, axes=None):
    """Parts of the gap between each fused scheme and the ideal overlap."""
    axes = _axes(axes)
    run.gap.fillna(0).plot.bar(stacked=True, ax=axes, rot=0)
    axes.set_ylabel("us more than ideal-overlap")
    return axes


def plot_series(run, scheme, component, name, axes=None, gpu=0):
    """A counter over time, phase after phase."""
    axes = _axes(axes)
    rows = run.series.query("scheme == @scheme and component == @component and name == @name and gpu == @gpu")
    if rows.empty:
        raise ValueError(f"no series {component} {name} of {scheme}")
    begin = 0.0
    for phase, part in rows.groupby("phase", sort=False):
        axes.step(begin + part["start_us"], part["value"] / part["interval_us"], where="post", label=phase)
        begin += (part["start_us"] + part["interval_us"]).max()
    axes.set_xlabel("time (us)")
    axes.set_ylabel(f"{component} {name} ({rows['unit'].iloc[0]} per us)")
    axes.legend()
    return axes


def plot_speedups(sweep, by="preset", axes=None):
    """Speed-up over sequential for each value of a column, a bar a scheme, and the geometric mean: as Figure 16 of the paper."""
    axes = _axes(axes)
    table = sweep[sweep["scheme"] != "sequential"].pivot(index=by, columns="scheme", values="speedup")
    table = table.loc[sweep[by].drop_duplicates(), sweep["scheme"].drop_duplicates().drop(
        sweep.index[sweep["scheme"] == "sequential"], errors="ignore")]
    table.loc["geomean"] = table.map(math.log).mean().map(math.exp) if hasattr(table, "map") else \
        table.applymap(math.log).mean().map(math.exp)
    table.plot.bar(ax=axes, width=0.8)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_ylabel("speed-up over sequential")
    axes.set_xlabel("")
    return axes


def plot_map(sweep, x, y, value="speedup", scheme=None, axes=None):
    """A heat map over two axes of a sweep, with the number in each cell. A line surrounds cells above 1 of a speed-up."""
    axes = _axes(axes)
    rows = sweep if scheme is None else sweep[sweep["scheme"] == scheme]
    if rows.duplicated([x, y]).any():
        raise ValueError("several rows for one cell: choose with sweep[...], or name a scheme")
    table = rows.pivot(index=y, columns=x, values=value)
    middle = (table.min().min() + table.max().max()) / 2
    image = axes.imshow(table, origin="lower", aspect="auto", cmap="viridis")
    axes.set_xticks(range(table.shape[1]), [f"{v:g}" for v in table.columns])
    axes.set_yticks(range(table.shape[0]), [f"{v:g}" for v in table.index])
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            number = table.iat[row, column]
            if not math.isnan(number):
                axes.text(column, row, f"{number:.2f}", ha="center", va="center",
                          color="black" if number > middle else "white")
    axes.set_xlabel(_spoken(x))
    axes.set_ylabel(_spoken(y))
    axes.figure.colorbar(image, ax=axes, label=_spoken(value))
    return axes
