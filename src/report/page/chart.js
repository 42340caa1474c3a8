// Charts of one look, that follow the width of the page and of the paper.
const CHARTS = [];

// data of series carry {value, from}; see numbers.js.
function chart(title, height, option, { renderer = "svg" } = {}) {
  const box = el("div", { class: "chart", role: "img", "aria-label": title, style: `height:${height}px` });
  const entry = { title, box, option, renderer, height };
  const save = el("button", { class: "save", type: "button", title: "save this picture as SVG", onclick: () => save_svg(entry) }, "SVG");
  entry.figure = el("div", { class: "figure" }, box, save);
  CHARTS.push(entry);
  return entry.figure;
}

// As it is now, with what was zoomed in and chosen.
function svg_of({ box, instance }) {
  const copy = echarts.init(null, null, { renderer: "svg", ssr: true, width: box.clientWidth, height: box.clientHeight });
  copy.setOption({ ...instance.getOption(), animation: false, backgroundColor: PAPER });
  const text = copy.renderToSVGString();
  copy.dispose();
  return text;
}

function save_svg(entry) {
  const address = URL.createObjectURL(new Blob([svg_of(entry)], { type: "image/svg+xml" }));
  el("a", { href: address, download: entry.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/-$/, "") + ".svg" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// A phone: less room beside the bars, and smaller letters.
function is_narrow() { return document.documentElement.clientWidth < 560; }

function start_chart(entry) {
  entry.instance = echarts.init(entry.box, null, { renderer: entry.renderer });
  entry.instance.setOption({ textStyle: FONT, animation: false, ...entry.option });
  entry.ready?.(entry.instance);
}

function start_charts() {
  for (const entry of CHARTS) if (!entry.instance && entry.box.isConnected) start_chart(entry);
}

function dispose_charts() { for (const entry of CHARTS.splice(0)) entry.instance?.dispose(); }

// To the width of the page or, if it is given, of the paper; at once, as printing does not wait.
function fit_charts(width) {
  for (const { instance, box } of CHARTS)
    if (instance && box.isConnected) {
      instance.resize({ width: width ?? box.clientWidth });
      instance.getZr().flush();
    }
}

const PAPER_WIDTH = 690;  // of A4, less its margins

function follow_sizes() {
  let waiting = false, narrow = is_narrow();
  addEventListener("resize", () => {
    if (!waiting) requestAnimationFrame(() => {
      waiting = false;
      if (is_narrow() !== narrow) draw_page();
      else fit_charts();
      narrow = is_narrow();
    });
    waiting = true;
  });
  matchMedia("print").addEventListener("change", ({ matches }) => fit_charts(matches ? PAPER_WIDTH : undefined));
  addEventListener("beforeprint", () => fit_charts(PAPER_WIDTH));
  addEventListener("afterprint", () => fit_charts());
}

// A line of a tooltip: ECharts takes HTML, and names come from files.
function escaped(text) { return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]); }
