// Pages of `t3sim report` as a person meets them. Run by report_test.sh.
//   T3SIM_RUNS, T3SIM_SWEEPS, T3SIM_PROGRAMS: directories, apart by ":", each with its report.html
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { browser, open } from "./browser.mjs";
import { check_all } from "./every_number.mjs";
import { Files, shown } from "./files.mjs";

const list = (text) => (text ? text.split(":") : []);
const runs = list(process.env.T3SIM_RUNS), sweeps = list(process.env.T3SIM_SWEEPS), programs = list(process.env.T3SIM_PROGRAMS);
const compared = list(process.env.T3SIM_COMPARED);
const page_of = (directory) => path.join(directory, "report.html");

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

// Each page is opened once, and is as it was opened for every test.
const pages = new Map();
async function with_page(directory, action) {
  if (!pages.has(directory)) pages.set(directory, { page: await open(chrome, page_of(directory)), files: new Files(directory) });
  const { page, files } = pages.get(directory);
  await action(page, files);
  assert.deepEqual(page.troubles, []);
  assert.deepEqual([...new Set(page.asked)], [page.url().replace(/#.*/, "")], "asked for more than itself");
}

const chart_box = (page, title) => page.locator(`.chart[aria-label^="${title}"]`);
const zoom_of = (page, title) => page.evaluate((t) => {
  const { start, end } = window.t3sim.charts.find((c) => c.title.startsWith(t)).instance.getOption().dataZoom[0];
  return [start, end];
}, title);

// Boxes of the texts of a page's pictures that lie on one another, by more than a hair.
function overlapping_labels(page) {
  return page.evaluate(() => [...document.querySelectorAll(".chart svg")].flatMap((svg) => {
    const texts = [...svg.querySelectorAll("text")].map((e) => ({ text: e.textContent.trim(), box: e.getBoundingClientRect() }))
      .filter(({ text, box }) => text && box.width > 0 && getComputedStyle(svg).visibility !== "hidden");
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
    const title = svg.closest(".chart").getAttribute("aria-label");
    return texts.flatMap((a, i) => texts.slice(i + 1).filter((b) => meet(a.box, b.box)).map((b) => `${title}: "${a.text}" on "${b.text}"`));
  }));
}

for (const directory of [...runs, ...sweeps, ...compared])
  for (const width of [1400, 390])
    for (const scheme of ["light", "dark"])
      test(`${path.basename(directory)}: no label lies on another and nothing sticks out, ${width} pixels, ${scheme}`, async () => {
        const page = await open(chrome, page_of(directory), { width, height: 900 }, scheme);
        assert.deepEqual(await overlapping_labels(page), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the window");
        const [paper, ink] = await page.evaluate(() => ["backgroundColor", "color"].map((key) => getComputedStyle(document.body)[key].match(/\d+/g).map(Number)));
        const light = ([r, g, b]) => r + g + b > 380;
        assert.equal(light(paper), scheme === "light");
        assert.equal(light(ink), scheme === "dark");
        assert.deepEqual(page.troubles, []);
        await page.context().close();
      });

for (const directory of compared) {
  const name = path.basename(directory);

  test(`comparison of ${name}: every number is one of t3sim compare --json`, async () => {
    await with_page(directory, async (page, files) => {
      const seen = await check_all(page, files);
      assert.ok(seen.texts > 5, JSON.stringify(seen));
    });
  });

  test(`comparison of ${name}: each is named, and so are the keys that differ`, async () => {
    await with_page(directory, async (page, files) => {
      const text = await page.textContent("#page");
      for (const each of [...files.comparison.names, ...files.comparison.config.map(({ key }) => key)]) assert.ok(text.includes(each), each);
    });
  });
}

for (const directory of [...runs, ...sweeps, ...compared]) {
  if (!fs.existsSync(page_of(directory))) continue;
  test(`${path.basename(directory)}: every chart can be saved as SVG, with its texts`, async () => {
    await with_page(directory, async (page) => {
      const all = await page.evaluate(() => window.t3sim.charts.map((c) => ({ title: c.title, text: window.t3sim.svg_of(c) })));
      for (const { title, text } of all) {
        assert.ok(text.startsWith("<svg") && text.trimEnd().endsWith("</svg>"), title);
        assert.ok((text.match(/<text/g) ?? []).length > 0, title);
      }
      if (all.length === 0) return;
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator("button.save").first().click()]);
      assert.match(download.suggestedFilename(), /^[a-z0-9-]+\.svg$/);
    });
  });
}

for (const directory of [...runs, ...sweeps, ...programs]) {
  const name = path.basename(directory);

  test(`${name}: under 5 MB, and drawn in less than two seconds of CPU time`, async () => {
    assert.ok(fs.statSync(page_of(directory)).size < 5e6);
    await with_page(directory, async (page) => {
      const devtools = await page.context().newCDPSession(page);
      await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
      await page.reload({ waitUntil: "load" });
      const { metrics } = await devtools.send("Performance.getMetrics");
      const seconds = metrics.find((m) => m.name === "TaskDuration").value;
      assert.ok(seconds > 0.01 && seconds < 2, `${seconds} s`);
    });
  });

  test(`${name}: prints`, async () => {
    await with_page(directory, async (page) => { assert.ok((await page.pdf({ format: "A4" })).length > 20000); });
  });

  test(`${name}: every chart says what it shows, to those who do not see it`, async () => {
    await with_page(directory, async (page) => {
      for (const label of await page.$$eval(".chart", (all) => all.map((e) => e.getAttribute("aria-label")))) assert.match(label, /\w{3}/);
      assert.equal(await page.locator("html[lang=en] h1").count(), 1);
    });
  });
}

for (const directory of runs) {
  const name = path.basename(directory);

  test(`${name}: every number is one of the files'`, async () => {
    await with_page(directory, async (page, files) => {
      const seen = await check_all(page, files);
      assert.ok(seen.texts > 20 && seen.items > 10, JSON.stringify(seen));
      for (const control of await page.locator('fieldset input[type="radio"]').all()) {
        await control.check();
        await check_all(page, files);
      }
    });
  });

  test(`${name}: the bars say the times of results.json`, async () => {
    await with_page(directory, async (page, files) => {
      const drawn = await chart_box(page, "Time of each scheme").locator("svg text").allTextContents();
      for (const [scheme, { time_us, speedup, phases }] of Object.entries(files.results.schemes)) {
        const total = `${shown(time_us, 1)} µs   ×${shown(speedup, 3)}`;
        assert.ok(drawn.includes(total), `${scheme}: no "${total}" in ${drawn}`);
        const longest = Math.max(...Object.values(phases));
        assert.ok(drawn.some((text) => text.endsWith(`  ${shown(longest, 1)} µs`)), `${scheme}: ${longest} in ${drawn}`);
      }
    });
  });

  test(`${name}: a bar hovered over tells its phase`, async () => {
    await with_page(directory, async (page, files) => {
      const box = await chart_box(page, "Time of each scheme").boundingBox();
      const [scheme, { phases }] = Object.entries(files.results.schemes)[0];
      await page.mouse.move(box.x + 134, box.y + 8 + 23);
      const tooltip = chart_box(page, "Time of each scheme").locator("div", { hasText: `${shown(Object.values(phases)[0], 1)} µs` });
      await tooltip.first().waitFor({ state: "visible" });
      assert.match(await tooltip.first().textContent(), new RegExp(scheme));
    });
  });

  test(`${name}: what limits a phase is what results.json says`, async () => {
    await with_page(directory, async (page, files) => {
      const shown_limits = await page.$$eval("[data-limit]", (all) => all.map((e) => ({ at: e.dataset.limit, text: e.textContent, row: e.closest("tr").textContent })));
      const limits = Object.entries(files.results.schemes).flatMap(([s, { limits }]) => Object.entries(limits).map(([p, l]) => [`/schemes/${s}/limits/${p}`, l]));
      const said = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "_");
      for (const { at, text, row } of shown_limits) {
        const [, l] = limits.find(([place]) => place === at);
        assert.ok(said(text).startsWith(l.limited_by.replace(/^(cu_port|dma)$/, (n) => ({ cu_port: "cu_ports", dma: "dma_engine" })[n])), `${at}: ${text}`);
        if (l.l2_hit_rate === null) assert.ok(row.includes("–"), row);
      }
      // Each is there, but for phases of computed schemes that stand with the scheme that runs them.
      assert.equal(shown_limits.length, new Set(limits.map(([at, l]) => at.split("/").pop() + JSON.stringify(l))).size);
      assert.ok(shown_limits.length > 0);
    });
  });

  test(`${name}: a fused phase is called after the collective in it`, async () => {
    await with_page(directory, async (page, files) => {
      const text = await page.textContent("#page");
      const kind = files.lookup("config.yaml#collective.kind");
      if (Object.values(files.results.schemes).some(({ phases }) => phases.fused_us)) assert.ok(text.includes(kind === "all-gather" ? "GEMM + AG" : "GEMM + RS"), kind);
      if (kind === "all-gather") assert.ok(!/\bRS\b|near memory reduction/.test(text));
    });
  });

  test(`${name}: parts of the gap add up to it`, async () => {
    for (const [scheme, { gap }] of Object.entries(JSON.parse(fs.readFileSync(path.join(directory, "results.json"))).schemes)) {
      if (!gap) continue;
      const sum = Object.values(gap.parts_us).reduce((a, b) => a + b, 0);
      assert.ok(Math.abs(sum - gap.gap_us) < 1e-9 * Math.max(1, gap.gap_us), `${scheme}: ${sum} of ${gap.gap_us}`);
    }
  });

  if (!fs.existsSync(path.join(directory, "timeline.csv"))) continue;

  test(`${name}: the time line is zoomed by wheel, keys and buttons, and the series follow`, async () => {
    await with_page(directory, async (page) => {
      await chart_box(page, "Time line of").scrollIntoViewIfNeeded();
      const box = await chart_box(page, "Time line of").boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);  // its top may be out of sight
      for (let i = 0; i < 4; ++i) await page.mouse.wheel(0, -300);
      await page.waitForFunction(() => { const z = window.t3sim.charts.at(-1).instance.getOption().dataZoom[0]; return z.end - z.start < 80; });
      const wheel = await zoom_of(page, "Time line of");
      assert.deepEqual(await zoom_of(page, "Traffic and queues"), wheel);
      await chart_box(page, "Time line of").focus();
      await page.keyboard.press("ArrowRight");
      assert.ok((await zoom_of(page, "Time line of"))[0] > wheel[0]);
      await page.getByLabel("show all").click();
      assert.deepEqual(await zoom_of(page, "Time line of"), [0, 100]);
    });
  });

  test(`${name}: a slice of the time line hovered over tells what it is`, async () => {
    await with_page(directory, async (page, files) => {
      await chart_box(page, "Time line of").scrollIntoViewIfNeeded();
      const spot = await page.evaluate(() => {
        const { instance } = window.t3sim.charts.find((c) => c.title.startsWith("Time line of"));
        const data = instance.getOption().series[0].data, longest = data.reduce((a, b) => (b.value[1] - b.value[0] > a.value[1] - a.value[0] ? b : a));
        const x = instance.convertToPixel({ xAxisIndex: 0 }, (longest.value[0] + longest.value[1]) / 2);
        return { x, y: instance.getOption().grid[0].top + longest.value[2] + longest.value[3] / 2, from: longest.from };
      });
      const box = await chart_box(page, "Time line of").boundingBox(), slice = files.slice(spot.from);
      await page.mouse.move(box.x + spot.x, box.y + spot.y);
      const tooltip = chart_box(page, "Time line of").locator("div", { hasText: slice.name }).last();
      await tooltip.waitFor({ state: "visible" });
      const text = await tooltip.textContent();
      assert.ok(text.includes(`GPU ${slice.gpu}, ${slice.track}`) && text.includes(`${shown(slice.start, 2)} – ${shown(slice.end, 2)} µs`), text);
    });
  });
}

