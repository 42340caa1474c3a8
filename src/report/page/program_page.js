// The run of a program: what it took, its streams over time, metrics of every GPU.
const KIND_COLOURS = { launch: "#0072b2", copy: "#e69f00", collective: "#e69f00" }, OTHER_KIND = "#6b7076";
const LONGEST_STREAM = 16;  // letters of a name beside the bars

function program_page() {
  view = { results: data.results, place: (pointer) => "results.json#" + pointer };
  document.title = `${data.results.program}: t3sim`;
  return [program_head(), times_known() ? streams_section() : null, program_metrics(), run_footer()].filter((part) => part);
}

// Not of a sample whose number of commands depends on what was shortened.
function times_known() { return data.results.by_gpu[0].kernels_us !== undefined; }

function program_head() {
  const prefix = "program.parameters.";
  const parameters = Object.keys(data.config).filter((key) => key.startsWith(prefix));
  const what = parameters.map((key, i) => el("span", {}, i ? ", " : ", with ", named(key.slice(prefix.length)), " = ", setting(key)));
  const gpu = (key) => shown(result("/by_gpu/0/" + key, US));
  return el("header", {}, el("h1", {}, "How long does ", named(data.results.program), " take?"),
    el("p", { class: "soft" }, "The program ", setting("program.file"), " on ", number_span(result("/gpus", WHOLE)), " GPUs", ...what, "."),
    times_known() ? el("p", { class: "answer" }, shown(result("/time_us", US)), ". On the first GPU kernels run for ", gpu("kernels_us"),
      ", and copies and collectives for ", gpu("communication_us"), ": ", gpu("exposed_communication_us"), " of it with no kernel beside them.")
      : el("p", { class: "answer" }, shown(result("/time_us", US)), ", from short runs that do not say when its commands run."),
    machine_facts(data.config, "config.yaml"));
}

function streams_section() {
  const gpus = data.results.by_gpu.map((one) => one.gpu), many = gpus.length > MOST_GPUS_SHOWN;
  const place = el("div");
  const draw = (gpu) => place.replaceChildren(streams_chart(gpu));
  draw(many ? gpus[0] : null);
  const chip = (colour, text) => el("span", {}, el("span", { class: "chip", style: "background:" + colour }), text);
  return section("Streams over time",
    many ? choice("GPU", gpus, gpus[0], (g) => { draw(Number(g)); start_charts(); }, (g) => named(String(g))) : null,
    el("div", { class: "keys" }, chip(KIND_COLOURS.launch, "kernels"), chip(KIND_COLOURS.copy, "copies and collectives"), chip(OTHER_KIND, "all others: signals, waits, the host")),
    zoom_buttons(""), place);
}

// Of one GPU, or of all.
function streams_chart(gpu) {
  for (let i = CHARTS.length - 1; i >= 0; --i) if (CHARTS[i].over_time) CHARTS.splice(i, 1)[0].instance?.dispose();
  const tracks = streams_of(gpu), { items, height } = commands_of(tracks);
  const figure = chart("Streams over time: commands of every stream and host", height + 96,
    tracks_option(tracks, items, height, data.results.time_us, command_tooltip, []), { renderer: "canvas" });
  const entry = CHARTS.find((c) => c.figure === figure);
  entry.over_time = true;
  entry.box.tabIndex = 0;
  entry.box.addEventListener("keydown", zoom_by_key);
  return figure;
}

// In the order in which their first commands were issued.
function streams_of(gpu) {
  const c = data.commands, tracks = new Map();
  for (let row = 0; row < c.gpu.length; ++row) {
    if (gpu !== null && c.gpu[row] !== gpu) continue;
    const stream = c.texts[c.stream[row]], id = c.gpu[row] + "|" + stream;
    if (!tracks.has(id)) tracks.set(id, { gpu: c.gpu[row], track: stream.length > LONGEST_STREAM ? stream.slice(0, LONGEST_STREAM - 1) + "…" : stream, slices: [] });
    tracks.get(id).slices.push({ start: c.begun_us[row], end: c.done_us[row], row });
  }
  const all = [...tracks.values()];
  all.forEach(place_in_lanes);
  return all;
}

function commands_of(tracks) {
  const c = data.commands, items = [];
  let top = 0;
  for (const track of tracks) {
    track.top = top;
    const height = track.height / track.lanes;
    for (const { start, end, lane, row } of track.slices)
      items.push({ value: [start, end, top + lane * height, height], from: "commands.csv#" + row, track, row, words: c.texts[c.command[row]],
                   colour: shade(KIND_COLOURS[c.texts[c.kind[row]]] ?? OTHER_KIND, 1) });
    top += track.height + TRACK_GAP;
  }
  return { items, height: top };
}

function command_tooltip({ row }) {
  const c = data.commands, us = (column) => grouped(c[column][row], 2);
  return `GPU ${c.gpu[row]}, ${escaped(c.texts[c.stream[row]])}<br><b>${escaped(c.texts[c.command[row]])}</b><br>` +
    `${us("begun_us")} – ${us("done_us")} µs: ${grouped(c.done_us[row] - c.begun_us[row], 2)} µs<br>issued at ${us("issued_us")} µs`;
}

const METRICS = [["time", "time_us"], ["kernels", "kernels_us"], ["communication", "communication_us"], ["exposed", "exposed_communication_us"], ["neither", "idle_us"]];

// A program's traffic in results.json: "rs_read" is what collectives read.
const TRAFFIC = { gemm: "kernels", rs: "collectives", ag: "copies", other: "signals" };
function spoken_traffic(cause) {
  const [who, what] = cause.split("_");
  return `${TRAFFIC[who] ?? who} ${what}`;
}

function program_metrics() {
  const gpus = data.results.by_gpu, metrics = times_known() ? METRICS : [];
  const causes = Object.keys(gpus[0].dram_bytes).filter((cause) => gpus.some((one) => one.dram_bytes[cause] > 0));
  const mb = fitting(MB, gpus.flatMap((one) => [one.link_bytes, ...Object.values(one.dram_bytes)]));
  const rows = gpus.map((_, i) => [number_span(result(`/by_gpu/${i}/gpu`, WHOLE)), ...metrics.map(([, key]) => result(`/by_gpu/${i}/${key}`, US)),
    result(`/by_gpu/${i}/link_bytes`, mb), ...causes.map((cause) => result(`/by_gpu/${i}/dram_bytes/${cause}`, mb))]);
  return section("Every GPU",
    el("p", { class: "note" }, "Times in µs: until the last command is done, with some kernel running, with some copy or collective running, with that and no kernel, ",
      "with neither. Bytes in MB: sent over links, and what DRAM read and wrote for whom."),
    table(["GPU", ...metrics.map(([name]) => name), "sent", ...causes.map(spoken_traffic)], rows));
}
