// The pictures of the README: screenshots.mjs RUN/report.html SWEEP/report.html FOLDER, with the environment that
// report_test.sh sets (T3SIM_CHROMIUM, T3SIM_PLAYWRIGHT).
import { browser, show, tab } from "./browser.mjs";

const [run, sweep, folder] = process.argv.slice(2);
const chrome = await browser();

async function shot(file, name, sections, size) {
  const page = await tab(chrome, size);
  await show(page, file);
  const boxes = [];
  for (const section of sections) boxes.push(await page.locator(section).first().boundingBox());
  const top = Math.min(...boxes.map((b) => b.y)), bottom = Math.max(...boxes.map((b) => b.y + b.height));
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true,
                          clip: { x: boxes[0].x - 16, y: Math.max(0, top - 12), width: boxes[0].width + 32, height: bottom - top + 20 } });
  await page.context().close();
}

const titled = (text) => `section:has(h2:text("${text}"))`;
await shot(run, "report-schemes", ["header", ".chart"], { width: 1000, height: 800 });
await shot(run, "report-gap", [`${titled("falls short")} h2`, `${titled("falls short")} .chart`], { width: 1000, height: 800 });
await shot(run, "report-time", [`${titled("Over time")}`], { width: 1000, height: 800 });
await shot(sweep, "report-sweep", [`${titled("Over two axes")} h2`, `${titled("Over two axes")} .chart`], { width: 1100, height: 800 });
await chrome.close();
