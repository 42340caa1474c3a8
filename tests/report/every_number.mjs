// Holds every number of a page against the files.
import assert from "node:assert/strict";
import { charts } from "./browser.mjs";
import { shown } from "./files.mjs";

const near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

// Numbers in the text: what is shown is what stands at the place named. Returns how many there are.
export async function check_texts(page, files) {
  const numbers = await page.$$eval(".number", (all) => all.map((e) => ({ text: e.textContent, ...e.dataset })));
  for (const { text, from, per, digits } of numbers) {
    const value = files.lookup(from);
    const expected = typeof value === "string" || digits === undefined ? String(value) : shown(value / Number(per), Number(digits));
    assert.equal(text, expected, `${from}`);
  }
  return numbers.length;
}

// Digits in any other text are those of names in the files. Labels of axes are in pictures and not looked at.
export async function check_names(page, files) {
  const texts = await page.evaluate(() => {
    const found = [], walk = document.createTreeWalker(document.getElementById("page"), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const parent = walk.currentNode.parentElement;
      if (!parent.closest(".number, .chart, pre") && /\d/.test(walk.currentNode.data.replace(/L2|t3sim/g, ""))) found.push({ text: walk.currentNode.data, named: !!parent.closest(".name, option, code") });
    }
    return found;
  });
  const values = (files.plan ?? []).slice(1).flatMap((point) => point.values.map(Number));
  const known = (text) => files.has(text) || values.some((v) => Number(v.toPrecision(6)) === Number(text)) || (files.plan && Number(text) < files.plan[0].points);
  for (const { text, named } of texts) {
    assert.ok(named, `a number that is none of the files': "${text}"`);
    for (const piece of files.has(text.trim()) ? [] : text.trim().split(", ")) assert.ok(known(piece), `a name that is not in the files: "${piece}"`);
  }
  return texts.length;
}

function check_item(files, chart, series, d) {
  const where = `${chart.title}: ${series.name}: ${d.from}`;
  if (d.from === null) return void assert.ok(series.type !== "bar" || d.value === 0, where);
  if (d.from.startsWith("series.csv")) {
    const row = files.interval(d.from);
    assert.ok(near(d.value[0], row.start) && near(d.value[1], row.value / d.per), where);
    assert.ok(d.per === 1 || near(d.per, row.interval * 1000), where);
  } else if (d.from.startsWith("timeline.csv")) {
    const row = files.slice(d.from);
    assert.ok(near(d.value[0], row.start) && near(d.value[1], row.end), where);
  } else if (d.from.startsWith("commands.csv")) {
    const row = files.command(d.from);
    assert.ok(d.value[0] === row.start && d.value[1] === row.end, where);
  } else if (series.name === "phases" || series.name === "totals") {
    assert.equal(d.shows, files.lookup(d.from), where);
    if (series.name === "phases") assert.ok(near(d.value[1] - d.value[0], d.shows), where);
    assert.ok(d.text.startsWith(shown(d.shows, 1)), where);
  } else {
    const value = Array.isArray(d.value) ? d.value.at(-1) : d.value;
    assert.ok(near(value * (d.per ?? 1), files.lookup(d.from)), where);
    assert.match(d.text, /\d/, where);
  }
}

// Whatever the charts draw. Returns how many items that is.
export async function check_charts(page, files) {
  let items = 0;
  for (const chart of await charts(page))
    for (const series of chart.series)
      for (const d of series.data) {
        if (series.name === "tracks") continue;  // only names of tracks
        assert.ok(d.from !== undefined, `${chart.title}: ${series.name}: data of no file`);
        check_item(files, chart, series, d);
        items += d.from !== null;
      }
  return items;
}

export async function check_all(page, files) {
  return { texts: await check_texts(page, files), names: await check_names(page, files), items: await check_charts(page, files) };
}
