// What the page shows of its data.
const data = JSON.parse(document.getElementById("data").textContent);

function show() {
  const page = document.getElementById("page");
  page.replaceChildren(...(data.kind === "sweep" ? sweep_page() : run_page()));
  start_charts();
  follow_sizes();
  window.t3sim = { charts: CHARTS };  // for tests
}

function run_page() {
  document.title = `${data.results.workload.name}: t3sim`;
  return [run_head(), schemes_section(), gap_section(), dram_section(), time_section(), account_section(),
          tracker_section(), footer()].filter((part) => part);
}

function footer() {
  const about = data.about;
  return el("footer", {},
    folded("The whole configuration", el("pre", {}, data.config_text)),
    folded("Files, with their SHA-256", el("pre", {}, Object.entries(about.sha256).map(([f, h]) => `${h}  ${f}\n`).join(""))),
    el("p", { class: "note" }, "Made by t3sim ", named(about.version), ", commit ", el("code", {}, about.git_commit),
      ". Every number here is one of the files’, in other units at most."));
}
