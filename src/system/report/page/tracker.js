// What the Tracker held, of the schemes that have one.
function tracker_section() {
  const schemes = Object.keys(data.results.schemes).filter((s) => Object.keys(data.results.schemes[s].tracker ?? {}).length > 0);
  if (schemes.length === 0) return null;
  const names = [...new Set(schemes.flatMap((s) => Object.keys(data.results.schemes[s].tracker)))];
  return section("What the Tracker held",
    table(["scheme", ...names.map((n) => n.replaceAll("_", " "))],
      schemes.map((s) => [scheme_label(s), ...names.map((n) => result(`/schemes/${s}/tracker/${n}`, WHOLE))])));
}
