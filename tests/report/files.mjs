// The files of a result as the tests read them, on their own: what the page says a number's place is, is looked up here.
import fs from "node:fs";
import path from "node:path";

function csv(text) {
  return text.trimEnd().split("\n").map((line) => {
    const cells = [];
    for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) cells.push(quoted?.replaceAll('""', '"') ?? plain);
    return cells;
  });
}

// "gpu.clock": "1.4 GHz", from YAML as t3sim writes it.
function settings(text) {
  const found = {}, at = [];
  for (const line of text.split("\n")) {
    const match = /^( *)([^:]+): *(.*)$/.exec(line);
    if (!match) continue;
    at.length = match[1].length / 2;
    at.push(match[2]);
    for (const [, key, value] of match[3].startsWith("{") ? match[3].matchAll(/[{ ]"?(\w+)"?: ([^,}]+)/g) : []) found[[...at, key].join(".")] = value;
    if (match[3]) found[at.join(".")] = match[3].replace(/^"(.*)"$/, "$1");
  }
  return found;
}

export class Files {
  constructor(directory) {
    const read = (name) => {
      const file = path.join(directory, name);
      return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : null;
    };
    const names = ["results.json", "stats.csv", "series.csv", "timeline.csv", "config.yaml", "manifest.json", "results.csv", "plan.jsonl", "links.csv", "commands.csv", "comparison.json"];
    this.texts = Object.fromEntries(names.map((name) => [name, read(name)]).filter(([, text]) => text !== null));
    const failures = fs.existsSync(path.join(directory, "points"))
      ? fs.readdirSync(path.join(directory, "points")).filter((n) => n.endsWith(".failed")).map((n) => read("points/" + n)) : [];
    this.all = Object.values(this.texts).concat(failures).join("\n").replaceAll('\\"', '"');
    this.rows = {};
    for (const name of Object.keys(this.texts).filter((n) => n.endsWith(".csv"))) this.rows[name] = csv(this.texts[name]);
    this.index = {};
    const put = (name, key) => { this.index[name] = new Map(this.rows[name]?.slice(1).map((row) => [key(row), row])); };
    put("stats.csv", ([gpu, component, counter, , , scheme, phase]) => [scheme, phase, gpu, component, counter].join("|"));
    put("links.csv", ([scheme, link]) => [scheme, link].join("|"));
    this.series = new Map();
    for (const [gpu, component, name, start, interval, value, , scheme, phase] of this.rows["series.csv"]?.slice(1) ?? []) {
      const key = [scheme, phase, gpu, component, name].join("|");
      if (!this.series.has(key)) this.series.set(key, []);
      this.series.get(key).push({ start: Number(start), interval: Number(interval), value: Number(value) });
    }
    if (this.texts["comparison.json"]) {
      this.comparison = JSON.parse(this.texts["comparison.json"]);
      // Names of rows as the page says them, and the letters of runs.
      this.all += this.comparison.rows.map((r) => (r.name ?? "").replaceAll("_", " ")).join("\n") + "(nothing)–";
    }
    if (this.texts["results.json"]) this.results = JSON.parse(this.texts["results.json"]);
    if (this.texts["plan.jsonl"]) this.plan = this.texts["plan.jsonl"].trimEnd().split("\n").map((line) => JSON.parse(line));
  }

  // The number or text at a place (src/report/page/numbers.js names them); undefined if there is none.
  lookup(place) {
    const cut = place.indexOf("#"), file = place.slice(0, cut), at = place.slice(cut + 1);
    switch (file) {
      case "results.json": return at.slice(1).split("/").reduce((value, key) => value?.[key], this.results);
      case "stats.csv": return Number(this.index[file].get(at)?.[3]);
      case "links.csv": {
        const [scheme, link, column] = at.split("|");
        return Number(this.index[file].get([scheme, link].join("|"))?.[this.rows[file][0].indexOf(column)]);
      }
      case "comparison": return at.slice(1).split("/").reduce((value, key) => value?.[key], this.comparison);
      case "config.yaml": return (this.settings ??= settings(this.texts[file]))[at];
      case "plan.jsonl": return at === "points" ? this.plan[0].points : (this.settings ??= settings(this.plan[1].config))[at];
      case "results.csv": {
        const [row, column] = at.split("|");
        return Number(this.rows[file][Number(row) + 1][this.rows[file][0].indexOf(column)]);
      }
    }
    return undefined;
  }

  // Does this text stand in some file? Files are long, and pages say the same again and again.
  has(text) {
    this.found ??= new Map();
    if (!this.found.has(text)) this.found.set(text, this.all.includes(text));
    return this.found.get(text);
  }

  // {value, start} of an interval in series.csv; start counts from the start of the scheme.
  interval(place) {
    const parts = place.slice(place.indexOf("#") + 1).split("|");
    const row = this.series.get(parts.slice(0, 5).join("|"))?.[Number(parts[5])];
    return row && { ...row, start: row.start + this.phase_start(parts[0], parts[1]) };
  }

  // {scheme, start, end, name} of a row of timeline.csv.
  slice(place) {
    const [scheme, phase, gpu, track, name, start, end] = this.rows["timeline.csv"][Number(place.split("#")[1]) + 1];
    const offset = this.phase_start(scheme, phase);
    return { scheme, gpu: Number(gpu), track, name, start: offset + Number(start), end: offset + Number(end) };
  }

  // {gpu, stream, name, start, end, issued} of a row of commands.csv.
  command(place) {
    const [gpu, , stream, , name, ...times] = this.rows["commands.csv"][Number(place.split("#")[1]) + 1];
    const [issued, start, end] = times.map(Number);
    return { gpu: Number(gpu), stream, name, issued, start, end };
  }

  // Phases come in the same order in stats.csv and in results.json.
  phase_start(scheme, phase) {
    const id = scheme + "|" + phase;
    this.starts ??= new Map();
    if (!this.starts.has(id)) this.starts.set(id, this.found_phase_start(scheme, phase));
    return this.starts.get(id);
  }
  found_phase_start(scheme, phase) {
    const names = [];
    for (const [, , , , , s, p] of this.rows["stats.csv"].slice(1)) if (s === scheme && !names.includes(p)) names.push(p);
    const times = Object.values(this.results.schemes[scheme].phases);
    return times.slice(0, names.indexOf(phase)).reduce((sum, t) => sum + t, 0);
  }
}

// As the page shows numbers: thousands apart, so many digits.
export function shown(value, digits) {
  const [whole, part] = Math.abs(value).toFixed(digits).split(".");
  return (value < 0 && /[1-9]/.test(whole + part) ? "-" : "") + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? "." + part : "");
}
