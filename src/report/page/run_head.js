// The question, the answer in a sentence, the machine.
const MACHINE = [
  ["GPUs", "gpus.count"], ["simulated as", "gpus.model"], ["links", "topology.kind"], ["link bandwidth", "topology.bandwidth"],
  ["link latency", "topology.latency"], ["collective", "collective.kind"], ["algorithm", "collective.algorithm"],
  ["CUs", "gpu.cus"], ["GPU clock", "gpu.clock"], ["FLOP per cycle and CU", "gpu.matrix_flops_per_cycle"],
  ["L2", "l2.size"], ["memory channels", "memory.channels"], ["memory clock", "memory.clock"], ["burst", "memory.burst"],
  ["Tracker", "tracker.capacity"], ["reduction", "memory.reduction"],
];

function run_head() {
  const schemes = Object.keys(view.results.schemes);
  const overlap = schemes.some((s) => s !== "kernel" && s !== "sequential");
  const name = named(view.results.workload.name);
  const title = overlap ? el("h1", {}, "What is overlapping worth for ", name, "?") : el("h1", {}, "How long does ", name, " take?");
  return el("header", {}, title, shape(), answer(schemes), machine_facts(data.config, "config.yaml"));
}

function shape() {
  const size = (key) => number_span(result("/workload/" + key, WHOLE) ?? quantity(0, ""));
  return el("p", { class: "soft" }, "A GEMM of ", size("m"), " × ", size("n"), " × ", size("k"), " on each of ", size("gpus"), " GPUs",
    data.config["workload.type"] ? el("span", {}, ", ", setting("workload.type")) : null, ".");
}

function machine_facts(settings, file) {
  const fact = ([label, key]) => settings[key] && el("div", {}, el("dt", {}, label), el("dd", {}, setting(key, settings, file)));
  return el("dl", { class: "facts" }, ...MACHINE.map(fact));
}

// The fastest scheme that is simulated, beside sequential and the ideal.
function answer(schemes) {
  const time = (s) => result(`/schemes/${s}/time_us`, US);
  const fused = schemes.filter((s) => s.startsWith("t3")).sort((a, b) => time(a).value - time(b).value)[0];
  if (!fused || !schemes.includes("sequential")) return null;
  const ideal = schemes.includes("ideal-overlap")
    ? el("span", {}, " With nothing lost, ", scheme_label("ideal-overlap"), " would take ", shown(time("ideal-overlap")), ".") : null;
  return el("p", { class: "answer" }, scheme_label(fused), " takes ", shown(time(fused)), " where ", scheme_label("sequential"),
    " takes ", shown(time("sequential")), ": a speed-up of ", number_span(result(`/schemes/${fused}/speedup`, RATIO)), ".", ideal);
}
