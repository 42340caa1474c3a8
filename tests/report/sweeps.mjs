// The page of a sweep.
import assert from "node:assert/strict";
import { check_all } from "./every_number.mjs";

export const sweeps = [
  ["every number is one of the files', whatever is shown", async (page, files) => {
    await page.locator("details").first().evaluate((e) => { e.open = true; });
    const seen = await check_all(page, files);
    assert.ok(seen.texts > 10 && seen.items > 0, JSON.stringify(seen));
    for (const select of await page.locator("section select").all())
      for (const option of (await select.locator("option").all()).slice(0, 3)) {
        await select.selectOption(await option.getAttribute("value"));
        await check_all(page, files);
      }
  }],

  ["a point leads to its page and back", async (page, files) => {
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
  }],

  ["a failed point is told with the reason", async (page, files) => {
    const failed = files.plan[0].points - new Set(files.rows["results.csv"].slice(1).map(([point]) => point)).size;
    assert.equal(await page.locator('section:has(h2:text("Points that failed")) tbody tr').count(), failed);
  }],
];