for (const directory of sweeps) {
  const name = path.basename(directory);

  test(`${name}: every number is one of the files', whatever is shown`, async () => {
    await with_page(directory, async (page, files) => {
      await page.locator("details").first().evaluate((e) => { e.open = true; });
      const seen = await check_all(page, files);
      assert.ok(seen.texts > 10 && seen.items > 0, JSON.stringify(seen));
      for (const select of await page.locator("section select").all())
        for (const option of (await select.locator("option").all()).slice(0, 3)) {
          await select.selectOption(await option.getAttribute("value"));
          await check_all(page, files);
        }
    });
  });

  test(`${name}: a point leads to its page and back`, async () => {
    await with_page(directory, async (page, files) => {
      const titles = await page.$$eval(".chart", (all) => all.map((e) => e.getAttribute("aria-label")));
      const spot = await page.evaluate(() => {
        const { box, instance } = window.t3sim.charts[0], all = instance.getOption().series, seriesIndex = all.findIndex((s) => s.data.length > 0), item = all[seriesIndex].data[0];
        const [x, y] = instance.convertToPixel({ seriesIndex }, item.value);
        box.scrollIntoView();
        return { x, y, point: item.point };
      });
      const box = await page.locator(".chart").first().boundingBox();
      await page.mouse.click(box.x + spot.x, box.y + spot.y);
      await page.waitForURL(`**#point-${spot.point}`);
      await check_all(page, files);
      const point = files.plan[1 + spot.point];
      assert.ok((await page.textContent("pre")).includes(point.command));
      await page.goBack();
      await page.waitForFunction(() => !location.hash);
      assert.deepEqual(await page.$$eval(".chart", (all) => all.map((e) => e.getAttribute("aria-label"))), titles);
    });
  });

  test(`${name}: a failed point is told with the reason`, async () => {
    await with_page(directory, async (page, files) => {
      const failed = files.plan[0].points - new Set(files.rows["results.csv"].slice(1).map(([point]) => point)).size;
      assert.equal(await page.locator('section:has(h2:text("Points that failed")) tbody tr').count(), failed);
    });
  });
}

