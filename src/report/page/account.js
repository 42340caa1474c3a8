// Where the matrix units' time went (rows of component "kernel" of stats.csv).
const ACCOUNT = ["time_matrix_useful", "time_issue", "time_tile_quantisation", "time_launch", "time_prologue", "time_waiting_loads", "time_output_write"];

function account_section() {
  const rows = [], seen = new Set();
  for (const [gpu, component, , , , scheme, phase] of data.stats) {
    const id = [scheme, phase, gpu].join("|");
    if (component !== "kernel" || gpu !== 0 || seen.has(id)) continue;
    seen.add(id);
    rows.push([scheme_label(scheme), named(phase), stat(scheme, phase, gpu, "kernel", "time", US),
               ...ACCOUNT.map((n) => stat(scheme, phase, gpu, "kernel", n, US))]);
  }
  if (rows.length === 0) return null;
  return section("What the matrix units did",
    el("p", { class: "note" }, "Mean over the CUs of one GPU, in µs; the parts add up to the kernel’s time."),
    table(["scheme", "phase", "kernel", ...ACCOUNT.map((n) => n.replace("time_", "").replaceAll("_", " "))], rows, 2));
}

let stats_index = null;
function stat(scheme, phase, gpu, component, name, form) {
  stats_index ??= new Map(data.stats.map((r) => [[r[5], r[6], r[0], r[1], r[2]].join("|"), r[3]]));
  const id = [scheme, phase, gpu, component, name].join("|");
  return stats_index.has(id) ? quantity(stats_index.get(id), "stats.csv#" + id, form) : null;
}
