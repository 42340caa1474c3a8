// The page of a program's run.
import assert from "node:assert/strict";
import { chart_box, longest_slice, resize, tooltip_at, zoom_of } from "./browser.mjs";
import { check_all } from "./every_number.mjs";
import { shown } from "./files.mjs";

const STREAMS = "Streams over time";

const rows_of_bars = (width) => [`at ${width} px streams are rows of bars`, async (page, files) => {
  await resize(page, width, "light", 800);
  const { data, grid } = await page.evaluate(() => {
    const { instance } = window.t3sim.charts[0], option = instance.getOption();
    return { data: option.series[0].data, grid: { left: option.grid[0].left, width: instance.getWidth() - option.grid[0].left - option.grid[0].right } };
  });
  assert.ok(grid.width > width / 3, JSON.stringify(grid));
  const tops = new Map();
  for (const { value, from } of data) {
    const { gpu, stream } = files.command(from), id = gpu + stream;
    assert.equal(tops.get(id) ?? value[2], value[2], `${id} is one row`);
    tops.set(id, value[2]);
  }
  assert.equal(new Set(tops.values()).size, tops.size, "each stream has a row of its own");
}];

export const programs = [
  rows_of_bars(390),
  rows_of_bars(1400),

  ["every number is one of the files', and every command is drawn", async (page, files) => {
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
  }],

  ["a command hovered over tells its times; keys and buttons zoom", async (page, files) => {
    const spot = await longest_slice(page, STREAMS), command = files.command(spot.from);
    const text = await tooltip_at(page, STREAMS, spot, command.name);
    for (const part of [`GPU ${command.gpu}, ${command.stream}`, `${shown(command.start, 2)} – ${shown(command.end, 2)} µs: ${shown(command.end - command.start, 2)} µs`,
                        `issued at ${shown(command.issued, 2)} µs`]) assert.ok(text.includes(part), text);
    await chart_box(page, STREAMS).focus();
    await page.keyboard.press("+");
    const [from, to] = await zoom_of(page, STREAMS);
    assert.ok(to - from < 60);
    await page.getByLabel("later").click();
    assert.ok((await zoom_of(page, STREAMS))[0] > from);
    await page.getByLabel("show all").click();
    assert.deepEqual(await zoom_of(page, STREAMS), [0, 100]);
  }],
];
