#!/usr/bin/env python3
"""DLRM on 128 nodes (Table II and Figure 15 of the fused-operators paper): what overlap of embeddings and all-to-all saves of a pass.

    dlrm.py T3SIM > dlrm.csv

The network and the model are Table II's. What it does not say, and is said here: the batch (all of those below), a table a GPU,
FP32, and the GPU: MI210's data sheet, at 90 % of its memory bandwidth and of its FP32 matrix rate. Fused, the embeddings are CHUNKS
parts, each followed by its part of the all-to-all; in the backward pass the other way round. The order is that of DLRM and of
ASTRA-sim, in both alike: the bottom MLP (half of the layers; Table II does not split them) runs beside the all-to-all, forward and
backward, and the gradients of each MLP are summed along both dimensions of the torus once they are there.

"shortest": all-to-all at once, by shortest ways. The others are ASTRA-sim's way of it (2022's sources, and what its scripts of DLRM
and of a 2D torus set: ring_ring, preferred-dataset-splits 4): the array in 4 chunks, each around the rows and then around the
columns, the next one around the rows meanwhile; in a ring, block by block through all GPUs between (src/message/ring_exchange_plan.cpp).
"rings": two queues a dimension, whose chunks go opposite ways. "one-way": one queue, as those scripts have it, so all go one way;
links are alike, so it takes as long as twice the bytes both ways. Fused, each of the 16 parts is a chunk.
"""
import json, os, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NODES, DIMENSION, LAYERS, WIDTH, POOLING = 128, 92, 43, 682, 70
BANDWIDTH, FLOPS = 0.9 * 1638e9, 0.9 * 45.3e12
CHUNKS, SPLITS = 16, 4
WAYS = {"shortest": 0, "rings": 1, "one-way": 2}  # times the bytes that go around rings
ROW, COLUMN = "group: 16, stride: 1", "group: 8, stride: 16"


def operations(batch, chunks, ways):
    vectors = 4 * DIMENSION * batch  # bytes of a GPU's pooled vectors, for all
    forward, backward = vectors * POOLING / BANDWIDTH, 2 * vectors * POOLING / BANDWIDTH  # read; read and written
    weights = 4 * LAYERS * WIDTH * WIDTH
    mlp = max(2 * LAYERS * WIDTH * WIDTH * batch / NODES / FLOPS, weights / BANDWIDTH)
    ops = []

    def add(name, what, stream="main", after=()):
        ops.append(f"  - {{name: {name}, {what}, stream: {stream}, after: [{', '.join(after)}]}}")

    def time(seconds):
        return f"time: {seconds * 1e9:.0f} ns"

    splits = 1 if ways == 0 or chunks > 1 else SPLITS

    def exchange(name, after):
        """One after the other; around columns what has gone around rows. The name of the last."""
        share = f"collective: all-to-all, bytes: {vectors * max(ways, 1) // chunks // splits // 512 * 512} B"
        for s in range(splits):
            if ways == 0:
                add(f"{name}", share, "exchange", after)
                return name
            add(f"{name}-rows{s}", f"{share}, algorithm: ring, {ROW}", "rows", after)
            add(f"{name}-columns{s}", f"{share}, algorithm: ring, {COLUMN}", "columns", [f"{name}-rows{s}"])
        return f"{name}-columns{splits - 1}"

    for c in range(chunks):
        add(f"embeddings{c}", time(forward / chunks))
        there = exchange(f"exchange{c}", [f"embeddings{c}"])
    add("bottom", time(mlp / 2))
    add("top", time(mlp / 2), after=[there])
    half = weights // 2 // 4096 * 4096  # the same for each of 16 and of 8
    for part in ["top", "bottom"]:
        add(f"{part}-backward", time(mlp))
        add(f"{part}-sum-rows", f"collective: reduce-scatter, bytes: {half} B, {ROW}", "gradients", [f"{part}-backward"])
        add(f"{part}-sum-columns", f"collective: all-reduce, bytes: {half // 16} B, {COLUMN}", "gradients")
        add(f"{part}-spread-rows", f"collective: all-gather, bytes: {half} B, {ROW}", "gradients")
    for c in range(chunks):
        back = exchange(f"exchange-back{c}", ["top-backward"])
        add(f"update{c}", time(backward / chunks), after=[back])
    return ops


def run(t3sim, batch, chunks, ways):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(f"name: DLRM, batch {batch}\noperations:\n" + "\n".join(operations(batch, chunks, ways)) + "\n")
        f.flush()
        out = subprocess.run([t3sim, "run", "--machine", "torus-128", "--graph", f.name, "--json", "-q"], check=True,
                             capture_output=True, text=True)
    result = json.loads(out.stdout)
    of = {}
    for o in result["operations"]:
        name = o["name"].rstrip("0123456789")
        if name.startswith("exchange"):
            if name.endswith("-columns"):
                continue  # beside the rows of the next chunk, all but the last
            name = name.removesuffix("-rows").rstrip("0123456789")
        of[name] = of.get(name, 0) + o["time_us"]
    return result["time_us"], of


def main():
    print("ways,batch,bulk_us,fused_us,saved_pct,embeddings_us,exchange_us,mlp_us,exchange_back_us,update_us,sum_gradients_us")
    for ways, times in WAYS.items():
        for batch in [1 << n for n in range(11, 19)]:
            bulk, of = run(sys.argv[1], batch, 1, times)
            fused, _ = run(sys.argv[1], batch, CHUNKS, times)
            mlp = sum(of[m] for m in ["bottom", "top", "top-backward", "bottom-backward"])
            sums = sum(time for name, time in of.items() if "-sum-" in name or "-spread-" in name)
            parts = [of["embeddings"], of["exchange"], mlp, of["exchange-back"], of["update"], sums]
            print(f"{ways},{batch},{bulk:.1f},{fused:.1f},{100 * (1 - fused / bulk):.1f}," + ",".join(f"{p:.1f}" for p in parts))


main()
