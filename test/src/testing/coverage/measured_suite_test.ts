import t from "tap";
import type { ImpactMap } from "../../../../machines/model/coverage.ts";
import { knownUnloaded } from "../../../../src/testing/coverage/measured_suite.ts";

const measured = (...paths: string[]): ImpactMap => ({
  source: "measured",
  tests: {},
  functions: Object.fromEntries(paths.map((path) => [path, []])),
  notes: [],
});
const own = new Set(["src/a.ts", "src/b.ts", "src/c.mjs", "tools/count.py", "run.sh"]);

t.test("a source in a measured language that the map does not name is loaded by no test", (t) => {
  const tells = knownUnloaded(measured("src/a.ts"), own);
  t.ok(tells("src/b.ts"));
  t.ok(tells("src/c.mjs"));
  t.notOk(tells("words.json"), "no source");
  t.notOk(tells("tools/count.py"), "the server may start it");
  t.notOk(tells("run.sh"));
  t.end();
});

t.test("a map of what was bundled tells nothing of the sources", (t) => {
  t.notOk(knownUnloaded(measured("dist/index.js"), own)("src/b.ts"));
  t.end();
});

t.test("a map without files tells nothing", (t) => {
  t.notOk(knownUnloaded(measured(), own)("src/b.ts"));
  t.end();
});
