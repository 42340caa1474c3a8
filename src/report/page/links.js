// The links between the GPUs, how busy each was, and the picture of the graph.
const MOST_LINKS = 12;

// Links by how busy they were at most, each with its [GB/s, bytes, share] by scheme.
function fullest_links() {
  const links = new Map();
  for (const [scheme, link, ...numbers] of data.links) {
    if (!links.has(link)) links.set(link, { link, most: 0, by_scheme: new Map() });
    const entry = links.get(link);
    entry.most = Math.max(entry.most, numbers[2]);
    entry.by_scheme.set(scheme, numbers);
  }
  return [...links.values()].sort((a, b) => b.most - a.most);
}

function links_table(links, schemes) {
  const cells = ({ link, by_scheme }) => schemes.flatMap((scheme) => {
    const [, bytes, share] = by_scheme.get(scheme), place = `links.csv#${scheme}|${link}`;
    return [quantity(bytes, place + "|bytes", { per: 1e6, digits: 1 }), quantity(share, place + "|busy_share", SHARE)];
  });
  const rate = ({ link, by_scheme }) => quantity(by_scheme.get(schemes[0])[0], `links.csv#${schemes[0]}|${link}|GBps`, { digits: 1 });
  return table(["link", "GB/s", ...schemes.flatMap((s) => [el("span", {}, named(s), ", MB"), "% busy"])], links.map((l) => [named(l.link), rate(l), ...cells(l)]));
}

function links_section() {
  if (!data.links?.length) return null;
  const links = fullest_links(), schemes = [...new Set(data.links.map(([scheme]) => scheme))];
  const picture = el("div", { class: "chart picture", role: "img", "aria-label": "The graph of links, each coloured by how busy it was" });
  const draw = (scheme) => { picture.innerHTML = data.pictures[scheme]; };
  draw(schemes[0]);
  return section("Links between the GPUs",
    el("p", { class: "note" }, "The fullest first; data without headers, and the share of the scheme’s time that the link was busy."),
    links_table(links.slice(0, MOST_LINKS), schemes),
    links.length > MOST_LINKS ? folded("All other links", links_table(links.slice(MOST_LINKS), schemes)) : null,
    schemes.length > 1 ? choice("Picture of", schemes, schemes[0], draw, scheme_label) : null, picture);
}
