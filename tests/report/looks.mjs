// How pages look and behave, whatever they show: [name of the check, what it does with (page, files, {directory, seconds})].
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { resize } from "./browser.mjs";

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

// Texts of pictures that reach beyond them.
function cut_labels(page) {
  return page.evaluate(() => [...document.querySelectorAll(".chart:not(.picture) svg")].flatMap((svg) => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter((e) => e.textContent.trim()).filter((e) => {
      const box = e.getBoundingClientRect();
      return box.width > 0 && (box.left < frame.left - 1.5 || box.right > frame.right + 1.5 || box.top < frame.top - 1.5 || box.bottom > frame.bottom + 1.5);
    }).map((e) => `${svg.closest(".chart").getAttribute("aria-label")}: "${e.textContent}" is cut off`);
  }));
}

const light = ([r, g, b]) => r + g + b > 380;

const at = (width, scheme) => [`no label lies on another and nothing sticks out, ${width} pixels, ${scheme}`, async (page) => {
  await resize(page, width, scheme);
  assert.deepEqual(await overlapping_labels(page), []);
  assert.deepEqual(await cut_labels(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the window");
  const [paper, ink] = await page.evaluate(() => ["backgroundColor", "color"].map((key) => getComputedStyle(document.body)[key].match(/\d+/g).map(Number)));
  assert.equal(light(paper), scheme === "light");
  assert.equal(light(ink), scheme === "dark");
}];

// Each way round once: what changes is the width or the colours.
export const looks = [
  at(1400, "light"), at(1400, "dark"), at(390, "dark"), at(390, "light"),

  ["every chart can be saved as SVG, with its texts", async (page) => {
    await resize(page, 1280, "light", 800);
    const all = await page.evaluate(() => window.t3sim.charts.map((c) => ({ title: c.title, text: window.t3sim.svg_of(c) })));
    for (const { title, text } of all) {
      assert.ok(text.startsWith("<svg") && text.trimEnd().endsWith("</svg>"), title);
      assert.ok((text.match(/<text/g) ?? []).length > 0, title);
    }
    if (all.length === 0) return;
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("button.save").first().click()]);
    assert.match(download.suggestedFilename(), /^[a-z0-9-]+\.svg$/);
  }],

  ["under 5 MB, and drawn in less than two seconds of CPU time", async (page, files, { directory, seconds }) => {
    assert.ok(fs.statSync(path.join(directory, "report.html")).size < 5e6);
    assert.ok(seconds > 0.01 && seconds < 2, `${seconds} s`);
  }],

  ["prints", async (page) => { assert.ok((await page.pdf({ format: "A4" })).length > 20000); }],

  ["every chart says what it shows, to those who do not see it", async (page) => {
    for (const label of await page.$$eval(".chart", (all) => all.map((e) => e.getAttribute("aria-label")))) assert.match(label, /\w{3}/);
    assert.equal(await page.locator("html[lang=en] h1").count(), 1);
  }],

  ["no row of a table holds nothing but zeros", async (page) => {
    const rows = await page.$$eval("tbody tr", (all) => all.map((row) => ({ text: row.textContent, numbers: [...row.querySelectorAll(".number")].map((e) => e.textContent) })));
    for (const { text, numbers } of rows) assert.ok(numbers.length < 2 || numbers.some((n) => /[1-9]/.test(n)), text);
  }],
];
