// Bars of the schemes: how long, and where the time went.

// The phases of a scheme as [key, lane, lanes, start_us]. Where a scheme is max(GEMM, RS) + the rest, those two lie side by
// side.
function laid_out(scheme) {
  const { phases, time_us } = view.results.schemes[scheme];
  const keys = Object.keys(phases);
  const sum = keys.reduce((s, key) => s + phases[key], 0);
  const beside = Math.abs(sum - time_us) < 1e-6 * time_us ? [] : keys.filter((k) => ["gemm", "rs", "a2a", "ag"].includes(part_of(k))).slice(0, 2);
  let at = 0;
  const parts = [];
  for (const key of keys) {
    const lane = Math.max(0, beside.indexOf(key));
    parts.push({ key, lane, lanes: beside.includes(key) ? 2 : 1, start: at });
    if (!beside.includes(key)) at += phases[key];
    else if (lane === 1) at += Math.max(...beside.map((k) => phases[k]));
  }
  return parts;
}

function bar_item(scheme, part, row) {
  const q = result(`/schemes/${scheme}/phases/${part.key}`, US);
  return { value: [part.start, part.start + q.value, row, part.lane, part.lanes], name: spoken(part.key), from: q.from, shows: q.value,
           text: text_of(q), scheme, key: part.key };
}

function draw_bar(items) {
  return (params, api) => {
    const item = items[params.dataIndex];
    const [left, y] = api.coord([api.value(0), api.value(2)]);
    const [right] = api.coord([api.value(1), api.value(2)]);
    const full = api.size([0, 1])[1] * 0.66, height = full / api.value(4);
    const fill = shade(scheme_colour(item.scheme), share_of(item.key));
    const shape = { x: left, y: y - full / 2 + api.value(3) * height, width: Math.max(right - left, 0.5), height };
    const words = [`${item.name}  ${item.text}`, item.name, ""].find((t) => t.length * 6.6 < shape.width - 8);
    return { type: "rect", shape, style: { fill, stroke: PAPER, lineWidth: 1 },
             textContent: { style: { text: words, fill: ink_on(fill), fontFamily: FONT.fontFamily, fontSize: height < 18 ? 11 : 12 } },
             textConfig: { position: "inside" } };
  };
}

function total_item(scheme, row) {
  const time = result(`/schemes/${scheme}/time_us`, US), speedup = result(`/schemes/${scheme}/speedup`, RATIO);
  return { value: [time.value, row], from: time.from, shows: time.value, text: `${text_of(time)}${is_narrow() ? "\n" : "   "}×${digits_of(speedup)}` };
}

function draw_total(items) {
  return (params, api) => {
    const [x, y] = api.coord([api.value(0), api.value(1)]);
    return { type: "text", x: x + 8, y, style: { text: items[params.dataIndex].text, fill: INK, fontFamily: FONT.fontFamily, fontSize: is_narrow() ? 11 : 13, fontWeight: 600, verticalAlign: "middle" } };
  };
}

function schemes_chart(schemes) {
  const bars = schemes.flatMap((s, row) => laid_out(s).map((part) => bar_item(s, part, row)));
  const totals = schemes.map(total_item);
  return chart("Time of each scheme in microseconds, by phase", schemes.length * 46 + 54, {
    grid: is_narrow() ? { left: 104, right: 74, top: 8, bottom: 42 } : { left: 128, right: 150, top: 8, bottom: 42 },
    xAxis: { type: "value", splitNumber: is_narrow() ? 2 : 5, name: "µs", nameLocation: "middle", nameGap: 26, min: 0, axisLabel: { formatter: tick } },
    yAxis: { type: "category", data: schemes, inverse: true, axisTick: { show: false }, axisLine: { show: false }, axisLabel: scheme_axis_label(schemes) },
    tooltip: { ...TOOLTIP, trigger: "item", formatter: ({ data: d }) => `${escaped(d.scheme)}<br>${escaped(d.name)}: <b>${d.text}</b>` },
    series: [
      { type: "custom", name: "phases", encode: { x: [0, 1], y: 2 }, renderItem: draw_bar(bars), data: bars },
      { type: "custom", name: "totals", silent: true, clip: false, encode: { x: 0, y: 1 }, renderItem: draw_total(totals), data: totals },
    ],
  });
}

function schemes_section() {
  const schemes = Object.keys(view.results.schemes);
  const phases = [...new Set(schemes.flatMap((s) => Object.keys(view.results.schemes[s].phases)))];
  const rows = schemes.map((s) => [scheme_label(s), result(`/schemes/${s}/time_us`, US), result(`/schemes/${s}/speedup`, RATIO),
    ...phases.map((p) => result(`/schemes/${s}/phases/${p}`, US)), result(`/schemes/${s}/link_bytes`, MB)]);
  const computed = schemes.some((s) => s.startsWith("ideal"));
  return section("How long each scheme takes, and where the time goes", schemes_chart(schemes),
    computed ? el("p", { class: "note" }, "Ideal schemes are no runs but sums over isolated ones: the longer of two that lie side by side, and what follows.") : null,
    table(["scheme", "time µs", "speed-up", ...phases.map((p) => spoken(p) + " µs"), "sent MB a GPU"], rows));
}
