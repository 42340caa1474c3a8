// The axes of a sweep and its rows.

// Columns whose values tell the points apart: not those that never change, nor those that follow from others before them
// (what a preset sets, what is zipped).
function free_axes() {
  const chosen = [];
  const values = (i) => data.points.map((p) => p.values[i]);
  data.axes.forEach((name, i) => {
    const of_chosen = new Map();
    const follows = data.points.every((p) => {
      const id = JSON.stringify(chosen.map((axis) => p.values[axis.at]));
      if (!of_chosen.has(id)) of_chosen.set(id, p.values[i]);
      return of_chosen.get(id) === p.values[i];
    });
    if (!follows) chosen.push({ name, at: i, values: ordered([...new Set(values(i))]) });
  });
  return chosen.map((axis) => ({ ...axis, numeric: axis.values.every((v) => typeof v === "number") }));
}

function ordered(values) { return values.every((v) => typeof v === "number") ? values.sort((a, b) => a - b) : values; }

// "topology_bandwidth_GBps" -> "topology bandwidth, GB/s"
const COLUMN_UNITS = { GBps: "GB/s", us: "µs", ns: "ns", bytes: "bytes", GHz: "GHz", MHz: "MHz", KiB: "KiB", MiB: "MiB", GiB: "GiB" };
function column_title(name) {
  const words = name.split("_"), unit = COLUMN_UNITS[words.at(-1)];
  return unit && words.length > 1 ? `${words.slice(0, -1).join(" ")}, ${unit}` : words.join(" ");
}

// "workload_m" -> "m", "gpus_count" -> "gpus": where there is little room.
function short_title(name) {
  const [section, ...key] = name.split("_").filter((word) => !COLUMN_UNITS[word]);
  return key.length === 0 || key[0] === "count" ? section : key.join(" ");
}

function axis_value_text(value) { return typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value); }

function column_at(name) { return data.columns.indexOf(name); }
function sweep_schemes() { return [...new Set(data.rows.map((row) => row[column_at("scheme")]))]; }

// What can be shown: numbers of the results, of the time first.
function value_columns() {
  return data.columns.slice(column_at("scheme") + 1).filter((name) => data.rows.some((row) => typeof row[column_at(name)] === "number"))
    .sort((a, b) => (b === "speedup") - (a === "speedup"));
}

// Row of a point and scheme, by "point|scheme".
let rows_index = null;
function row_of(point, scheme) {
  rows_index ??= new Map(data.rows.map((row, i) => [row[column_at("point")] + "|" + row[column_at("scheme")], i]));
  return rows_index.get(point + "|" + scheme);
}

// A cell of results.csv as a quantity; nothing if there is none.
function cell_of(point, scheme, column, form) {
  const row = row_of(point, scheme), value = row === undefined ? null : data.rows[row][column_at(column)];
  return typeof value === "number" ? quantity(value, `results.csv#${row}|${column}`, form ?? form_of(column)) : null;
}

function form_of(column) {
  if (column === "speedup") return { digits: 2 };
  if (column.endsWith("_us")) return US;
  if (/^(dram_.*_bytes|link_bytes)$/.test(column)) return MB;
  return WHOLE;
}

function value_title(column) {
  const form = form_of(column);
  return column_title(column.replace(/_(us|bytes)$/, "")) + (form.unit ? ", " + form.unit : "");
}

// The configuration of a point, as config.yaml has it.
function config_lines(point) {
  const lines = [...data.config];
  for (const [line, text] of Object.entries(data.differs[point])) lines[line] = text;
  return lines.filter((line) => line !== null);
}

// Its settings by key: "gpu.clock": "1.4 GHz". `lines` are as t3sim writes them: two blanks a level, a key a line.
function settings_of(lines) {
  const settings = {}, path = [];
  for (const line of lines) {
    const [, blanks, key, value] = line.match(/^( *)([^:]+):\s*(.*)$/) ?? [];
    if (key === undefined) continue;
    path.splice(blanks.length / 2, Infinity, key);
    if (value) settings[path.join(".")] = value.replace(/^"(.*)"$/, "$1");
  }
  return settings;
}

// Those that are alike at all points.
function common_settings() {
  const varied = new Set(data.differs.flatMap((d) => Object.keys(d)));
  const all = settings_of(data.config), left = settings_of(data.config.map((line, i) => (varied.has(String(i)) ? line.replace(/: .*/, ": ~") : line)));
  return Object.fromEntries(Object.entries(all).filter(([key, text]) => left[key] === text));
}