for (const directory of programs) {
  const name = path.basename(directory);

  test(`${name}: every number is one of the files', and every command is drawn`, async () => {
    await with_page(directory, async (page, files) => {
      const commands = files.rows["commands.csv"].length - 1, gpus = files.results.gpus;
      const seen = await check_all(page, files);
      assert.ok(seen.texts > 10, JSON.stringify(seen));
      const choices = await page.locator('fieldset input[type="radio"]').all();
      let drawn = choices.length ? 0 : seen.items;
      for (const control of choices) {
        await control.check();
        drawn += (await check_all(page, files)).items;
      }
      assert.equal(drawn, commands);
      assert.equal(await page.locator('section:has(h2:text("Every GPU")) tbody tr').count(), gpus);
    });
  });

  for (const width of [1400, 390])
    test(`${name}: at ${width} px nothing is beside the page, and streams are rows of bars`, async () => {
      const page = await open(chrome, page_of(directory), { width, height: 800 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
      const { data, grid } = await page.evaluate(() => {
        const { instance } = window.t3sim.charts[0], option = instance.getOption();
        return { data: option.series[0].data, grid: { left: option.grid[0].left, width: instance.getWidth() - option.grid[0].left - option.grid[0].right } };
      });
      assert.ok(grid.width > width / 3, JSON.stringify(grid));
      const files = new Files(directory), tops = new Map();
      for (const { value, from } of data) {
        const { gpu, stream } = files.command(from), id = gpu + stream;
        assert.equal(tops.get(id) ?? value[2], value[2], `${id} is one row`);
        tops.set(id, value[2]);
      }
      assert.equal(new Set(tops.values()).size, tops.size, "each stream has a row of its own");
      assert.deepEqual(page.troubles, []);
      await page.context().close();
    });

  test(`${name}: a command hovered over tells its times; keys and buttons zoom`, async () => {
    await with_page(directory, async (page, files) => {
      const title = "Streams over time";
      await chart_box(page, title).scrollIntoViewIfNeeded();
      const spot = await page.evaluate(() => {
        const { instance } = window.t3sim.charts[0], option = instance.getOption();
        const longest = option.series[0].data.reduce((a, b) => (b.value[1] - b.value[0] > a.value[1] - a.value[0] ? b : a));
        const x = instance.convertToPixel({ xAxisIndex: 0 }, (longest.value[0] + longest.value[1]) / 2);
        return { x, y: option.grid[0].top + longest.value[2] + longest.value[3] / 2, from: longest.from };
      });
      const box = await chart_box(page, title).boundingBox(), command = files.command(spot.from);
      await page.mouse.move(box.x + spot.x, box.y + spot.y);
      const tooltip = chart_box(page, title).locator("div", { hasText: command.name }).last();
      await tooltip.waitFor({ state: "visible" });
      const text = await tooltip.textContent();
      for (const part of [`GPU ${command.gpu}, ${command.stream}`, `${shown(command.start, 2)} – ${shown(command.end, 2)} µs: ${shown(command.end - command.start, 2)} µs`,
                          `issued at ${shown(command.issued, 2)} µs`]) assert.ok(text.includes(part), text);
      await chart_box(page, title).focus();
      await page.keyboard.press("+");
      const [from, to] = await zoom_of(page, title);
      assert.ok(to - from < 60);
      await page.getByLabel("later").click();
      assert.ok((await zoom_of(page, title))[0] > from);
      await page.getByLabel("show all").click();
      assert.deepEqual(await zoom_of(page, title), [0, 100]);
    });
  });
}
