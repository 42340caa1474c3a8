// Heat maps: two axes, a panel for each combination of the others.

// The longest numeric axis to the right, the next one up.
function map_axes(axes) {
  const by_length = axes.map((axis, i) => ({ axis, i })).sort((a, b) => b.axis.numeric - a.axis.numeric || b.axis.values.length - a.axis.values.length || b.i - a.i);
  return [by_length[0].axis, by_length[1].axis];
}

// Of the other axes, as many as there is room for make panels; the others are held at a value.
function split_others(axes, x, y) {
  const panels = [], held = [];
  let count = 1;
  for (const axis of axes.filter((a) => a !== x && a !== y)) {
    if (count * axis.values.length <= MOST_PANELS) { panels.push(axis); count *= axis.values.length; } else held.push(axis);
  }
  return { panels, held };
}

function combinations(axes) {
  return axes.reduce((all, axis) => all.flatMap((one) => axis.values.map((v) => [...one, [axis, v]])), [[]]);
}

function points_where(conditions) {
  return data.points.map((point, i) => ({ point, i })).filter(({ point }) => conditions.every(([axis, v]) => point.values[axis.at] === v));
}

function map_section(axes, schemes) {
  const [x, y] = map_axes(axes), columns = value_columns();
  const state = (CHOSEN.map ??= { x, y, value: columns[0], scheme: schemes.findLast((s) => s.startsWith("t3")) ?? schemes.at(-1), held: new Map() });
  const place = el("div"), keys = el("div", { class: "keys" }), controls = el("fieldset", { class: "controls" });
  const again = () => { drop_chart(place); draw(); start_charts(); };
  const set = (key) => (v) => {
    if (key === "x" && v === state.y) state.y = state.x;
    if (key === "y" && v === state.x) state.x = state.y;
    state[key] = v;
    again();
  };
  const draw = () => {
    const { panels, held } = split_others(axes, state.x, state.y);
    const hold = held.map((axis) => [axis, state.held.get(axis) ?? axis.values[0]]);
    const title = (axis) => column_title(axis.name);
    controls.replaceChildren(select("show", columns, state.value, set("value"), value_title), select("of", schemes, state.scheme, set("scheme")),
      select("right", axes, state.x, set("x"), title), select("up", axes, state.y, set("y"), title),
      ...hold.map(([axis, v]) => select(title(axis), axis.values, v, (w) => { state.held.set(axis, w); again(); }, axis_value_text)));
    keys.replaceChildren(scheme_label(state.scheme), ...[value_title(state.value), `→ ${title(state.x)}`, `↑ ${title(state.y)}`, "A cell leads to its point."].map((t) => el("span", {}, t)));
    place.replaceChildren(map_chart(state, combinations(panels).map((c) => [...c, ...hold]), panels));
  };
  draw();
  return section("Over two axes", controls, keys, place);
}

// The chart drawn in a place before.
function drop_chart(place) {
  const at = CHARTS.findIndex((entry) => place.contains(entry.box));
  if (at >= 0) CHARTS.splice(at, 1)[0].instance?.dispose();
}

function map_cells(state, conditions) {
  return points_where(conditions).map(({ point, i }) => {
    const q = cell_of(i, state.scheme, state.value);
    const at = [state.x, state.y].map((axis) => axis.values.indexOf(point.values[axis.at]));
    if (!q) return { value: at, point: i, from: null };
    return { value: [...at, q.value / q.per], from: q.from, per: q.per, point: i, text: digits_of(q) };
  });
}

// Where a point failed, or has no such value; the whole cell leads to it, as others do.
function draw_nothing(cells) {
  return (params, api) => {
    const [x, y] = api.coord([api.value(0), api.value(1)]), [width, height] = api.size([1, 1]);
    const text = data.points[cells[params.dataIndex].point].failed === undefined ? "–" : "failed";
    return { type: "group", children: [
      { type: "rect", shape: { x: x - width / 2, y: y - height / 2, width, height }, style: { fill: "rgba(0, 0, 0, 0)" } },
      { type: "text", x, y, style: { text, fill: SOFT, fontFamily: FONT.fontFamily, fontSize: 11, align: "center", verticalAlign: "middle" } }] };
  };
}

function cell_tooltip(of, d) {
  const point = data.points[d.point], title = `${escaped(point.label)}<br>`;
  if (d.from === null) return title + (point.failed === undefined ? "no such value" : "failed") + `<br>point ${d.point}`;
  return `${title}${escaped(of)}: <b>${d.text}</b><br>point ${d.point}`;
}

const MAP_COLOURS = ["#ffffe5", "#78c679", "#006837"];  // as in t3sim sweep plot; from light to dark
const MAP_TOP = 28, MAP_GAP = 50;

