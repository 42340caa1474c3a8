// Two or more runs, or sweeps, side by side. Every number is one of `t3sim compare --json`.
const GROUPS = { time: "How long each scheme takes", bytes: "Which bytes move", gap: "Why the overlap falls short of the ideal",
                 utilisation: "What each phase uses", counters: "Counters" };
function form_of_unit(unit) { return { us: US, bytes: MB, share: SHARE, x: RATIO, 1: WHOLE }[unit] ?? { digits: 1 }; }
const RUN_SHADES = [1, 0.62, 0.38, 0.8, 0.25];

function letter(i) { return String.fromCharCode(65 + i); }
function compared(pointer, form) {
  const value = pointer.split("/").slice(1).reduce((at, key) => at?.[key], data);
  return typeof value === "number" ? quantity(value, "comparison#" + pointer, form) : null;
}

function comparison_head(title) {
  const names = data.names.map((name, i) => el("div", {}, el("dt", {}, letter(i)), el("dd", {}, named(name), data.workloads ? el("span", {}, ": ", named(data.workloads[i])) : null)));
  return el("header", {}, el("h1", {}, title), el("dl", { class: "facts wide" }, ...names));
}

function comparison_config() {
  if (data.config.length === 0) return section("Configuration", el("p", {}, "The configurations are the same."));
  const value = (text) => named(text === null ? "–" : text === "" ? "(nothing)" : text);
  return section("What differs in the configuration",
    table(["key", ...data.names.map((_, i) => letter(i))], data.config.map(({ key, values }) => [named(key), ...values.map(value)])));
}

// A row of data.rows at its place there, as cells of a table.
function compared_row(index) {
  const row = data.rows[index], form = form_of_unit(row.unit);
  const unit = form.unit ?? (row.unit === "share" ? "%" : row.unit === "x" || row.unit === "1" ? "" : row.unit);
  const change = row.group === "gap" ? { digits: 2 } : { per: 0.01, digits: 1 };
  return [el("span", {}, row.scheme ? scheme_label(row.scheme) : null, " ", named(spoken_row(row))), unit,
          ...data.names.map((_, i) => compared(`/rows/${index}/values/${i}`, form)), ...data.names.slice(1).map((_, i) => compared(`/rows/${index}/change/${i + 1}`, change))];
}

const ROW_WORDS = { fused: "fused phase", gemm: "GEMM", rs: "RS", ag: "AG", a2a: "all-to-all" };
function spoken_row({ name }) { return name.split(" ").map((word) => ROW_WORDS[word] ?? word.replaceAll("_", " ")).join(" "); }

// A run without the scheme says nothing.
function differing(values) { return new Set(values.filter((v) => v !== null)).size > 1; }

// In MB with one digit.
function reads_as_nothing({ unit, values }) { return unit === "bytes" && values.every((v) => v === null || Math.abs(v) < 5e4); }

function comparison_group(group) {
  const rows = data.rows.map((row, i) => ({ row, i })).filter(({ row }) => row.group === group && !reads_as_nothing(row));
  if (rows.length === 0) return null;
  const is_shown = ({ row }) => differing(row.values) || row.name === "total";
  const shown_rows = rows.filter(is_shown), same = rows.filter((r) => !is_shown(r) && r.row.values.some((v) => v));
  const change = group === "gap" ? "µs more than A" : "% to A";
  const heads = ["", "", ...data.names.map((_, i) => letter(i)), ...data.names.slice(1).map((_, i) => `${letter(i + 1)}, ${change}`)];
  const of = (list) => table(heads, list.map(({ i }) => compared_row(i)));
  return section(GROUPS[group], group === "time" ? comparison_chart() : null,
    shown_rows.length > 0 ? of(shown_rows) : el("p", { class: "note" }, "The same in all."),
    same.length > 0 ? folded("What is the same in all", of(same)) : null);
}

