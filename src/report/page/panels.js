// Series of a scheme and a GPU as panels above one time axis: DRAM traffic, links, and whatever else series.csv has, a
// panel a component and unit.
const PANEL_TITLES = { dram: "DRAM queues", tracker: "Tracker", dma: "DMA" };

function panel_of(series) {
  if (series.component.startsWith("link") && series.name === "use") return { id: "use", title: "links, share of time in use", most: 1 };
  if (series.unit === "bytes")
    return series.component === "dram" ? { id: "dram", title: "DRAM, GB/s", stacked: true, rate: true }
                                       : { id: "links", title: "links, GB/s", rate: true };
  const unit = series.unit === "1" ? "" : ", " + series.unit;
  return { id: series.component + series.unit, title: (PANEL_TITLES[series.component] ?? series.component.replaceAll("_", " ")) + unit };
}

function panels_of(scheme, gpu) {
  const phases = Object.fromEntries(phases_of(scheme).map((p) => [p.name, p]));
  const panels = new Map();
  for (const series of data.series) {
    if (series.scheme !== scheme || series.gpu !== gpu || !(series.phase in phases)) continue;
    const panel = panel_of(series);
    if (!panels.has(panel.id)) panels.set(panel.id, { ...panel, lines: new Map() });
    const lines = panels.get(panel.id).lines;
    const name = series.component.startsWith("link") ? series.component : series.name.replace(/_bytes$/, "");
    if (!lines.has(name)) lines.set(name, []);
    const { start, end } = phases[series.phase];
    const points = points_of(series, start, panel.rate).filter((p) => p.value[0] < end);  // the L2 writes back beyond it
    const after = Math.min(points.at(-1).value[0] + series.interval_us, end);
    lines.get(name).push(...points, { value: [after, 0], from: null });
  }
  for (const panel of panels.values()) align(panel, duration_of(scheme));
  return [...panels.values()].sort((a, b) => rank(a) - rank(b));
}

const RANKS = { dram: 0, drambursts: 1, links: 2, use: 3 };
function rank(panel) { return RANKS[panel.id] ?? 4; }

// A point at the start of each interval; bytes as a rate.
function points_of(series, offset, rate) {
  const from = ["series.csv#" + series.scheme, series.phase, series.gpu, series.component, series.name].join("|");
  return series.values.map((value, i) => {
    const start = series.start_us + i * series.interval_us;
    const per = rate ? series.interval_us * 1000 : 1;
    return { value: [offset + start, value / per], from: `${from}|${i}`, per };
  });
}

// The same times in every line of a panel, so that lines can be stacked; where the file says nothing, nothing moved or
// waited. Where a phase ends the next one begins, and its points win.
function align(panel, end) {
  const times = [...new Set([...panel.lines.values()].flatMap((points) => points.map((p) => p.value[0])))].filter((t) => t <= end).sort((a, b) => a - b);
  for (const [name, points] of panel.lines) {
    const at = new Map(points.filter((p) => p.value[0] <= end).sort((a, b) => (a.from !== null) - (b.from !== null)).map((p) => [p.value[0], p]));
    const all = times.map((t) => at.get(t) ?? { value: [t, 0], from: null });
    all.push({ value: [Math.max(end, times.at(-1)), all.at(-1).value[1]], from: null });
    panel.lines.set(name, all);
  }
}

// Diagonal white lines on the colour: writes.
function hatched(colour) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const g = tile.getContext("2d");
  g.fillStyle = colour;
  g.fillRect(0, 0, 6, 6);
  g.strokeStyle = "rgba(255,255,255,0.8)";
  g.lineWidth = 1.4;
  for (const x of [-3, 3, 9]) { g.beginPath(); g.moveTo(x - 4, 7); g.lineTo(x + 4, -1); g.stroke(); }
  return { image: tile, repeat: "repeat" };
}

function stacked_style(scheme, name) {
  const colour = shade(scheme_colour(scheme), share_of(name));
  return { lineStyle: { width: 0 }, areaStyle: { color: /_write$/.test(name) ? hatched(colour) : colour, opacity: 1 }, itemStyle: { color: colour } };
}

function line_style(scheme, i) {
  const colour = shade(scheme_colour(scheme), [1, 0.5, 0.8, 0.4][i % 4]);
  return { lineStyle: { width: 1.5, color: colour, type: ["solid", "dashed"][Math.floor(i / 2) % 2] }, itemStyle: { color: colour },
           areaStyle: i === 0 ? { color: colour, opacity: 0.12 } : undefined };
}

function panel_series(panel, index, scheme) {
  return [...panel.lines].map(([name, points], i) => ({
    type: "line", name, xAxisIndex: index, yAxisIndex: index, step: "end", symbol: "none", data: points, panel: panel.id,
    stack: panel.stacked ? panel.id : undefined, ...(panel.stacked ? stacked_style(scheme, name) : line_style(scheme, i)),
    ...(panel.id === "links" && i === 0 ? { markLine: link_limit() } : {}),
  }));
}

function link_limit() {
  const text = data.config["topology.bandwidth"] ?? "", value = parseFloat(text);
  if (!text.endsWith(" GB/s") || !(value > 0)) return undefined;
  return { silent: true, symbol: "none", lineStyle: { color: SOFT, type: "dashed" }, label: { formatter: text, position: "insideEndTop", color: SOFT },
           data: [{ yAxis: value }] };
}
