// The page of one point.
function point_page(index) {
  const point = data.points[index];
  document.title = `point ${index} of ${data.name}: t3sim`;
  view = point_view(index);
  const has_rows = Object.keys(view.results.schemes).length > 0;
  return [point_head(point, index), point.failed !== undefined ? section("It failed", el("pre", {}, point.failed)) : null,
          ...(has_rows ? [schemes_section(), dram_section(), tracker_section()] : []), point_more(point, index)];
}

// The rows of a point in the shape of results.json, and where in results.csv its values stand.
function point_view(index) {
  const schemes = {}, columns = new Map();
  const put = (scheme, group, key, column, value) => {
    const into = group ? (schemes[scheme][group] ??= {}) : schemes[scheme];
    into[key] = value;
    columns.set("/schemes/" + [scheme, ...(group ? [group] : []), key].join("/"), `results.csv#${row_of(index, scheme)}|${column}`);
  };
  for (const scheme of sweep_schemes()) {
    const row = row_of(index, scheme);
    if (row === undefined) continue;
    schemes[scheme] = { phases: {}, dram_bytes: {}, tracker: {} };
    const in_order = [...new Set([...data.phases[scheme], ...data.columns.slice(column_at("scheme") + 1)])];
    in_order.forEach((column) => {
      const value = data.rows[row][column_at(column)];
      if (typeof value !== "number") return;
      const dram = column.match(/^dram_(.*)_bytes$/), tracker = column.match(/^tracker_(.*)$/);
      if (dram) put(scheme, "dram_bytes", dram[1], column, value);
      else if (tracker) put(scheme, "tracker", tracker[1], column, value);
      else if (column.endsWith("_us") && column !== "time_us") put(scheme, "phases", column, column, value);
      else put(scheme, null, column, column, value);
    });
  }
  return { results: { schemes }, place: (pointer) => columns.get(pointer) };
}

function point_head(point, index) {
  const link = (i, text) => (data.points[i] ? point_link(i, text) : null);
  return el("header", {},
    el("p", {}, el("a", { href: "#" }, "← all of ", named(data.name)), "   ", link(index - 1, "previous"), "   ", link(index + 1, "next")),
    el("h1", {}, "Point ", named(String(index)), " of ", named(data.name)),
    el("dl", { class: "facts wide" }, ...data.axes.map((name, i) => el("div", {}, el("dt", {}, column_title(name)), el("dd", {}, named(axis_value_text(point.values[i])))))));
}

function point_more(point, index) {
  return el("footer", {},
    el("p", {}, "A sweep keeps the results of a point, and no series or time line. To get those, run it alone and report on that:"),
    el("pre", {}, `${point.command} -o DIR\nt3sim report DIR`),
    folded("The whole configuration", el("pre", {}, config_lines(index).join("\n"))));
}
