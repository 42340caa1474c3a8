// The page of a run of schemes.
import assert from "node:assert/strict";
import { bring, chart_box, longest_slice, tooltip_at, zoom_of } from "./browser.mjs";
import { check_all } from "./every_number.mjs";
import { shown } from "./files.mjs";

const limits_of = (files) => Object.entries(files.results.schemes).flatMap(([s, { limits }]) => Object.entries(limits).map(([p, l]) => [`/schemes/${s}/limits/${p}`, l]));

// What the page calls the collective in a fused phase, and what must not be said of it.
const EXCHANGES = { "all-reduce": "RS", "reduce-scatter": "RS", "all-gather": "AG", "all-to-all": "all-to-all" };

export const runs = [
  ["every number is one of the files'", async (page, files) => {
    const seen = await check_all(page, files);
    assert.ok(seen.texts > 20 && seen.items > 10, JSON.stringify(seen));
    for (const control of await page.locator('fieldset input[type="radio"]').all()) {
      await control.check();
      await check_all(page, files);
    }
  }],

  ["the bars say the times of results.json", async (page, files) => {
    const drawn = await chart_box(page, "Time of each scheme").locator("svg text").allTextContents();
    for (const [scheme, { time_us, speedup, phases }] of Object.entries(files.results.schemes)) {
      const total = `${shown(time_us, 1)} µs   ×${shown(speedup, 3)}`;
      assert.ok(drawn.includes(total), `${scheme}: no "${total}" in ${drawn}`);
      const longest = Math.max(...Object.values(phases));
      assert.ok(drawn.some((text) => text.endsWith(`  ${shown(longest, 1)} µs`)), `${scheme}: ${longest} in ${drawn}`);
    }
  }],

  ["a bar hovered over tells its phase", async (page, files) => {
    const [scheme, { phases }] = Object.entries(files.results.schemes)[0];
    const text = await tooltip_at(page, "Time of each scheme", { x: 134, y: 31 }, `${shown(Object.values(phases)[0], 1)} µs`);
    assert.match(text, new RegExp(scheme));
  }],

  ["what limits a phase is what results.json says", async (page, files) => {
    const shown_limits = await page.$$eval("[data-limit]", (all) => all.map((e) => ({ at: e.dataset.limit, text: e.textContent, row: e.closest("tr").textContent })));
    const limits = limits_of(files), said = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "_");
    for (const { at, text, row } of shown_limits) {
      const [, l] = limits.find(([place]) => place === at);
      assert.ok(said(text).startsWith(l.limited_by.replace(/^(cu_port|dma)$/, (n) => ({ cu_port: "cu_ports", dma: "dma_engine" })[n])), `${at}: ${text}`);
      if (l.l2_hit_rate === null) assert.ok(row.includes("–"), row);
    }
    // Each is there, but for phases of computed schemes that stand with the scheme that runs them.
    assert.equal(shown_limits.length, new Set(limits.map(([at, l]) => at.split("/").pop() + JSON.stringify(l))).size);
    assert.ok(shown_limits.length > 0);
  }],

  ["the utilisation of every phase is drawn: matrix units, DRAM and links", async (page, files) => {
    const bars = await page.evaluate(() => {
      const found = window.t3sim.charts.find((c) => c.title.startsWith("What each phase uses"));
      return found?.instance.getOption().series.map((s) => s.data.filter((d) => d.from !== null).map((d) => [d.from, d.value]));
    });
    const limits = new Map(limits_of(files));
    for (const [i, key] of ["matrix_share", "dram_share", "link_share"].entries()) {
      assert.equal(bars[i].length, await page.locator("[data-limit]").count(), key);
      for (const [from, value] of bars[i]) {
        const at = from.slice(from.indexOf("#") + 1, from.lastIndexOf("/"));
        assert.ok(from.endsWith(key) && Math.abs(value - 100 * limits.get(at)[key]) < 1e-9, from);
      }
    }
  }],

  ["the roofline is that of the machine, and no phase is above it", async (page, files) => {
    const series = await page.evaluate(() => window.t3sim.charts.find((c) => c.title.startsWith("Roofline"))?.instance.getOption().series
      .map(({ name, data }) => ({ name, data: data.map(({ value, from, bytes_from }) => ({ value, from, bytes_from })) })));
    const computing = limits_of(files).filter(([, l]) => l.tflops > 0 && l.dram_GBps > 0);
    if (!series) return void assert.equal(computing.length, 0);
    const [[, slope], [ridge, peak]] = series[0].data.map((d) => d.value);
    const setting = (key) => parseFloat(files.lookup("config.yaml#" + key));
    const machine = setting("gpu.cus") * setting("gpu.clock") * 1e9 * setting("gpu.matrix_flops_per_cycle") / 1e12;
    assert.ok(Math.abs(peak / machine - 1) < 1e-3, `${peak} TFLOP/s, the machine has ${machine}`);
    assert.ok(ridge > 0 && slope > 0);
    for (const { value: [x, y], from, bytes_from } of series[1].data) {
      assert.equal(y, files.lookup(from));
      assert.ok(Math.abs(x * files.lookup(bytes_from) / (1000 * y) - 1) < 1e-9, from);
      assert.ok(y <= Math.min(peak, x * peak / ridge) * 1.0001, `${from} is above the roof`);
    }
  }],

  ["a fused phase is called after the collective in it", async (page, files) => {
    const text = await page.textContent("#page"), kind = files.lookup("config.yaml#collective.kind");
    if (Object.values(files.results.schemes).some(({ phases }) => phases.fused_us)) assert.ok(text.includes("GEMM + " + EXCHANGES[kind]), kind);
    for (const [other, name] of [["RS", /\bRS\b|reduce-scatter|near memory reduction/], ["all-to-all", /all-to-all/]])
      if (EXCHANGES[kind] !== other) assert.doesNotMatch(text.replace(/The whole configuration[^]*/, ""), name, kind);
  }],

  ["parts of the gap add up to it", async (page, files) => {
    for (const [scheme, { gap }] of Object.entries(files.results.schemes)) {
      if (!gap) continue;
      const sum = Object.values(gap.parts_us).reduce((a, b) => a + b, 0);
      assert.ok(Math.abs(sum - gap.gap_us) < 1e-9 * Math.max(1, gap.gap_us), `${scheme}: ${sum} of ${gap.gap_us}`);
    }
  }],

  ["a slice of the time line hovered over tells what it is", async (page, files) => {
    if (!files.texts["timeline.csv"]) return;
    const spot = await longest_slice(page, "Time line of"), slice = files.slice(spot.from);
    const text = await tooltip_at(page, "Time line of", spot, slice.name);
    assert.ok(text.includes(`GPU ${slice.gpu}, ${slice.track}`) && text.includes(`${shown(slice.start, 2)} – ${shown(slice.end, 2)} µs`), text);
  }],

  ["the time line is zoomed by wheel, keys and buttons, and the series follow", async (page, files) => {
    if (!files.texts["timeline.csv"]) return;
    await bring(page, "Time line of");
    const box = await chart_box(page, "Time line of").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    for (let i = 0; i < 4; ++i) await page.mouse.wheel(0, -300);
    await page.waitForFunction(() => { const z = window.t3sim.charts.at(-1).instance.getOption().dataZoom[0]; return z.end - z.start < 80; });
    const wheel = await zoom_of(page, "Time line of");
    assert.deepEqual(await zoom_of(page, "Traffic and queues"), wheel);
    await chart_box(page, "Time line of").focus();
    await page.keyboard.press("ArrowRight");
    assert.ok((await zoom_of(page, "Time line of"))[0] > wheel[0]);
    await page.getByLabel("show all").click();
    assert.deepEqual(await zoom_of(page, "Time line of"), [0, 100]);
  }],
];
