// Why the overlap falls short of the ideal: parts of the gap, in µs.
function gap_section() {
  const schemes = Object.keys(view.results.schemes).filter((s) => view.results.schemes[s].gap);
  if (schemes.length === 0) return null;
  const gap = (s) => view.results.schemes[s].gap;
  const parts = [...new Set(schemes.flatMap((s) => Object.keys(gap(s).parts_us)))].filter((p) => p !== "unexplained").concat("unexplained");
  const part = (s, p) => result(`/schemes/${s}/gap/parts_us/${p}`, { ...US, digits: 2 });
  const total = (s) => result(`/schemes/${s}/gap/gap_us`, { ...US, digits: 2 });
  const sentences = schemes.map((s) => el("p", {}, scheme_label(s), " takes ", shown(total(s)), " longer than ", scheme_label(gap(s).reference), "."));
  const rows = parts.map((p) => [p.replaceAll("_", " "), ...schemes.map((s) => part(s, p))]);
  rows.push([el("b", {}, "the gap"), ...schemes.map(total)]);
  return section("Why the overlap falls short of the ideal", ...sentences, gap_chart(schemes, parts, part),
    table(["µs", ...schemes.map(scheme_label)], rows));
}

function gap_chart(schemes, parts, part) {
  const series = schemes.map((s) => ({ type: "bar", name: s, itemStyle: { color: scheme_colour(s) }, barMaxWidth: 16,
    label: { show: true, position: "right", formatter: ({ data: d }) => d.text, color: INK, fontSize: 12 },
    data: parts.map((p) => {
      const q = part(s, p);
      if (!q) return { value: 0, from: null, text: "" };
      return { value: q.value, from: q.from, text: digits_of(q), label: { position: q.value < 0 ? "left" : "right" },
               itemStyle: p === "unexplained" ? { decal: HATCH } : {} };
    }) }));
  return chart("Parts of the gap to the ideal, in microseconds", parts.length * (12 + 18 * schemes.length) + 50, {
    aria: { enabled: true, decal: { show: true, decals: [{ symbol: "none" }] } },
    grid: { left: 150, right: 70, top: 8, bottom: 42 },
    xAxis: { type: "value", name: "µs lost (below zero: won)", nameLocation: "middle", nameGap: 26, axisLabel: { formatter: tick } },
    yAxis: { type: "category", data: parts.map((p) => p.replaceAll("_", " ")), inverse: true, axisTick: { show: false }, axisLabel: { color: INK, fontSize: 13 } },
    tooltip: { ...TOOLTIP, trigger: "item", formatter: ({ seriesName, name, data: d }) => `${escaped(seriesName)}<br>${escaped(name)}: <b>${d.text} µs</b>` },
    series,
  });
}
