// Why the overlap falls short of the ideal: parts of the gap, in µs (docs/gap.md).
const GAP_PARTS = {
  memory_contention: "loads, stores and DMA reads that memory served later",
  cache_bypass: "the uncached output leaves the cache to the inputs",
  link: "stores that waited for the link; packets still to send after the kernel’s end",
  tracker: "accesses held up by stores that the Tracker had no room for",
  dma: "the link waited for what the DMA engine was reading",
  producer: "the link waited for the GEMM",
  dispatch: "places without a workgroup; until the first ones have something to send",
  workgroup_overlap: "waits that the CU’s other workgroup covers by computing (more of them: won)",
  arrival: "workgroups that waited for what other GPUs send",
  tail: "after the last packet: latency and the last updates",
  kernel_steps: "gaps between the steps of a collective kernel, which a fused run does not have",
  near_memory_reduction: "the last reduction of a collective kernel, which memory does on the way",
  other_phases: "the all-gather, and what else lies around",
  unexplained: "what the account does not explain",
};
function gap_of(scheme) { return view.results.schemes[scheme].gap; }

function gap_section() {
  const schemes = Object.keys(view.results.schemes).filter((s) => gap_of(s));
  if (schemes.length === 0) return no_gap_section();
  const form = { ...US, digits: 2 };
  const part = (s, p) => result(`/schemes/${s}/gap/parts_us/${p}`, form), total = (s) => result(`/schemes/${s}/gap/gap_us`, form);
  const parts = gap_parts(schemes);
  const rows = parts.map((p) => [p.replaceAll("_", " "), ...schemes.map((s) => part(s, p)), GAP_PARTS[p] ?? ""]);
  const share = (s) => result(`/schemes/${s}/gap/unexplained_share`, { per: 0.01, digits: 1 });
  rows.push([el("b", {}, "the gap"), ...schemes.map(total), "the sum of all parts"]);
  if (schemes.some((s) => share(s)?.value >= 0.0005)) rows.push(["% unexplained", ...schemes.map(share), "of the sizes of all parts"]);
  return section("Why the overlap falls short of the ideal", ...schemes.map((s) => gap_sentence(s, total(s))), gap_chart(schemes, parts, part),
    table(["µs", ...schemes.map(scheme_label), "lost (below zero: won) by"], rows, 1, schemes.length + 1));
}

// Why there is none, where there could be one.
function no_gap_section() {
  const why = Object.values(view.results.schemes).map((s) => s.no_gap).find((text) => text);
  return why ? section("Why the overlap falls short of the ideal", el("p", {}, "The gap is not given in parts: ", named(why), ".")) : null;
}

// The largest first, what is unexplained last. What is nothing in two digits is left out.
function gap_parts(schemes) {
  const size = (p) => Math.max(...schemes.map((s) => Math.abs(gap_of(s).parts_us[p] ?? 0)));
  const all = [...new Set(schemes.flatMap((s) => Object.keys(gap_of(s).parts_us)))];
  return all.filter((p) => size(p) >= 0.005).sort((a, b) => (a === "unexplained") - (b === "unexplained") || size(b) - size(a));
}

function gap_sentence(scheme, total) {
  const { reference, bound_by, gap_us } = gap_of(scheme);
  const size = number_span(gap_us < 0 ? { ...total, per: -1 } : total);
  const bound = bound_by ? [`; of the two that overlap, the ${spoken(bound_by)} takes longer`] : [];
  return el("p", {}, scheme_label(scheme), " takes ", size, gap_us < 0 ? " µs less than " : " µs more than ", scheme_label(reference), ...bound, ".");
}

function gap_chart(schemes, parts, part) {
  const label = (p) => p.replaceAll("_", " ");
  const item = (p, q) => q && { value: q.value, from: q.from, text: digits_of(q), label: { position: q.value < 0 ? "left" : "right" },
                                itemStyle: p === "unexplained" ? { decal: HATCH } : {} };
  const series = schemes.map((s) => ({ type: "bar", name: s, itemStyle: { color: scheme_colour(s) }, barMaxWidth: 16,
    label: { show: true, formatter: ({ data: d }) => d.text, color: INK, fontSize: 12 },
    data: parts.map((p) => item(p, part(s, p)) ?? { value: 0, from: null, text: "" }) }));
  return chart("Parts of the gap to the ideal, in microseconds", parts.length * (12 + 18 * schemes.length) + 50, {
    aria: HATCHING,
    grid: is_narrow() ? { left: 140, right: 34, top: 8, bottom: 42 } : { left: 170, right: 70, top: 8, bottom: 42 },
    xAxis: { type: "value", splitNumber: is_narrow() ? 2 : 5, name: "µs lost (below zero: won)", nameLocation: "middle", nameGap: 26, boundaryGap: is_narrow() ? ["30%", "16%"] : ["6%", "6%"], axisLabel: { formatter: tick } },
    yAxis: { type: "category", data: parts.map(label), inverse: true, axisTick: { show: false }, axisLine: { show: false }, axisLabel: { color: INK, fontSize: is_narrow() ? 11 : 13 } },
    tooltip: { ...TOOLTIP, trigger: "item", formatter: ({ seriesName, name, data: d }) => `${escaped(seriesName)}<br>${escaped(name)}: <b>${d.text} µs</b>` },
    series,
  });
}
