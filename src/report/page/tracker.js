// What the Tracker held, of the schemes that have one.
function tracker_section() {
  const schemes = Object.keys(view.results.schemes).filter((s) => Object.keys(view.results.schemes[s].tracker ?? {}).length > 0);
  if (schemes.length === 0) return null;
  const of = (s, n) => view.results.schemes[s].tracker[n];
  const names = [...new Set(schemes.flatMap((s) => Object.keys(view.results.schemes[s].tracker)))].filter((n) => schemes.some((s) => of(s, n) !== 0));
  return section("What the Tracker held",
    table(["of a GPU", ...schemes.map(scheme_label)],
      names.map((n) => [n.replaceAll("_", " "), ...schemes.map((s) => result(`/schemes/${s}/tracker/${n}`, WHOLE))])));
}
