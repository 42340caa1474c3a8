// A scheme has one colour everywhere (of Okabe and Ito's palette, which the colour-blind can tell apart). What the time
// or the bytes were for is told by the shade of that colour; writes are hatched.
const SCHEME_COLOURS = { sequential: "#6b7076", t3: "#e69f00", "t3-mca": "#0072b2", "ideal-overlap": "#009e73",
                         "ideal-rs-nmc": "#cc79a7", kernel: "#d55e00" };
const SPARE_COLOURS = ["#56b4e9", "#8c6d1f", "#332288"];

// As style.css has them: light, or dark where the reader's system says so. Paper is always light.
const THEMES = { light: { ink: "#1b1f24", soft: "#5a636e", line: "#d8dde3", tint: "#f5f7f9", paper: "#ffffff" },
                 dark: { ink: "#e6e9ed", soft: "#9aa4af", line: "#3a424c", tint: "#1d2228", paper: "#14171b" } };
let INK, SOFT, LINE, TINT, PAPER, FONT, TOOLTIP;
function take_theme(name) {
  ({ ink: INK, soft: SOFT, line: LINE, tint: TINT, paper: PAPER } = THEMES[name]);
  FONT = { fontFamily: 'system-ui, "DejaVu Sans", "Liberation Sans", sans-serif', color: INK };
  TOOLTIP = { confine: true, textStyle: { fontSize: 13, color: INK }, borderColor: LINE, backgroundColor: TINT };
  document.documentElement.dataset.theme = name;
}

function scheme_colour(scheme) {
  if (SCHEME_COLOURS[scheme]) return SCHEME_COLOURS[scheme];
  let sum = 0;
  for (const c of scheme) sum += c.codePointAt(0);
  return SPARE_COLOURS[sum % SPARE_COLOURS.length];
}

// Beside the colour, in curves.
const SCHEME_SYMBOLS = { sequential: "rect", t3: "triangle", "t3-mca": "circle", "ideal-overlap": "diamond", "ideal-rs-nmc": "pin", kernel: "roundRect" };
function scheme_symbol(scheme) { return SCHEME_SYMBOLS[scheme] ?? "circle"; }

// share 1: the colour; 0: white.
function shade(colour, share) {
  const part = (at) => Math.round(255 + (parseInt(colour.slice(at, at + 2), 16) - 255) * share);
  return `rgb(${part(1)}, ${part(3)}, ${part(5)})`;
}

const SHARES = { gemm: 1, fused: 1, kernel: 1, rs: 0.62, a2a: 0.62, ag: 0.32, zero: 0.5, following: 0.2, other: 0.2 };
function share_of(key) { return SHARES[part_of(key)] ?? 0.45; }

// Text on a surface of this colour.
function ink_on(colour) {
  const [r, g, b] = colour.match(/\d+/g).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? THEMES.light.ink : "#ffffff";
}

function scheme_label(scheme) {
  return el("span", { class: "scheme" },
    el("span", { class: "chip", style: `background:${scheme_colour(scheme)}` }), named(scheme));
}

// The same at an axis of a chart: "■ t3".
function scheme_axis_label(schemes) {
  const rich = {};
  schemes.forEach((scheme, i) => { rich["c" + i] = { color: scheme_colour(scheme), fontSize: 15 }; });
  return { color: INK, fontSize: is_narrow() ? 11 : 13, rich, formatter: (name) => `{c${schemes.indexOf(name)}|■} ${name}` };
}

const HATCH = { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 3], rotation: -Math.PI / 4, color: "rgba(255,255,255,0.75)" };

// For charts with hatched parts. Their descriptions are ours (chart.js).
const HATCHING = { enabled: true, label: { enabled: false }, decal: { show: true, decals: [{ symbol: "none" }] } };
