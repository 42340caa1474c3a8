// Curves over one axis, one a scheme, the other axes held.
function curves_section(axes, schemes) {
  const columns = value_columns();
  const state = (CHOSEN.curves ??= { x: axes.length > 1 ? map_axes(axes)[0] : axes[0], value: columns[0], held: new Map() });
  const place = el("div"), controls = el("fieldset", { class: "controls" });
  const again = () => { drop_chart(place); draw(); start_charts(); };
  const draw = () => {
    const others = axes.filter((a) => a !== state.x), usual = fullest(others);
    const hold = others.map((a) => [a, state.held.get(a) ?? usual.get(a)]);
    const title = (axis) => column_title(axis.name);
    controls.replaceChildren(select("show", columns, state.value, (v) => { state.value = v; again(); }, value_title),
      ...(axes.length > 1 ? [select("over", axes, state.x, (v) => { state.x = v; again(); }, title)] : []),
      ...hold.map(([a, v]) => select(title(a), a.values, v, (w) => { state.held.set(a, w); again(); }, axis_value_text)));
    place.replaceChildren(curves_chart(state, hold, schemes));
  };
  draw();
  return section("Over one axis", controls, place);
}

// Values of these axes at which most points lie: a sweep may leave out combinations.
function fullest(axes) {
  const counts = new Map();
  for (const { values } of data.points) {
    const id = JSON.stringify(axes.map((a) => values[a.at]));
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const [id] = [...counts].reduce((a, b) => (b[1] >= a[1] ? b : a));
  return new Map(JSON.parse(id).map((v, i) => [axes[i], v]));
}

// Values whose ratios vary less than their differences lie on a log axis.
function is_log(values) {
  if (values.length < 3 || !values.every((v) => typeof v === "number" && v > 0)) return false;
  const spread = (list) => Math.max(...list) / Math.min(...list);
  return spread(values.slice(1).map((v, i) => v / values[i])) < spread(values.slice(1).map((v, i) => v - values[i]));
}

function curves_chart(state, hold, schemes) {
  const { x } = state, points = points_where(hold), log = x.numeric && is_log([...x.values]);
  const place_of = (v) => (x.numeric ? v : x.values.indexOf(v));
  // Curves may coincide: what lies beneath shows between the dashes of what lies above.
  const series = schemes.map((scheme, s) => ({
    type: x.numeric ? "line" : "bar", name: scheme, symbol: scheme_symbol(scheme), symbolSize: 9, lineStyle: { color: scheme_colour(scheme), width: 2, type: ["solid", [10, 6], [3, 5]][s % 3] }, itemStyle: { color: scheme_colour(scheme) },
    data: points.map(({ point, i }) => {
      const q = cell_of(i, scheme, state.value);
      return q && { value: [place_of(point.values[x.at]), q.value / q.per], from: q.from, per: q.per, point: i, text: text_of(q) };
    }).filter((d) => d).sort((a, b) => a.value[0] - b.value[0]),
  })).filter((s) => s.data.length > 0);
  const numeric = { type: log ? "log" : "value", scale: true, min: x.values[0], max: x.values.at(-1), axisLabel: { show: false }, axisTick: { show: false }, splitLine: { show: false } };
  const box = chart(`${value_title(state.value)} over ${column_title(x.name)}, a curve for each scheme`, 340, {
    legend: { top: 0, ...(is_narrow() ? { left: 0, itemGap: 6 } : {}), data: series.map((s) => s.name), textStyle: { color: INK, fontSize: 13 } },
    grid: { left: is_narrow() ? 52 : 84, right: is_narrow() ? 18 : 40, top: is_narrow() ? 86 : 40, bottom: 52 },
    xAxis: { name: column_title(x.name), nameLocation: "middle", nameGap: 30, ...(x.numeric ? value_axis(numeric, x.values) : { type: "category", data: x.values }) },
    yAxis: { type: "value", name: value_title(state.value), nameTextStyle: { align: "left" }, axisLabel: { formatter: tick } },
    tooltip: { ...TOOLTIP, trigger: "item", formatter: ({ seriesName, data: d }) => cell_tooltip(seriesName, d) },
    series,
  });
  CHARTS.at(-1).ready = (instance) => instance.on("click", ({ data: d }) => { location.hash = "point-" + d.point; });
  return box;
}

// Labels at the values that were run, and nowhere else.
function value_axis(numeric, values) {
  return { ...numeric, axisLabel: { show: true, customValues: values, formatter: (v) => axis_value_text(v) }, axisTick: { show: true, customValues: values } };
}
