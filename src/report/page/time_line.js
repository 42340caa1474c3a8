// Stages, Tracker triggers, DMA transfers, links, steps of collectives: slices by GPU and track.
const TRACK_ORDER = ["kernel", "stage", "step", "tracker", "dma"];
const LEAST_TRACK = 17, TRACK_GAP = 5, MOST_LANES = 8, ROOMY_LANES = 3;

function track_rank(track) {
  const at = TRACK_ORDER.indexOf(track);
  return at >= 0 ? at : TRACK_ORDER.length + !track.startsWith("link");
}

// Tracks from top to bottom, each with its slices, placed in lanes so that none hides another.
function tracks_of(scheme, gpu) {
  const t = data.time_line, starts = Object.fromEntries(phases_of(scheme).map((p) => [p.name, p.start]));
  const tracks = new Map();
  for (let row = 0; row < t.gpu.length; ++row) {
    const phase = t.texts[t.phase[row]];
    if (t.texts[t.scheme[row]] !== scheme || (gpu !== null && t.gpu[row] !== gpu) || !(phase in starts)) continue;
    const track = t.texts[t.track[row]], id = t.gpu[row] + "|" + track;
    if (!tracks.has(id)) tracks.set(id, { gpu: t.gpu[row], track, slices: [] });
    tracks.get(id).slices.push({ start: starts[phase] + t.start_us[row], end: starts[phase] + t.end_us[row], row });
  }
  const sorted = [...tracks.values()].sort((a, b) => a.gpu - b.gpu || track_rank(a.track) - track_rank(b.track) || (a.track < b.track ? -1 : 1));
  sorted.forEach(place_in_lanes);
  return sorted;
}

function place_in_lanes(track) {
  track.slices.sort((a, b) => a.start - b.start || a.end - b.end || a.row - b.row);
  const free = [];
  for (const slice of track.slices) {
    let lane = free.findIndex((end) => end <= slice.start);
    if (lane < 0) lane = free.length < MOST_LANES ? free.length : free.indexOf(Math.min(...free));
    slice.lane = lane;
    free[lane] = slice.end;
  }
  track.lanes = Math.max(1, free.length);
  track.height = Math.max(LEAST_TRACK, track.lanes * (track.lanes <= ROOMY_LANES ? 13 : 7));
}

function track_colour(scheme, track, i) {
  if (track === "tracker") return INK;
  if (track === "stage" || track === "step") return shade(scheme_colour(scheme), i % 2 ? 0.6 : 1);
  return shade(scheme_colour(scheme), track === "dma" ? 0.75 : 0.4);
}

function slices_of(tracks, scheme) {
  const items = [];
  let top = 0;
  for (const track of tracks) {
    track.top = top;
    const height = track.height / track.lanes;
    track.slices.forEach((s, i) => items.push({ value: [s.start, s.end, top + s.lane * height, height], from: "timeline.csv#" + s.row, track,
                                                colour: track_colour(scheme, track.track, i), words: slice_name(s.row, track) }));
    top += track.height + TRACK_GAP;
  }
  return { items, height: top };
}

// A slice narrower than a pixel in a pixel that already has one is left out: nobody could see it.
function draw_slice(items) {
  let painted = new Map();
  return (params, api) => {
    const item = items[params.dataIndex];
    if (params.dataIndexInside === 0) painted = new Map();
    const { x: from, width, y: top } = params.coordSys;
    const left = Math.max(api.coord([api.value(0), 0])[0], from - 1), right = Math.min(api.coord([api.value(1), 0])[0], from + width + 1);
    const y = top + api.value(2);
    if (right - left < 1 && painted.get(y) >= right - 0.5) return null;
    const shape = { x: left, y, width: Math.max(right - left, 1), height: api.value(3) - (api.value(3) > 4 ? 1 : 0) };
    painted.set(y, shape.x + shape.width);
    const words = item.words;
    const fits = shape.height >= 12 && words.length * 6.4 < shape.width - 6;
    return { type: "rect", shape, style: { fill: item.colour },
             textContent: fits ? { style: { text: words, fontFamily: FONT.fontFamily, fontSize: 11, fill: ink_on(item.colour) } } : undefined, textConfig: { position: "inside" } };
  };
}

// Names of tracks to the left, drawn once each: rows are of different heights.
function draw_track_name(tracks, gpus) {
  return (params) => {
    const track = tracks[params.dataIndex], { x, y } = params.coordSys;
    const alone = track.track.includes(">") ? track.track.replace("link ", "") : null;  // a link that says both its ends
    const name = alone ?? (gpus > 1 ? `GPU ${track.gpu}  ${track.track}` : track.track);
    return { type: "text", x: x - 8, y: y + track.top + track.height / 2, style: { text: name, align: "right", verticalAlign: "middle", fill: INK, fontFamily: FONT.fontFamily, fontSize: 12 } };
  };
}

// ECharts copies its data deeply: it gets no more than it needs.
function plain(items) { return items.map(({ value, from }) => ({ value, from })); }

// Of stages the file has the number.
function slice_name(row, track) {
  const name = data.time_line.texts[data.time_line.name[row]];
  return /^\d+$/.test(name) ? `${track.track} ${name}` : name;
}

function slice_tooltip(item) {
  return `GPU ${item.track.gpu}, ${escaped(item.track.track)}<br><b>${escaped(item.words)}</b><br>${grouped(item.value[0], 2)} – ${grouped(item.value[1], 2)} µs`;
}

function time_line_option(scheme, gpu) {
  const tracks = tracks_of(scheme, gpu), { items, height } = slices_of(tracks, scheme);
  return { height: height + 96, option: tracks_option(tracks, items, height, duration_of(scheme), slice_tooltip, [phase_marks(scheme, 4)]) };
}

// Tracks over a time axis that ends at `end`, in µs.
function tracks_option(tracks, items, height, end, tooltip, more) {
  const gpus = new Set(tracks.map((t) => t.gpu)).size;
  const names = tracks.map((_, i) => ({ value: [0, 0, i] }));
  return {
    grid: { ...SIDES, top: 24, height },
    xAxis: { type: "value", min: 0, max: end, name: "µs", nameLocation: "middle", nameGap: 24, axisLabel: { showMaxLabel: false, formatter: tick }, splitLine: { show: false } },
    yAxis: { type: "value", show: false, min: 0, max: 1 },
    tooltip: { ...TOOLTIP, trigger: "item", formatter: ({ dataIndex }) => tooltip(items[dataIndex]) },
    dataZoom: [{ type: "inside", filterMode: "weakFilter", minSpan: 0.02, zoomOnMouseWheel: true, moveOnMouseWheel: false },
               { type: "slider", filterMode: "weakFilter", minSpan: 0.02, height: 18, bottom: 6, showDetail: false, brushSelect: false }],
    series: [
      { type: "custom", name: "slices", clip: true, progressive: 0, encode: { x: [0, 1], y: 3 }, renderItem: draw_slice(items), data: plain(items) },
      { type: "custom", name: "tracks", clip: false, silent: true, encode: { x: -1, y: -1 }, renderItem: draw_track_name(tracks, gpus), data: names },
      ...more,
    ],
  };
}
