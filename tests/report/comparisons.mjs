// The page of several results side by side.
import assert from "node:assert/strict";
import { check_all } from "./every_number.mjs";

export const comparisons = [
  ["every number is one of t3sim compare --json", async (page, files) => {
    const seen = await check_all(page, files);
    assert.ok(seen.texts > 5, JSON.stringify(seen));
  }],

  ["each result is named, and so are the keys that differ", async (page, files) => {
    const text = await page.textContent("#page");
    for (const each of [...files.comparison.names, ...files.comparison.config.map(({ key }) => key)]) assert.ok(text.includes(each), each);
  }],

  ["every command of a program has a row", async (page, files) => {
    const commands = files.comparison.commands ?? [];
    assert.equal(await page.locator('section:has(h2:text("How long each command takes")) tbody tr').count(), commands.length);
  }],
];
