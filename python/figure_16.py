#!/usr/bin/env python3
"""Figure 16 of the T3 paper from a sweep: speed-ups of the sub-layers that need an all-reduce.

    t3sim sweep run figure-16 -o out/figure-16 -j 2      # ten minutes of CPU time
    python3 python/figure_16.py out/figure-16 -o figure-16.svg
"""

import argparse
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import t3sim  # pylint: disable=wrong-import-position


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sweep", help="directory of the sweep, or its results.csv")
    parser.add_argument("-o", "--output", required=True, help="picture to write: .svg, .png, .pdf")
    arguments = parser.parse_args()
    axes = t3sim.plot_speedups(t3sim.read_sweep(arguments.sweep))
    axes.figure.set_size_inches(12, 4)
    axes.figure.savefig(arguments.output)


if __name__ == "__main__":
    main()
