#!/usr/bin/env python3
"""Imports a large Accel-Sim trace, made by repeating thread blocks: big_import.py [-t build/t3sim] [--mb 1000].

Prints speed and peak memory of the import. Exit status 1 below 50 MB of text a second of CPU time (it is one thread; a busy
machine may take longer by the clock) or above 200 MB of memory.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import gemm_trace

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAST_MB_PER_SECOND, MOST_MEMORY_MB = 50, 200


def write_trace(path, megabytes):
    """Blocks of one GEMM over and over, as many as make the size. Bytes written."""
    head, *blocks = [part.encode() for part in gemm_trace.kernel_text(256, 512, 128)]
    count = max(round(megabytes * 10**6 / len(blocks[0])), 1)
    with open(path, "wb") as file:
        file.write(head.replace(b"grid dim = (4,2,1)", b"grid dim = (%d,1,1)" % count))
        for i in range(count):
            file.write(blocks[i % len(blocks)])
        return file.tell()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-t", "--t3sim", default=str(ROOT / "build/t3sim"), help="the program")
    parser.add_argument("--mb", type=float, default=1000, help="size of the trace, in 10^6 bytes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "kernel.traceg"
        size = write_trace(trace, arguments.mb)
        print(f"{size / 1e6:.0f} MB of text", flush=True)
        begin = time.monotonic()
        imported = trace.with_suffix(".t3t")
        done = subprocess.run([arguments.t3sim, "trace", "import", "accelsim", trace, "-o", imported])
        seconds = time.monotonic() - begin
    if done.returncode != 0:
        sys.exit(1)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000
    speed = size / 1e6 / cpu
    print(f"{seconds:.1f} s, {size / 1e6 / seconds:.0f} MB/s by the clock")
    print(f"{cpu:.1f} s of CPU time, {speed:.0f} MB/s (limit {LEAST_MB_PER_SECOND})")
    print(f"peak memory {memory:.0f} MB (limit {MOST_MEMORY_MB})")
    sys.exit(0 if speed >= LEAST_MB_PER_SECOND and memory <= MOST_MEMORY_MB else 1)


if __name__ == "__main__":
    main()
