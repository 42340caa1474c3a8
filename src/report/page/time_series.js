// The panels as one chart.
const SIDES = { left: 128, right: 28 };
const PANEL = 104, PANEL_GAP = 34, FIRST = 44;  // the first leaves room for the names of phases

function panel_grid(i) { return { ...SIDES, top: FIRST + i * (PANEL + PANEL_GAP), height: PANEL }; }
function panels_height(count) { return FIRST + count * (PANEL + PANEL_GAP) + 6; }

function axis_tooltip(rows) {
  const seen = rows.filter((r) => r.data.from !== null);
  if (seen.length === 0) return "";
  const line = (r) => `${r.marker}${escaped(spoken(r.seriesName))}: <b>${grouped(r.data.value[1], r.data.per === 1 ? 0 : 1)}</b>`;
  return [`from ${grouped(rows[0].data.value[0], 1)} µs`, ...seen.reverse().map(line)].join("<br>");
}

// Says which line is which where there are several. (Shades of DRAM traffic are told above the chart.)
function panel_title(panel, i, scheme) {
  const rich = { t: { fontSize: 13, fontWeight: 600, color: INK }, n: { fontSize: 12, color: SOFT } };
  let text = `{t|${first_upper(panel.title)}}`;
  if (!panel.stacked && panel.lines.size > 1)
    [...panel.lines.keys()].forEach((name, k) => {
      rich["m" + k] = { fontSize: 13, fontWeight: 700, color: line_style(scheme, k).itemStyle.color };
      text += `    {m${k}|${k % 4 < 2 ? "━" : "┅"}}{n| ${name.replaceAll("_", " ")}}`;
    });
  return { text, left: SIDES.left, top: FIRST - 21 + i * (PANEL + PANEL_GAP), padding: 0, textStyle: { rich } };
}

function series_option(scheme, gpu) {
  const panels = panels_of(scheme, gpu), end = duration_of(scheme), axes = panels.map((_, i) => i);
  const last = panels.length - 1;
  return {
    title: panels.map((p, i) => panel_title(p, i, scheme)),
    grid: axes.map(panel_grid),
    xAxis: axes.map((i) => ({ type: "value", gridIndex: i, min: 0, max: end, axisLabel: { show: i === last, showMaxLabel: false, formatter: tick },
                              splitLine: { show: false }, axisPointer: { label: { show: false } } })),
    yAxis: axes.map((i) => ({ type: "value", gridIndex: i, splitNumber: 3, min: 0, max: panels[i].most, axisLabel: { formatter: tick } })),
    axisPointer: { link: [{ xAxisIndex: "all" }] },
    tooltip: { ...TOOLTIP, trigger: "axis", formatter: axis_tooltip },
    dataZoom: [{ type: "inside", xAxisIndex: axes, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false }],
    series: panels.flatMap((p, i) => panel_series(p, i, scheme)).concat(phase_marks(scheme, 24)),
  };
}

// Where a phase begins and what it is called.
function phase_marks(scheme, distance) {
  return { type: "line", name: "phases", data: [], silent: true, tooltip: { show: false },
    markLine: { silent: true, symbol: "none", lineStyle: { color: SOFT, type: "solid", width: 1 },
      label: { position: "end", distance, align: "left", color: SOFT, fontSize: 12, formatter: ({ name }) => name },
      data: phases_of(scheme).map((p) => ({ xAxis: p.start, name: p.name })) } };
}
