// Times in the files are since the start of a phase; here a scheme's phases lie one after the other.
function phases_of(scheme) {
  const names = [...new Set(data.stats.filter((r) => r[5] === scheme).map((r) => r[6]))];
  const phases = view.results.schemes[scheme].phases, keys = Object.keys(phases);
  let at = 0;
  return names.map((name, i) => {
    const start = at, key = keys[i];
    at += phases[key] ?? 0;
    return { name, key, start, end: at };
  });
}

// Schemes that were simulated: only those have series and a time line.
function simulated_schemes() {
  const simulated = new Set(data.series.map((s) => s.scheme));
  return Object.keys(view.results.schemes).filter((s) => simulated.has(s));
}

function duration_of(scheme) { return phases_of(scheme).at(-1)?.end ?? view.results.schemes[scheme].time_us; }
