#!/usr/bin/env python3
"""DLRM on 128 nodes (Table II and Figure 15 of the fused-operators paper): what overlap of embeddings and all-to-all saves of a pass.

    dlrm.py T3SIM > dlrm.csv

The network and the model are Table II's. What it does not say, and is said here: the batch (all of those below), a table a GPU,
FP32, and the GPU: MI210's data sheet, at 90 % of its memory bandwidth and of its FP32 matrix rate. Fused, the embeddings are CHUNKS
parts, each followed by its part of the all-to-all; in the backward pass the other way round. The order is that of DLRM and of
ASTRA-sim, in both alike: the bottom MLP (half of the layers; Table II does not split them) runs beside the all-to-all, forward and
backward, and the gradients of each MLP are summed along both dimensions of the torus once they are there.

"shortest": all-to-all by shortest ways, ours. "rings": with the load of ASTRA-sim's, where each part goes around its ring one way,
(N - 1) / 2 hops on average, and by the shortest way N / 4. It is run as that many more bytes.
"""
import json, os, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NODES, DIMENSION, LAYERS, WIDTH, POOLING = 128, 92, 43, 682, 70
BANDWIDTH, FLOPS = 0.9 * 1638e9, 0.9 * 45.3e12
CHUNKS = 16
WAYS = {"shortest": 1.0, "rings": 2 * 15 / 16}  # bytes x hops on the longer dimension, 16, beside the shortest ways


def operations(batch, chunks, hops):
    vectors = 4 * DIMENSION * batch  # bytes of a GPU's pooled vectors, for all
    forward, backward = vectors * POOLING / BANDWIDTH, 2 * vectors * POOLING / BANDWIDTH  # read; read and written
    weights = 4 * LAYERS * WIDTH * WIDTH
    mlp = max(2 * LAYERS * WIDTH * WIDTH * batch / NODES / FLOPS, weights / BANDWIDTH)
    ops = []

    def add(name, what, stream="main", after=()):
        ops.append(f"  - {{name: {name}, {what}, stream: {stream}, after: [{', '.join(after)}]}}")

    def time(seconds):
        return f"time: {seconds * 1e9:.0f} ns"

    exchange = f"collective: all-to-all, bytes: {int(vectors * hops) // chunks // 512 * 512} B"
    for c in range(chunks):
        add(f"embeddings{c}", time(forward / chunks))
        add(f"exchange{c}", exchange, "exchange", [f"embeddings{c}"])
    add("bottom", time(mlp / 2))
    add("top", time(mlp / 2), after=[f"exchange{chunks - 1}"])
    row, column = "group: 16, stride: 1", "group: 8, stride: 16"
    half = weights // 2 // 4096 * 4096  # the same for each of 16 and of 8
    for part in ["top", "bottom"]:
        add(f"{part}-backward", time(mlp))
        add(f"{part}-sum-rows", f"collective: reduce-scatter, bytes: {half} B, {row}", "gradients", [f"{part}-backward"])
        add(f"{part}-sum-columns", f"collective: all-reduce, bytes: {half // 16} B, {column}", "gradients")
        add(f"{part}-spread-rows", f"collective: all-gather, bytes: {half} B, {row}", "gradients")
    for c in range(chunks):
        add(f"exchange-back{c}", exchange, "exchange", ["top-backward"])
        add(f"update{c}", time(backward / chunks), after=[f"exchange-back{c}"])
    return ops


def run(t3sim, batch, chunks, hops):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(f"name: DLRM, batch {batch}\noperations:\n" + "\n".join(operations(batch, chunks, hops)) + "\n")
        f.flush()
        out = subprocess.run([t3sim, "run", "--machine", "torus-128", "--graph", f.name, "--json", "-q"], check=True,
                             capture_output=True, text=True)
    result = json.loads(out.stdout)
    of = {}
    for o in result["operations"]:
        name = o["name"].rstrip("0123456789")
        of[name] = of.get(name, 0) + o["time_us"]
    return result["time_us"], of


def main():
    print("ways,batch,bulk_us,fused_us,saved_pct,embeddings_us,exchange_us,mlp_us,exchange_back_us,update_us,sum_gradients_us")
    for ways, hops in WAYS.items():
        for batch in [1 << n for n in range(11, 19)]:
            bulk, of = run(sys.argv[1], batch, 1, hops)
            fused, _ = run(sys.argv[1], batch, CHUNKS, hops)
            mlp = sum(of[m] for m in ["bottom", "top", "top-backward", "bottom-backward"])
            sums = sum(time for name, time in of.items() if "-sum-" in name or "-spread-" in name)
            parts = [of["embeddings"], of["exchange"], mlp, of["exchange-back"], of["update"], sums]
            print(f"{ways},{batch},{bulk:.1f},{fused:.1f},{100 * (1 - fused / bulk):.1f}," + ",".join(f"{p:.1f}" for p in parts))


main()
