/** A plugin's own tests as a part of `pth run` and `pth iterate`: red with their place, and green after a fix. */
import { join } from "node:path";
import t from "tap";
import { readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { reportSchema } from "../../../src/testing/report/report_schema.ts";
import { iteratePlace, rewrite } from "../../support/iterate_place.ts";
import { pth } from "../../support/pth.ts";

t.setTimeout(240_000);

const source = "export function half(number) {\n  return number / 2;\n}\n";
const tests = `import assert from "node:assert/strict";
import test from "node:test";
import { half } from "./half.mjs";
test("half of nothing is nothing", () => assert.equal(half(0), 0));
test("half of an odd number is rounded down", () => {
  assert.equal(half(7), 3);
});
`;

t.test("a failing own test fails the run, with its file and line, and is mended by the loop", async (t) => {
  const { plugin, env, iterate, commits, git, branch } = await iteratePlace(
    t,
    "switched_plugin",
    async (plugin) => {
      await writeTextFile(join(plugin, "half.mjs"), source);
      await writeTextFile(join(plugin, "half.test.mjs"), tests);
      await writeTextFile(join(plugin, "switches.json"), '{ "wrong": [] }\n');
      await rewrite(
        plugin,
        "package.json",
        (text) => text.replace("{", '{ "scripts": { "test": "node --test" },'),
      );
    },
  );
  const options = ["--env", "host", "--own-tests", "--tests", join(plugin, ".pth/tests")];
  const [report, junit] = [join(plugin, "../report.json"), join(plugin, "../junit.xml")];
  const reporters = ["--reporter", `json:${report}`, "--reporter", `junit:${junit}`];
  const run = await pth(["run", plugin, ...options, ...reporters], { env });
  t.equal(run.code, 1, run.stdout + run.stderr);
  const { summary, tests: results } = reportSchema.parse(JSON.parse(await readTextFile(report)));
  t.match(summary, { total: 6, passed: 5, failed: 1 });
  t.match(results.filter(({ status }) => status === "failed"), [{
    name: "half of an odd number is rounded down",
    category: "wrong-output",
    message: "Expected values to be strictly equal: 3.5 !== 3",
    file: join(plugin, "half.test.mjs"),
    line: 6,
    own: { framework: "node:test", suite: "half.test.mjs", rerun: /^node --test / },
  }]);
  t.match(await readTextFile(junit), `file="${join(plugin, "half.test.mjs")}" line="6"`);

  // Fixers find the place of the failure in the diagnosis.
  const fixer =
    `grep -q '"path": *"half.test.mjs"' && sed -i 's#number / 2#Math.floor(number / 2)#' half.mjs`;
  const { code, stdout, stderr } = await iterate(fixer, ...options, "--scope", "failing");
  t.equal(code, 0, stdout + stderr);
  t.match(stdout, "Tests: 5/6 passing\nFailing: half of an odd number is rounded down (wrong output)");
  t.equal([...stdout.matchAll(/2 own tests: by node:test/g)].length, 3, "once more with all the others");
  t.match(stdout, "Tests: 6/6 passing (↑1 from the start)");
  t.match(stdout, "Green after 1 fix in 1 iteration.");
  t.same(await commits("fix"), ["fix: Expected values to be strictly equal: 3.5 !== 3"]);
  t.match(await git("show", `${await branch()}:half.mjs`), "Math.floor(number / 2)");
  t.match(await git("log", "-1", "--grep", "PTH-Type: fix", await branch()), "half of an odd number");
});
