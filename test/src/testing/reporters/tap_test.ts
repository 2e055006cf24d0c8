import { Parser, type Result } from "tap-parser";
import t from "tap";
import tap from "../../../../src/testing/reporters/tap.ts";
import { fullRun } from "./full_run.ts";
import { died, facts, finished, written } from "./recorded_run.ts";

function parse(text: string) {
  const asserts: Result[] = [];
  const strange: string[] = [];
  const parser = new Parser({ strict: true });
  parser.on("assert", (result) => void asserts.push(result));
  parser.on("extra", (line) => void strange.push(line));
  let bailout = "";
  parser.on("bailout", (reason) => {
    bailout = reason;
  });
  parser.end(text);
  return { asserts, strange, bailout, results: parser.results! };
}

t.test("a TAP parser reads back what was told", (t) => {
  const text = written(tap, facts, finished);
  const { asserts, strange, results } = parse(text);
  t.match(text, /^TAP version 14\n/);
  t.same(strange, [], "nothing but TAP");
  t.match(results, { count: 5, pass: 4, fail: 1, skip: 1, plan: { start: 1, end: 5 } });
  t.same(results.failures.filter(({ tapError }) => tapError), [], "nothing breaks the protocol");
  t.same(asserts.map(({ ok }) => ok), [true, true, false, true, true]);
  t.match(asserts[2]!.name, "# SKIP \\", "a directive in a name is only text");
  t.notOk(asserts[2]!.skip);
  t.equal(asserts[3]!.skip, 'refused: needs a fixture: "no such <item>" # 1');
  t.match(asserts[2]!.diag, {
    category: "runtime-exception",
    message: /^Server crashed: exited with 1\n/,
    at: { file: "tests/store.yaml", line: 7 },
    stderr: /boom/,
  });
  t.match(asserts[4]!.diag, { flaky: true });
  t.end();
});

t.test("comments at the end tell what no test exercised", (t) => {
  const text = written(tap, [], fullRun);
  t.match(text, "# 1 of 4 tools exercised\n# not exercised: store: its tests fail");
  t.match(text, "# not exercised: fetch: refused, needs the network: getaddrinfo");
  t.end();
});

t.test("a run that dies bails out with the reason", (t) => {
  const { bailout, results } = parse(written(tap, facts.slice(0, 12), died));
  t.equal(bailout, "Cannot install plugin: npm exited with 1");
  t.notOk(results.ok);
  t.end();
});
