// Pages in headless Chromium, opened from disk with no network, one after the other in one tab.
import { createRequire } from "node:module";
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(process.env.T3SIM_PLAYWRIGHT + "/")("playwright-core");

export async function browser() {
  return chromium.launch({ executablePath: process.env.T3SIM_CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
}

// A tab, with what went wrong in `page.troubles` and every file or address it asked for in `page.asked`.
export async function tab(chrome, size = { width: 1280, height: 800 }) {
  const context = await chrome.newContext({ viewport: size, offline: true, colorScheme: "light" });
  context.setDefaultTimeout(120000);  // the machine may be busy with other tests
  const page = await context.newPage();
  page.troubles = [];
  page.asked = [];
  page.on("console", (message) => page.troubles.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => page.troubles.push(error.stack));
  page.on("request", (request) => { if (!request.url().startsWith("data:")) page.asked.push(request.url()); });
  page.devtools = await context.newCDPSession(page);
  return page;
}

// CPU time of the tab's tasks so far.
async function task_seconds(page) {
  const { metrics } = await page.devtools.send("Performance.getMetrics");
  return metrics.find((m) => m.name === "TaskDuration").value;
}

// Shows a page. Returns the seconds of CPU time that it took to draw.
export async function show(page, file) {
  page.troubles.length = page.asked.length = 0;
  await page.devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await task_seconds(page);
  await page.goto(pathToFileURL(fs.realpathSync(file)).href);
  await page.waitForFunction(() => window.t3sim?.charts.every((c) => c.instance));
  const after = await task_seconds(page);
  return after >= before ? after - before : after;  // less: the browser took another process
}

// At once, and drawn anew.
export async function resize(page, width, scheme = "light", height = 900) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  await page.waitForFunction(([w, s]) => innerWidth === w && document.documentElement.dataset.theme === s &&
    window.t3sim.charts.every((c) => c.instance && c.instance.getWidth() === c.box.clientWidth), [width, scheme]);
}

// What the charts hold: for each its title and series with name, type and data.
export function charts(page) {
  return page.evaluate(() => window.t3sim.charts.map(({ title, instance }) => ({ title,
    series: instance.getOption().series.map(({ name, type, data }) => ({ name, type, data: data ?? [] })) })));
}

export const chart_box = (page, title) => page.locator(`.chart[aria-label^="${title}"]`);
export const zoom_of = (page, title) => page.evaluate((t) => {
  const { start, end } = window.t3sim.charts.find((c) => c.title.startsWith(t)).instance.getOption().dataZoom[0];
  return [start, end];
}, title);

// The middle of the longest slice of a chart of tracks, in pixels of its box, and where its numbers stand.
export function longest_slice(page, title) {
  return page.evaluate((t) => {
    const { instance } = window.t3sim.charts.find((c) => c.title.startsWith(t)), option = instance.getOption();
    const longest = option.series[0].data.reduce((a, b) => (b.value[1] - b.value[0] > a.value[1] - a.value[0] ? b : a));
    const x = instance.convertToPixel({ xAxisIndex: 0 }, (longest.value[0] + longest.value[1]) / 2);
    return { x, y: option.grid[0].top + longest.value[2] + longest.value[3] / 2, from: longest.from };
  }, title);
}

// Scrolls to a height of a chart (its middle unless said): it may be taller than the window.
export function bring(page, title, y) {
  return chart_box(page, title).evaluate((e, at) => {
    const { top, height } = e.getBoundingClientRect();
    scrollTo(0, scrollY + top + (at ?? height / 2) - innerHeight / 2);
  }, y);
}

// The tooltip of a chart's longest slice, once it holds `words`.
export async function tooltip_at(page, title, spot, words) {
  await bring(page, title, spot.y);
  const box = await chart_box(page, title).boundingBox();
  await page.mouse.move(box.x + spot.x, box.y + spot.y);
  const tooltip = chart_box(page, title).locator("div", { hasText: words }).last();
  await tooltip.waitFor({ state: "visible" });
  return tooltip.textContent();
}
