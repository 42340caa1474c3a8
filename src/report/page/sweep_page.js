// The page of a sweep: maps and curves over its axes, and a way to every point.
const MOST_PANELS = 16;

// What was chosen to be shown, so that coming back from a point finds it again.
const CHOSEN = {};

function sweep_page() {
  document.title = `${data.name}: t3sim`;
  const axes = (CHOSEN.axes ??= free_axes()), schemes = sweep_schemes();
  const parts = [sweep_head(axes), failures_section()];
  if (data.rows.length > 0) {
    if (axes.length > 1) parts.push(map_section(axes, schemes));
    if (axes.length > 0) parts.push(curves_section(axes, schemes));
    parts.push(rows_section(axes, schemes));
  }
  const [version, ...commit] = data.about.program.split(" ");
  return [...parts, footer(version, commit.join(" "))];
}

function sweep_head(axes) {
  const fact = (axis) => el("div", {}, el("dt", {}, column_title(axis.name)), el("dd", {}, named(axis.values.map(axis_value_text).join(", "))));
  const points = el("span", { class: "number", "data-from": "plan.jsonl#points" }, String(data.points.length));
  return el("header", {}, el("h1", {}, "What is overlapping worth? The sweep ", named(data.name)),
    workload_line(common_settings()), el("p", { class: "soft" }, points, data.points.length === 1 ? " point" : " points"),
    el("dl", { class: "facts wide" }, ...axes.map(fact)), el("h3", {}, "The machine, the same at all points"), machine_facts(common_settings(), "plan.jsonl"));
}

// What every point multiplies; what the axes vary is left open.
function workload_line(settings) {
  const size = (key) => setting("workload." + key, settings, "plan.jsonl") ?? key.toUpperCase();
  const name = setting("workload.name", settings, "plan.jsonl");
  return el("p", { class: "soft" }, name && settings["workload.name"] !== "unnamed" ? el("span", {}, named(settings["workload.name"]), ": a") : "A",
    " GEMM of ", size("m"), " × ", size("n"), " × ", size("k"), ", ", settings["collective.kind"] ?? "several collectives", ".");
}

function failures_section() {
  const failed = data.points.map((point, i) => ({ point, i })).filter(({ point }) => point.failed !== undefined);
  if (failed.length === 0) return null;
  return section("Points that failed",
    table(["point", "which", "why"], failed.map(({ point, i }) => [point_link(i), named(point.label), named(point.failed.trim())]), 3));
}

function point_link(point, text = String(point)) { return el("a", { href: "#point-" + point, class: "name" }, text); }

function select(title, values, value, chosen, label = (v) => v) {
  const option = (v) => el("option", { value: values.indexOf(v), selected: v === value }, label(v));
  return el("label", {}, el("span", { class: "soft" }, title, " "),
    el("select", { onchange: (event) => chosen(values[event.target.value]) }, ...values.map(option)));
}

function rows_section(axes, schemes) {
  const columns = ["time_us", "speedup"].concat(data.columns.filter((c) => /^(?!time).*_us$/.test(c)), "link_bytes");
  const rows = data.points.flatMap((point, i) => schemes.filter((s) => row_of(i, s) !== undefined).map((s) =>
    [point_link(i), ...axes.map((a) => named(axis_value_text(point.values[a.at]))), scheme_label(s), ...columns.map((c) => cell_of(i, s, c))]));
  return section("All results", folded("Every point and scheme, as a table", table(
    ["point", ...axes.map((a) => column_title(a.name)), "scheme", ...columns.map(value_title)], rows)));
}
