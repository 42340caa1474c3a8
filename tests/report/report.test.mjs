// Pages of `t3sim report` as a person meets them. Run by report_test.sh.
//   T3SIM_RUNS, T3SIM_SWEEPS, T3SIM_PROGRAMS, T3SIM_COMPARED: directories, apart by ":", each with its report.html
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { browser, show, tab } from "./browser.mjs";
import { comparisons } from "./comparisons.mjs";
import { Files } from "./files.mjs";
import { looks } from "./looks.mjs";
import { programs } from "./programs.mjs";
import { runs } from "./runs.mjs";
import { sweeps } from "./sweeps.mjs";

const list = (text) => (text ? text.split(":") : []);

let chrome, page;
before(async () => {
  chrome = await browser();
  page = await tab(chrome);
});
after(async () => { await chrome.close(); });

// Each page is opened once; what it looks like is checked at all sizes, then what it says at one.
for (const [directories, checks] of [[process.env.T3SIM_RUNS, runs], [process.env.T3SIM_PROGRAMS, programs], [process.env.T3SIM_SWEEPS, sweeps], [process.env.T3SIM_COMPARED, comparisons]])
  for (const directory of list(directories))
    test(path.relative(path.dirname(path.dirname(directory)), directory), async (t) => {
      const files = new Files(directory), seconds = await show(page, path.join(directory, "report.html"));
      for (const [name, check] of [...looks, ...checks]) await t.test(name, () => check(page, files, { directory, seconds }));
      assert.deepEqual(page.troubles, []);
      assert.deepEqual([...new Set(page.asked)], [page.url().replace(/#.*/, "")], "asked for more than itself");
    });
