// What the page shows of its data.
const data = JSON.parse(document.getElementById("data").textContent);

const DARK = matchMedia("(prefers-color-scheme: dark)");

function show() {
  take_theme(DARK.matches ? "dark" : "light");
  draw_page();
  follow_sizes();
  DARK.addEventListener("change", () => in_theme(DARK.matches ? "dark" : "light"));
  addEventListener("beforeprint", () => in_theme("light"));
  addEventListener("afterprint", () => in_theme(DARK.matches ? "dark" : "light"));
  addEventListener("hashchange", () => { draw_page(); scrollTo(0, 0); });
  window.t3sim = { charts: CHARTS, svg_of };  // for tests
}

function in_theme(name) {
  if (document.documentElement.dataset.theme === name) return;
  take_theme(name);
  draw_page();
}

function draw_page() {
  dispose_charts();
  document.getElementById("page").replaceChildren(...pages().filter((part) => part));
  start_charts();
}

function pages() {
  if (data.kind === "run") return run_page();
  if (data.kind === "program") return program_page();
  if (data.kind === "comparison") return comparison_page();
  if (data.kind === "sweep comparison") return sweep_comparison_page();
  const point = location.hash.match(/^#point-(\d+)$/);
  return point && data.points[point[1]] ? point_page(Number(point[1])) : sweep_page();
}

function run_page() {
  view = { results: data.results, place: (pointer) => "results.json#" + pointer };
  document.title = `${view.results.workload.name}: t3sim`;
  return [run_head(), schemes_section(), limits_section(), links_section(), gap_section(), dram_section(), time_section(), account_section(),
          tracker_section(), run_footer()];
}

function run_footer() {
  const about = data.about;
  return footer(about.version, about.git_commit,
    folded("The whole configuration", el("pre", {}, data.config_text)),
    folded("The files, with their hashes", el("pre", {}, Object.entries(about.sha256).map(([f, h]) => `${h}  ${f}\n`).join(""))));
}

function footer(version, commit, ...more) {
  return el("footer", {}, ...more,
    el("p", { class: "note" }, "Made by t3sim ", named(version), ", commit ", el("code", {}, commit),
      ". Every number here is one of the files’, in other units at most."));
}