// The colour at a share from least to most, as the chart makes it.
function map_colour(share) {
  const at = Math.min(1, Math.max(0, share)) * (MAP_COLOURS.length - 1), low = Math.min(MAP_COLOURS.length - 2, Math.floor(at));
  const channel = (i) => {
    const [a, b] = [low, low + 1].map((k) => parseInt(MAP_COLOURS[k].slice(i, i + 2), 16));
    return Math.round(a + (b - a) * (at - low));
  };
  return `rgb(${channel(1)}, ${channel(3)}, ${channel(5)})`;
}

function panel_layout(count, y, columns) {
  const across = Math.min(count, columns), down = Math.ceil(count / across);
  const height = Math.max(56, Math.min(190, y.values.length * 26));
  const begin = is_narrow() ? 14 : 6.5, width = (100 - 0.5 - begin) / across;
  return { across, down, height, total: MAP_TOP + down * (height + MAP_GAP) + 48,
    grid: (i) => ({ left: `${begin + (i % across) * width}%`, width: `${width - (across > 1 ? 4 : 0.5)}%`, top: MAP_TOP + Math.floor(i / across) * (height + MAP_GAP), height }) };
}

function map_chart(state, panels, panel_axes) {
  const { x, y } = state, last = panel_axes.at(-1)?.values.length ?? 1;
  const layout = panel_layout(panels.length, y, is_narrow() ? 1 : last <= 4 ? last : 3);
  const cells = panels.map((conditions) => map_cells(state, conditions));
  const known = cells.map((list) => list.filter((cell) => cell.from !== null)), empty = cells.map((list) => list.filter((cell) => cell.from === null));
  const values = known.flat().map((cell) => cell.value[2]), least = Math.min(...values), most = Math.max(...values);
  const ink = (v) => ink_on(map_colour(most > least ? (v - least) / (most - least) : 0.5));
  const small = is_narrow() || layout.across * x.values.length > 24;
  const axis_labels = (axis) => axis.values.map(axis_value_text);
  const name = (i) => panels[i].filter(([a]) => panel_axes.includes(a)).map(([a, v]) => `${short_title(a.name)} ${axis_value_text(v)}`).join("   ");
  const box = chart(`${value_title(state.value)} of ${state.scheme} over ${column_title(x.name)} and ${column_title(y.name)}`, layout.total, {
    title: panels.map((_, i) => ({ text: name(i), left: layout.grid(i).left, top: layout.grid(i).top - 20, padding: 0, textStyle: { fontSize: 12, fontWeight: 600, color: INK } })),
    grid: panels.map((_, i) => layout.grid(i)),
    xAxis: panels.map((_, i) => ({ type: "category", gridIndex: i, data: axis_labels(x), splitArea: { show: true, areaStyle: { color: [TINT] } }, axisLine: { show: false }, axisTick: { show: false }, axisLabel: { fontSize: 11 } })),
    yAxis: panels.map((_, i) => ({ type: "category", gridIndex: i, data: axis_labels(y), axisLine: { show: false }, axisTick: { show: false },
                                   axisLabel: { fontSize: 11, show: i % layout.across === 0 } })),
    visualMap: { show: values.length > 0, type: "continuous", seriesIndex: known.map((_, i) => i), min: values.length > 0 ? least : 0, max: values.length > 0 ? most : 1, dimension: 2, calculable: true, orient: "horizontal", left: "center", bottom: 4,
                 itemWidth: 12, itemHeight: 180, inRange: { color: MAP_COLOURS }, textStyle: { color: INK }, formatter: (v) => grouped(v, form_of(state.value).digits), text: ["", value_title(state.value)] },
    tooltip: { ...TOOLTIP, trigger: "item", formatter: ({ data: d }) => cell_tooltip(state.scheme, d) },
    series: known.map((list, i) => ({ type: "heatmap", name: name(i), xAxisIndex: i, yAxisIndex: i,
      data: list.map((cell) => ({ ...cell, label: { color: ink(cell.value[2]) } })),
      itemStyle: { borderColor: PAPER, borderWidth: 1 }, label: { show: true, fontSize: small ? 10 : 11, formatter: ({ data: d }) => d.text } }))
      .concat(empty.map((list, i) => ({ type: "custom", name: "no value", xAxisIndex: i, yAxisIndex: i, encode: { x: 0, y: 1 }, data: list, renderItem: draw_nothing(list) }))),
  });
  CHARTS.at(-1).ready = (instance) => instance.on("click", ({ data: d }) => { location.hash = "point-" + d.point; });
  return box;
}
