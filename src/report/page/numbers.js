// Every number on the page is a quantity: a value of one of the files, and where it stands there. What is shown is
// value / per, so that whoever doubts a number (or tests them all) can look it up.
//
// Places: "results.json#/schemes/t3/time_us" (a JSON pointer), "stats.csv#scheme|phase|gpu|component|name",
// "series.csv#scheme|phase|gpu|component|name|start_us", "timeline.csv#ROW", "config.yaml#key", "results.csv#ROW|column",
// "links.csv#scheme|link|column", "commands.csv#ROW".

function quantity(value, from, form = {}) {
  return { value, from, per: form.per ?? 1, digits: form.digits ?? 1, unit: form.unit ?? "" };
}

const US = { unit: "µs", digits: 1 };
const MB = { unit: "MB", digits: 1, per: 1e6 };
const WHOLE = { digits: 0 };
const RATIO = { digits: 3 };

// Rounded as t3sim rounds, thousands apart.
function grouped(value, digits) {
  const [whole, part] = value.toFixed(digits).replace(/^-(?=[0.]*$)/, "").split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? "." + part : "");
}

// Labels of axes: as many digits as they have.
function tick(v) { return Number(v.toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 6 }); }

// Digits for numbers that stand together: enough for the largest to have about four.
function fitting(form, values) {
  const largest = Math.max(0, ...values.filter((v) => typeof v === "number").map(Math.abs)) / (form.per ?? 1);
  return { ...form, digits: largest >= 100 ? 1 : largest >= 1 ? 2 : 3 };
}

// The number alone, as text.
function digits_of(q) { return grouped(q.value / q.per, q.digits); }
function text_of(q) { return q.unit ? `${digits_of(q)} ${q.unit}` : digits_of(q); }

function number_span(q) {
  return el("span", { class: "number", "data-from": q.from, "data-per": q.per, "data-digits": q.digits }, digits_of(q));
}
// With its unit behind it.
function shown(q) { return q.unit ? el("span", {}, number_span(q), " " + q.unit) : number_span(q); }

// What results.json holds of a run; of a point of a sweep, its rows of results.csv in the same shape (sweep_point.js).
// `place` says where the value at a JSON pointer stands.
let view = null;

// Nothing where a file has no such value.
function result(pointer, form) {
  let value = view.results;
  for (const key of pointer.split("/").slice(1)) value = value?.[key];
  return typeof value === "number" ? quantity(value, view.place(pointer), form) : null;
}

// A value of the configuration, as it is written there.
function setting(key, settings = data.config, file = "config.yaml") {
  if (settings[key] === undefined || settings[key] === "") return null;
  return el("span", { class: "number", "data-from": `${file}#${key}` }, settings[key]);
}

// A text out of the files that may have digits in it, such as the workload's name.
function named(text) { return el("span", { class: "name" }, text); }
