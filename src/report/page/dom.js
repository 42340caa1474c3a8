// Elements in one line each.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

// rows: arrays of cells, an element, a text, a quantity or nothing. The first columns are texts, `texts` of them, and those
// from `words` on.
function table(heads, rows, texts = 1, words = Infinity) {
  const style = (i) => ((i > 0 && i < texts) || i >= words ? { class: "text" } : {});
  const cell = (c) => (c === null || c === undefined ? "–" : c.from !== undefined ? number_span(c) : c);
  return el("div", { class: "scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, ...heads.map((h, i) => el("th", { scope: "col", ...style(i) }, h)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((c, i) => el("td", style(i), cell(c))))))));
}

function folded(title, ...content) { return el("details", {}, el("summary", {}, title), ...content); }

function section(title, ...content) { return el("section", {}, el("h2", {}, title), ...content); }

// A choice of one among texts; `labels` may be elements. Calls `chosen(value)` on each change.
function choice(title, values, value, chosen, label = (v) => v) {
  const name = "choice-" + title.replace(/\W/g, "-");
  return el("fieldset", { class: "controls" }, el("legend", {}, title), ...values.map((v) =>
    el("label", {}, el("input", { type: "radio", name, value: v, checked: v === value, onchange: () => chosen(v) }),
      " ", label(v))));
}
