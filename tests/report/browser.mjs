// A page in headless Chromium, opened from disk with no network.
import { createRequire } from "node:module";
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(process.env.T3SIM_PLAYWRIGHT + "/")("playwright-core");

export async function browser() {
  return chromium.launch({ executablePath: process.env.T3SIM_CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
}

// The page, with all that went wrong in `page.troubles` and every file or address it asked for in `page.asked`.
export async function open(chrome, file, size = { width: 1280, height: 800 }, colorScheme = "light") {
  const context = await chrome.newContext({ viewport: size, offline: true, colorScheme });
  context.setDefaultTimeout(120000);  // the machine may be busy with other tests
  const page = await context.newPage();
  page.troubles = [];
  page.asked = [];
  page.on("console", (message) => page.troubles.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => page.troubles.push(error.stack));
  page.on("request", (request) => { if (!request.url().startsWith("data:")) page.asked.push(request.url()); });
  await page.goto(pathToFileURL(fs.realpathSync(file)).href);
  await page.waitForFunction(() => window.t3sim?.charts.every((c) => c.instance));
  return page;
}

// What the charts hold: for each its title and series with name, type and data.
export function charts(page) {
  return page.evaluate(() => window.t3sim.charts.map(({ title, instance }) => ({ title,
    series: instance.getOption().series.map(({ name, type, data }) => ({ name, type, data: data ?? [] })) })));
}