// Bars of the schemes' times, one per run.
function comparison_chart() {
  const totals = data.rows.map((row, i) => ({ row, i })).filter(({ row }) => row.group === "time" && row.name === "total");
  const schemes = totals.map(({ row }) => row.scheme);
  const item = ({ row, i }, run) => {
    const q = compared(`/rows/${i}/values/${run}`, US);
    return q ? { value: q.value, from: q.from, text: `${letter(run)}  ${text_of(q)}`, itemStyle: { color: shade(scheme_colour(row.scheme), RUN_SHADES[run % RUN_SHADES.length]) } }
             : { value: 0, from: null, text: "" };
  };
  const series = data.names.map((_, run) => ({ type: "bar", name: letter(run), barMaxWidth: 18, data: totals.map((t) => item(t, run)),
    label: { show: true, position: "right", formatter: ({ data: d }) => d.text, color: INK, fontSize: is_narrow() ? 11 : 12 } }));
  return chart("Time of each scheme in each run, in microseconds", schemes.length * (18 + 20 * data.names.length) + 54, {
    grid: is_narrow() ? { left: 104, right: 84, top: 8, bottom: 42 } : { left: 128, right: 110, top: 8, bottom: 42 },
    xAxis: { type: "value", min: 0, splitNumber: is_narrow() ? 2 : 5, name: "µs", nameLocation: "middle", nameGap: 26, axisLabel: { formatter: tick } },
    yAxis: { type: "category", data: schemes, inverse: true, axisTick: { show: false }, axisLine: { show: false }, axisLabel: scheme_axis_label(schemes) },
    tooltip: { ...TOOLTIP, trigger: "item", formatter: ({ name, data: d }) => `${escaped(name)}<br><b>${d.text}</b>` },
    series,
  });
}

function comparison_limits() {
  const rows = data.limited_by.filter(({ scheme }) => !scheme.startsWith("ideal"));
  if (rows.length === 0) return null;
  return section("What limits each phase", table(["phase", ...data.names.map((_, i) => letter(i))],
    rows.map(({ scheme, phase, values }) => [el("span", {}, scheme_label(scheme), " ", spoken_row({ name: phase })),
      ...values.map((v) => (v === null ? "–" : (LIMITS[v] ?? [v])[0]))])));
}

// Of programs: how long each command takes, the mean over all that have this stream, kind and name.
function comparison_commands() {
  if (!data.commands?.length) return null;
  const time = (k, i) => {
    const q = compared(`/commands/${k}/values/${i}`, { digits: 2 }), count = compared(`/commands/${k}/counts/${i}`, WHOLE);
    return q && count.value > 1 ? el("span", {}, number_span(count), " × ", number_span(q)) : q;
  };
  const others = data.names.slice(1).map((_, i) => i + 1);
  const row = ({ stream, kind, command }, k) => [named(stream), kind, named(command), ...data.names.map((_, i) => time(k, i)), ...others.map((i) => compared(`/commands/${k}/change/${i}`, SHARE))];
  return section("How long each command takes", el("p", { class: "note" }, "In µs; of commands that differ in numbers only (#), on all GPUs, how many there are and their mean."),
    table(["stream", "kind", "command", ...data.names.map((_, i) => letter(i)), ...others.map((i) => `${letter(i)}, % to A`)], data.commands.map(row), 3));
}

function comparison_page() {
  document.title = `${data.names.join(", ")}: t3sim`;
  return [comparison_head("What differs between these runs?"), comparison_config(), ...Object.keys(GROUPS).map(comparison_group), comparison_commands(), comparison_limits(),
          comparison_footer()];
}

function comparison_footer() {
  return el("footer", {}, el("p", { class: "note" }, "Changes are against A. Every number here is one of ", el("code", {}, "t3sim compare --json"), ", in other units at most."));
}

function sweep_comparison_page() {
  document.title = `${data.names.join(", ")}: t3sim`;
  const number = (pointer, form) => compared(pointer, form);
  const others = data.names.slice(1).map((_, i) => i + 1);
  const schemes = data.schemes.map(({ scheme }, k) => [scheme_label(scheme), number(`/schemes/${k}/points`, WHOLE),
    ...others.flatMap((i) => ["mean", "least", "most"].map((what) => number(`/schemes/${k}/${what}/${i}`, RATIO)))]);
  const rows = data.rows.map(({ axes, scheme }, k) => [...data.axes.map((a) => named(axes[a])), scheme_label(scheme),
    ...data.names.map((_, i) => number(`/rows/${k}/time_us/${i}`, US))]);
  return [comparison_head("What differs between these sweeps?"), comparison_config(),
    section("Time over that of A", el("p", { class: "soft" }, shown(number("/points/common", WHOLE)), " points are in all of them. Means are geometric."),
      table(["scheme", "points", ...others.flatMap((i) => ["mean", "least", "most"].map((what) => `${letter(i)} ${what}`))], schemes)),
    section("All points", folded("Every point and scheme", table([...data.axes.map(column_title), "scheme", ...data.names.map((_, i) => `${letter(i)} µs`)], rows, data.axes.length + 1))),
    comparison_footer()];
}
