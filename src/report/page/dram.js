// DRAM bytes of a GPU, by what caused them.
function dram_series(schemes, cause, form) {
  const writes = /_write$/.test(cause);
  return { type: "bar", stack: "bytes", name: spoken(cause), barWidth: "62%",
    data: schemes.map((s) => {
      const q = result(`/schemes/${s}/dram_bytes/${cause}`, form);
      if (!q) return { value: 0, from: null };
      const colour = shade(scheme_colour(s), share_of(cause));
      return { value: q.value / q.per, from: q.from, per: q.per, text: text_of(q), scheme: s,
               itemStyle: { color: colour, borderColor: PAPER, borderWidth: 1, decal: writes ? HATCH : { symbol: "none" } } };
    }) };
}

function dram_chart(schemes, causes, form) {
  return chart("DRAM bytes of a GPU under each scheme, by cause, in megabytes", schemes.length * 40 + 54, {
    aria: HATCHING,
    grid: is_narrow() ? { left: 104, right: 18, top: 8, bottom: 42 } : { left: 128, right: 40, top: 8, bottom: 42 },
    xAxis: { type: "value", splitNumber: is_narrow() ? 2 : 5, name: "MB a GPU", nameLocation: "middle", nameGap: 26, axisLabel: { formatter: tick } },
    yAxis: { type: "category", data: schemes, inverse: true, axisTick: { show: false }, axisLine: { show: false }, axisLabel: scheme_axis_label(schemes) },
    tooltip: { ...TOOLTIP, trigger: "item", formatter: ({ seriesName, data: d }) => `${escaped(d.scheme)}<br>${escaped(seriesName)}: <b>${d.text}</b>` },
    series: causes.map((cause) => dram_series(schemes, cause, form)),
  });
}

// Which shade is whose bytes.
function dram_keys(colour, causes, ...before) {
  const LONG = { RS: "reduce-scatter", AG: "all-gather" };
  const chip = (background, text) => el("span", {}, el("span", { class: "chip", style: "background:" + background }), text);
  const parts = [...new Set(causes.map(part_of))].map((part) => chip(shade(colour, share_of(part)), LONG[spoken(part)] ?? spoken(part)));
  return el("div", { class: "keys" }, ...before, ...parts, chip(`repeating-linear-gradient(135deg, ${colour} 0 2px, #fff 2px 4px)`, "hatched: writes and updates"));
}

function dram_section() {
  const schemes = Object.keys(view.results.schemes);
  const all = [...new Set(schemes.flatMap((s) => Object.keys(view.results.schemes[s].dram_bytes)))];
  const causes = all.filter((c) => schemes.some((s) => view.results.schemes[s].dram_bytes[c] > 0));
  if (causes.length === 0) return null;
  const form = fitting(MB, schemes.flatMap((s) => Object.values(view.results.schemes[s].dram_bytes)));
  const rows = schemes.map((s) => [scheme_label(s), ...causes.map((c) => result(`/schemes/${s}/dram_bytes/${c}`, form))]);
  return section("Which bytes DRAM moves",
    dram_keys(SCHEME_COLOURS.sequential, causes),
    dram_chart(schemes, causes, form), table(["MB a GPU", ...causes.map(spoken)], rows));
}
