// Charts of one look, that follow the width of the page and of the paper.
const CHARTS = [];

// data of series carry {value, from}; see numbers.js.
function chart(title, height, option, { renderer = "svg" } = {}) {
  const box = el("div", { class: "chart", role: "img", "aria-label": title, style: `height:${height}px` });
  const entry = { title, box, option, renderer, height };
  CHARTS.push(entry);
  return box;
}

function start_chart(entry) {
  entry.instance = echarts.init(entry.box, null, { renderer: entry.renderer });
  entry.instance.setOption({ textStyle: FONT, animation: false, ...entry.option });
  entry.ready?.(entry.instance);
}

function start_charts() {
  for (const entry of CHARTS) if (!entry.instance && entry.box.isConnected) start_chart(entry);
}

function dispose_charts() { for (const entry of CHARTS.splice(0)) entry.instance?.dispose(); }

function fit_charts(width) {
  for (const { instance, box } of CHARTS)
    if (instance && box.isConnected) instance.resize(width ? { width } : { width: box.clientWidth });
}

function follow_sizes() {
  let waiting = false;
  addEventListener("resize", () => {
    if (!waiting) requestAnimationFrame(() => { waiting = false; fit_charts(); });
    waiting = true;
  });
  addEventListener("beforeprint", () => fit_charts(690));
  addEventListener("afterprint", () => fit_charts());
}

// A line of a tooltip: ECharts takes HTML, and names come from files.
function escaped(text) { return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]); }
