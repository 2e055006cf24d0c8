/** The exported runner is one file that runs tests, and holds nothing that does not. */
import t from "tap";
import { selfVersion } from "../../../../src/platform/self_version.ts";
import { runnerCode } from "../../../../src/export/ci/bundle_runner.ts";

/** What only studies of a server need, by a word that each leaves in minified code. */
const foreign = {
  "fast-check": "fast-check/",
  "web-tree-sitter": "tree-sitter",
  acorn: "sourceType",
  marked: "Infinite loop on byte",
  "v8-to-istanbul": "istanbul",
};

t.test("it is small, and holds none of the libraries that study a server", async (t) => {
  const code = await runnerCode();
  t.ok(code.length < 1_200_000, `${code.length} characters`);
  for (const [library, word] of Object.entries(foreign)) t.notOk(code.includes(word), library);
  for (const task of ["fixtureRun", "hookRun", "evalRun", "installCheck", "fix"]) {
    t.notOk(code.includes(`id:"${task}"`), `the machine of ${task}`);
  }
  t.match(code, 'id:"testRun"', "and that of a run of tests");
  t.match(code, "JSONPath", "captures are read");
  t.match(code, "GNU find is missing", "programs that run in environments are in it");
  t.match(code, "a pipe from outside", "and that which inspects a server that gives no answer");
  t.match(code, JSON.stringify(await selfVersion()), "its version is in it");
  t.notMatch(code, "no folder above", "and it looks for no file of PTH's");
});
