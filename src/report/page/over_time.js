// Traffic and the time line of one scheme, above one another and zoomed together.
const MOST_GPUS_SHOWN = 8;

function time_section() {
  const schemes = simulated_schemes();
  if (schemes.length === 0) return null;
  const gpus = [...new Set(data.series.map((s) => s.gpu))].sort((a, b) => a - b);
  const chosen = { scheme: schemes.findLast((s) => s.startsWith("t3")) ?? schemes[0], gpu: gpus[0] };
  const place = el("div");
  const draw = () => place.replaceChildren(...time_views(chosen, gpus));
  const again = () => { draw(); start_charts(); };
  const controls = [schemes.length > 1 ? choice("Scheme", schemes, chosen.scheme, (s) => { chosen.scheme = s; again(); }, scheme_label) : null,
    gpus.length > 1 ? choice("GPU", gpus, chosen.gpu, (g) => { chosen.gpu = Number(g); again(); }, (g) => named(String(g))) : null];
  draw();
  return section("Over time", ...controls, place);
}

function time_views({ scheme, gpu }, gpus) {
  for (let i = CHARTS.length - 1; i >= 0; --i)
    if (CHARTS[i].over_time) CHARTS.splice(i, 1)[0].instance?.dispose();
  const panels = panels_of(scheme, gpu).length;
  const views = [chart(`Traffic and queues over time, ${scheme}`, panels_height(panels), series_option(scheme, gpu), { renderer: "canvas" })];
  const causes = data.series.filter((s) => s.scheme === scheme && s.component === "dram" && s.unit === "bytes").map((s) => s.name);
  const parts = [dram_keys(scheme_colour(scheme), causes, scheme_label(scheme)), views[0]];
  if (data.time_line) {
    const { option, height } = time_line_option(scheme, gpus.length > MOST_GPUS_SHOWN ? gpu : null);
    views.push(chart(`Time line of ${scheme}: stages, Tracker triggers, transfers`, height, option, { renderer: "canvas" }));
    parts.push(el("h3", {}, "Time line"), zoom_buttons(), views[1]);
  } else {
    parts.push(el("p", { class: "note" }, "This result holds no timeline.csv, so there is no time line."));
  }
  const entries = views.map((box) => CHARTS.find((c) => c.figure === box));
  for (const entry of entries) {
    entry.over_time = true;
    entry.ready = (instance) => instance.on("datazoom", () => zoom_others(entries, entry));
  }
  entries.at(-1).box.tabIndex = 0;
  entries.at(-1).box.addEventListener("keydown", zoom_by_key);
  return parts;
}

let zooming = false;
function zoom_others(entries, from) {
  if (zooming) return;
  zooming = true;
  const { start, end } = from.instance.getOption().dataZoom[0];
  for (const other of entries) if (other !== from) other.instance?.dispatchAction({ type: "dataZoom", dataZoomIndex: 0, start, end });
  zooming = false;
}

// Scales the visible part by `factor` and moves it by `share` of itself.
function zoom(factor, share) {
  const entry = CHARTS.findLast((c) => c.over_time), { start, end } = entry.instance.getOption().dataZoom[0];
  const width = Math.min(100, (end - start) * factor), middle = (start + end) / 2 + share * (end - start);
  const from = Math.max(0, Math.min(100 - width, middle - width / 2));
  entry.instance.dispatchAction({ type: "dataZoom", dataZoomIndex: 0, start: from, end: from + width });
}

function zoom_by_key(event) {
  const actions = { "+": [0.5, 0], "=": [0.5, 0], "-": [2, 0], "0": [1e9, 0], ArrowLeft: [1, -0.25], ArrowRight: [1, 0.25] };
  if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  zoom(...actions[event.key]);
}

function zoom_buttons(and = "; both pictures follow") {
  const button = (text, label, ...how) => el("button", { type: "button", "aria-label": label, onclick: () => zoom(...how) }, text);
  return el("fieldset", { class: "controls" }, button("+", "zoom in", 0.5, 0), button("−", "zoom out", 2, 0), button("←", "earlier", 1, -0.25),
    button("→", "later", 1, 0.25), button("all", "show all", 1e9, 0),
    el("span", { class: "note" }, "The wheel and the keys + − ← → zoom and move, too" + and + "."));
}
