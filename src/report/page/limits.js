// What limits each phase: how much of each part it uses, and what it waits for most (docs/limits.md).
const LIMITS = {
  matrix_units: ["matrix units", "the matrix units worked"],
  tile_padding: ["tile padding", "the matrix units worked on what lies outside the problem"],
  recorded_times: ["recorded times", "the trace says when its groups end"],
  launch: ["launch", "the kernel was being launched, its first workgroups dispatched"],
  too_few_workgroups: ["too few workgroups", "places for workgroups were empty: there were no more"],
  loads_in_flight: ["loads in flight", "CUs had all the loads on their way that they may have"],
  cu_port: ["CU ports", "loads and their data went through the CUs’ ports one after the other"],
  l2: ["L2", "requests queued for the L2’s slices: their ports, their MSHRs"],
  l2_latency: ["L2 latency", "loads that hit took their time, without a queue"],
  dram_bandwidth: ["DRAM bandwidth", "reads and writes queued for DRAM, whose timing takes what the data does not"],
  dram_latency: ["DRAM latency", "loads that missed took their time, without a queue"],
  store_path: ["store path", "stores left the CUs one after the other, or were waited for to be acknowledged"],
  tracker: ["Tracker", "accesses stood behind stores that the Tracker had no room for"],
  network_card: ["network cards", "the link waited for puts that a network card had not started"],
  dma: ["DMA engine", "the link waited for what the DMA engine was reading"],
  link_bandwidth: ["link bandwidth", "a link was busy, and was waited for"],
  link_credits: ["link credits", "packets waited for credits, which were on their way"],
  link_latency: ["link latency", "packets were on their way"],
};
const LINK_IDLE = {
  credit: "credits", dma: "the DMA engine’s reads", dma_memory: "room in memory’s queues", producer: "the kernel", upstream: "other GPUs",
  card: "a network card", before_first_packet: "the first packet", after_last_packet: "the end, all is sent", nothing_to_send: "nothing is sent", none: "never idle",
};
const SHARE = { per: 0.01, digits: 1 };

// Phases with limits as [scheme, phase]. An ideal scheme is computed from phases of which some stand with the scheme that
// runs them.
function limited_phases() {
  const seen = new Set();
  return Object.entries(view.results.schemes).flatMap(([scheme, { limits }]) => Object.entries(limits ?? {}).filter(([phase, l]) => {
    const id = phase + JSON.stringify(l), is_new = !seen.has(id);
    seen.add(id);
    return is_new;
  }).map(([phase]) => [scheme, phase]));
}

function limits_section() {
  const phases = limited_phases();
  if (phases.length === 0) return null;
  const heads = ["scheme", "phase", "limited by", "% of its time", "TFLOP/s", "% of peak", "CUs busy", "% link busy", "link idle, most, for",
                 "DRAM GB/s", "% of peak", "% L2 hits", ...(has_named_links(phases) ? ["fullest link", "% busy"] : []), "of its time, most was when"];
  return section("What limits each phase",
    el("p", { class: "note" }, "Means over the phase, on the GPU that took longest. What limits is what most of the phase’s time was spent on or waited for."),
    table(heads, phases.map(([scheme, phase]) => limits_row(scheme, phase, has_named_links(phases))), 3, heads.length - 1),
    ...use_of_parts(phases));
}

function has_named_links(phases) {
  return phases.some(([scheme, phase]) => view.results.schemes[scheme].limits[phase].fullest_link);
}

function limits_row(scheme, phase, with_links) {
  const at = `/schemes/${scheme}/limits/${phase}`, l = view.results.schemes[scheme].limits[phase];
  const number = (key, form) => result(`${at}/${key}`, form), [name, meaning] = LIMITS[l.limited_by] ?? [l.limited_by, ""];
  const b = el("b", { "data-limit": at }, name);
  return [scheme_label(scheme), spoken(phase), b, number("limited_share", SHARE), number("tflops", { digits: 1 }), number("matrix_share", SHARE),
          number("cus_busy", { digits: 1 }), number("link_share", SHARE), LINK_IDLE[l.link_idle_cause] ?? l.link_idle_cause,
          number("dram_GBps", { digits: 0 }), number("dram_share", SHARE), number("l2_hit_rate", SHARE),
          ...(with_links ? [l.fullest_link ? named(l.fullest_link) : "–", number("fullest_link_share", SHARE)] : []), meaning];
}
