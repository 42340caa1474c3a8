// What each phase uses, as pictures: shares of matrix units, DRAM and links, and the roofline. The numbers are those of the
// table of limits.
const PARTS_USED = [["matrix_share", "matrix units", 1], ["dram_share", "DRAM", 0.62], ["link_share", "the busiest port of the links", 0.32]];

function share_item(scheme, phase, key, shade_of_part) {
  const q = result(`/schemes/${scheme}/limits/${phase}/${key}`, SHARE);
  if (!q) return { value: 0, from: null, text: "" };
  return { value: q.value / q.per, from: q.from, per: q.per, text: `${digits_of(q)} %`, itemStyle: { color: shade(scheme_colour(scheme), shade_of_part) } };
}

function utilisation_chart(phases) {
  const label = ([scheme, phase]) => `${scheme}${is_narrow() ? "\n" : "  "}${spoken(phase)}`;
  return chart("What each phase uses: matrix units, DRAM and links, in percent of their peaks", phases.length * 52 + 54, {
    grid: is_narrow() ? { left: 104, right: 48, top: 8, bottom: 42 } : { left: 190, right: 60, top: 8, bottom: 42 },
    xAxis: { type: "value", min: 0, max: 100, splitNumber: is_narrow() ? 2 : 5, name: "% of the peak", nameLocation: "middle", nameGap: 26, axisLabel: { formatter: tick } },
    yAxis: { type: "category", data: phases.map(label), inverse: true, axisTick: { show: false }, axisLine: { show: false }, axisLabel: { color: INK, fontSize: is_narrow() ? 11 : 13, lineHeight: 15, interval: 0 } },
    tooltip: { ...TOOLTIP, trigger: "item", formatter: ({ name, seriesName, data: d }) => `${escaped(name)}<br>${seriesName}: <b>${d.text}</b>` },
    series: PARTS_USED.map(([key, name, part]) => ({ type: "bar", name, barMaxWidth: 14, data: phases.map(([scheme, phase]) => share_item(scheme, phase, key, part)),
      label: { show: true, position: "right", formatter: ({ data: d }) => d.text, color: INK, fontSize: 11 } })),
  });
}

// Of phases that compute and move DRAM bytes: FLOP per byte, TFLOP/s, and where the latter stands.
function roofline_points(phases) {
  return phases.flatMap(([scheme, phase]) => {
    const at = `/schemes/${scheme}/limits/${phase}`, rate = result(`${at}/tflops`, { digits: 1 }), memory = result(`${at}/dram_GBps`);
    if (!(rate?.value > 0) || !(memory?.value > 0)) return [];
    return { value: [rate.value * 1000 / memory.value, rate.value], from: rate.from, bytes_from: memory.from, text: text_of(rate), scheme, phase };
  });
}

// A part's peak is what a phase did over its share of that; the phase that did most has the most digits.
function peak_of(phases, done, share) {
  const all = phases.map(([scheme, phase]) => view.results.schemes[scheme].limits[phase]).filter((l) => l[share] > 0);
  const most = all.reduce((a, b) => (b[share] > a[share] ? b : a), all[0]);
  return most && most[done] / most[share];
}

function roofline_chart(phases) {
  const points = roofline_points(phases), peak = peak_of(phases, "tflops", "matrix_share"), memory = peak_of(phases, "dram_GBps", "dram_share");
  if (points.length === 0 || !peak || !memory) return null;
  const ridge = peak * 1000 / memory, xs = [...points.map((p) => p.value[0]), ridge];
  const least = 10 ** Math.floor(Math.log10(Math.min(...xs) / 2)), most = 10 ** Math.ceil(Math.log10(Math.max(...xs) * 2));
  const low = 10 ** Math.floor(Math.log10(Math.min(...points.map((p) => p.value[1]), least * memory / 1000)));
  const roof = [[least, least * memory / 1000], [ridge, peak], [most, peak]].map((value) => ({ value, from: null }));
  const axis = (name, gap) => ({ type: "log", name, nameLocation: "middle", nameGap: gap, axisLabel: { formatter: tick }, nameTextStyle: { color: SOFT } });
  return chart("Roofline: TFLOP/s of each phase over its FLOP per DRAM byte", 300, {
    grid: { left: is_narrow() ? 52 : 64, right: 24, top: 16, bottom: 42 },
    xAxis: { ...axis("FLOP per byte of DRAM", 26), min: least, max: most }, yAxis: { ...axis("TFLOP/s", is_narrow() ? 36 : 44), min: low },
    tooltip: { ...TOOLTIP, trigger: "item", formatter: ({ data: d }) => d.scheme ? `${escaped(d.scheme)} ${escaped(spoken(d.phase))}<br><b>${d.text}</b> TFLOP/s at ${grouped(d.value[0], 1)} FLOP per byte` : "" },
    series: [
      { type: "line", name: "roof", data: roof, symbol: "none", silent: true, lineStyle: { color: SOFT, width: 2 } },
      { type: "line", name: "roofline", lineStyle: { opacity: 0 }, symbolSize: 12, showAllSymbol: true, data: points.map((p) => ({ ...p, symbol: scheme_symbol(p.scheme), itemStyle: { color: scheme_colour(p.scheme), opacity: 0.85 } })) },
    ],
  });
}

function use_of_parts(phases) {
  const chip = ([, name, part]) => el("span", {}, el("span", { class: "chip", style: `background:${shade(SCHEME_COLOURS.sequential, part)}` }), name);
  const roofline = roofline_chart(phases);
  return [el("div", { class: "keys" }, ...PARTS_USED.map(chip)), utilisation_chart(phases),
    ...(roofline ? [el("h3", {}, "Roofline"), el("p", { class: "note" }, "Phases that compute, by what they compute per byte that DRAM moves, communication’s bytes with them. The line is the peak of DRAM, then of the matrix units: ",
      "a phase below it waits for something else."), el("div", { class: "keys" }, ...[...new Set(roofline_points(phases).map((p) => p.scheme))].map(scheme_label)), roofline] : [])];
}
