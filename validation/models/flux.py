#!/usr/bin/env python3
"""Flux's end-to-end speed-ups (arXiv 2406.06858, section 5.2: training, prefill, decoding of GPT-3 and Llama-2 70B) beside what
follows from graphs of those steps and from the share of the tensor-parallel collectives that its operators hide.

    flux.py T3SIM > flux.csv

A step is run one operator after the other; products by the machine's rates, collectives as messages. Hidden, of the time of the
collectives of tensor parallelism: what Flux says of its operators on each cluster (sections 5.1 and 6), in the mean of all
sizes, and at most. Not said there, and chosen here: sequences of 2,048 (GPT-3) and 4,096 tokens (Llama-2), one at a time, 32 of them
a replica; in decoding a context of 128 tokens. Llama-2 70B has the sizes of Llama 3 70B and 32,000 rows of vocabulary.
"""
import json, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CARD = "memory_bandwidth: 204.8 GB/s, memory_latency: 1 ns, card_latency: 800 ns"
NVLINK = "kind: pcie-tree, outer_bandwidth: {nic}, outer_latency: 500 ns, pcie: {{sockets: 1, gpus_per_socket: 8, cards: {cards}, " + CARD + "}}"
CLUSTERS = {  # the machine, its GPU's endpoint, links of many nodes; hidden of TP's collectives: mean, most (training and prefill), most (decoding)
    "A100 PCIe": ("topologies/a100-pcie-x8", "a100", "outer_bandwidth: 12.5 GB/s, outer_latency: 500 ns", 0.40, 0.57, 0.41),
    "A100 NVLink": ("systems/a100-nvlink-x8", "a100", NVLINK.format(nic="25 GB/s", cards=4), 0.63, 0.96, 0.88),
    "H800 NVLink": ("systems/h800-x8", "h800", NVLINK.format(nic="50 GB/s", cards=8), 0.72, 0.93, 0.0),
}
PUBLISHED = {("A100 PCIe", "training"): 1.24, ("A100 PCIe", "prefill"): 1.46, ("A100 PCIe", "decoding"): 1.28,
             ("A100 NVLink", "training"): 1.05, ("A100 NVLink", "prefill"): 1.45, ("A100 NVLink", "decoding"): 1.30,
             ("H800 NVLink", "training"): 1.10, ("H800 NVLink", "prefill"): 1.66, ("H800 NVLink", "decoding"): 1.00}
MODELS = {  # name in configs/models, sequence, vocabulary; hidden size, width of Q, K and V, of the MLP's first product, of its inside
    "GPT-3": ("gpt-3", 2048, 50257, 12288, 3 * 12288, 49152, 49152),
    "Llama-2 70B": ("llama3-70b", 4096, 32000, 8192, 8192 + 2 * 1024, 2 * 28672, 28672),
}
BATCHES, STAGES, TP, CONTEXT = 32, 8, 8, 128


def run(t3sim, cluster, gpus, graph):
    machine, endpoint, nodes, *_ = CLUSTERS[cluster]
    with open(f"{HERE}/{endpoint}-endpoint.yaml") as f:  # of the GPU: how many channels a machine's library takes is not in it
        times = "".join(line for line in f if not line.strip().startswith("machine:"))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in [("endpoint.yaml", times), ("graph.yaml", graph), ("machine.yaml",
                           f"include: [{ROOT}/configs/{machine}.yaml, endpoint.yaml]\ngpus: {{count: {gpus}, model: message}}\n"
                           + (f"topology: {{{nodes}}}\n" if gpus > 8 else ""))]:
            with open(f"{folder}/{name}", "w") as f:
                f.write(text)
        out = subprocess.run([t3sim, "run", f"{folder}/machine.yaml", "--graph", f"{folder}/graph.yaml", "--json", "-q"],
                             capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(f"{cluster}: {out.stderr}")
    return json.loads(out.stdout)


def transformer(model, more):
    name, _, vocabulary, *_ = MODELS[model]
    return f"gpu_memory: 1 TB\ntransformer: {{model: {name}, vocabulary: {vocabulary}, tp: {TP}, {more}}}\n"


def decoding(model, batch):
    name, _, _, hidden, qkv, up, inside = MODELS[model]
    keys = 2 * 2 * (qkv - hidden) // 2 // TP * batch * CONTEXT  # bytes of keys and values that a GPU reads
    summed = f"collective: all-reduce, bytes: {2 * batch * hidden} B"
    ops = [f"gemm: {batch}x{qkv // TP}x{hidden}", f"moves: {keys} B", f"gemm: {batch}x{hidden}x{hidden // TP}", summed,
           f"gemm: {batch}x{up // TP}x{hidden}", f"moves: {6 * batch * inside // TP} B", f"gemm: {batch}x{hidden}x{inside // TP}", summed]
    return "operations:\n" + "".join(f"  - {{name: op{i}, {what}}}\n" for i, what in enumerate(ops))


def shares(t3sim, cluster, model, phase):
    """Time of a step, and of it what the collectives of tensor parallelism take on the path that decides it."""
    sequence = MODELS[model][1]
    if phase == "training":
        spread = f"sequence: {sequence}, micro_batches: {BATCHES}, pp: {STAGES}, dp: 2, zero: 1"
        result = run(t3sim, cluster, 128, transformer(model, spread))
    elif phase == "prefill":
        result = run(t3sim, cluster, 8, transformer(model, "sequence: 2048, micro_batch: 8, phase: prompt"))
    else:
        result = run(t3sim, cluster, 8, decoding(model, int(phase.split()[1])))
    summed = sum(o["time_us"] for o in result["operations"] if o["what"].startswith("all-reduce") and o["name"] != "gradients")
    if phase == "training":  # all stages together: of each its own, and those of the passes that fill and drain the pipeline
        summed *= (BATCHES + STAGES - 1) / BATCHES / STAGES
    return result["time_us"], summed


def main():
    print("cluster,phase,model,step_us,collectives_us,collectives_pct,speedup_at_mean,speedup_at_most,published_at_most")
    for cluster, (*_, mean, most, decode) in CLUSTERS.items():
        for phase in ["training", "prefill", "decoding 64", "decoding 512"]:
            for model in MODELS:
                step, summed = shares(sys.argv[1], cluster, model, phase)
                kind = phase.split()[0]
                hidden = [decode, decode] if kind == "decoding" else [mean, most]
                gains = [step / (step - h * summed) for h in hidden]
                print(f"{cluster},{phase},{model},{step:.0f},{summed:.0f},{100 * summed / step:.1f},{gains[0]:.2f},{gains[1]:.2f},"
                      f"{PUBLISHED[cluster, kind]:.2f}", flush=True)


main()
