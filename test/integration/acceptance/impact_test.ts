// test: timeout=300
/**
 * Editing one function of a plugin lists exactly the tests that reach it, and an unreached file lists none; after a fix the loop runs the affected tests, and all before it says green.
 */
import t, { type Test } from "tap";
import { createHarness } from "../../../src/app/create_harness.ts";
import { makeRepository, temporaryWorld } from "../../src/session/helpers.ts";
import { openSessionClient, type SessionClient } from "../../support/session_client.ts";
import { smallServer } from "../../support/small_server.ts";

t.setTimeout(280_000);

const math = `export function add({ a, b }) {
  const numbers = [a, b];
  return numbers.reduce((sum, number) => sum + number, 0);
}

export function divide({ a, b }) {
  if (b === 0) {
    throw new RangeError("division by zero");
  }
  return quotient(a, b);
}

const quotient = (a, b) => a / b;

export function idle() {
  return "never asked for";
}
`;

const tests = `name: adds
tool: add
input: { a: 1, b: 2 }
expect: { output_equals: "3" }
---
name: adds nothing
tool: add
input: { a: 0, b: 0 }
expect: { output_equals: "0" }
---
name: divides
tool: divide
input: { a: 6, b: 3 }
expect: { output_equals: "2" }
`;

const files = {
  "package.json": '{"name":"calculator","version":"1.0.0","type":"module","bin":"server.mjs"}\n',
  "server.mjs": smallServer({
    name: "calculator",
    head: `import * as tools from "./math.mjs";
const number = { type: "number" };
const inputSchema = { type: "object", properties: { a: number, b: number }, required: ["a", "b"] };`,
    tools: '["add", "divide"].map((name) => ({ name, description: name, inputSchema }))',
    text: "String(tools[call.name](call.arguments))",
  }),
  "math.mjs": math,
  "unused.mjs": "export const unused = () => 1;\n",
  ".pth/tests/math.yaml": tests,
};

const impact = async (t: Test, client: SessionClient, input: Record<string, unknown>) => {
  const { data } = await client.succeed(t, "pth_get_test_impact", input);
  return data as { source: string; tests: string[]; unknown: string[]; changes: { function?: string }[] };
};

t.test("what a test reaches is measured, and answers which tests a change affects", async (t) => {
  const client = await openSessionClient(t);
  if (!await client.begin(t, files, "sandbox")) return;

  const early = await impact(t, client, { files: ["math.mjs"] });
  t.equal(early.source, "static", "before anything was measured it is read from the source, and says so");

  const run = await client.succeed(t, "pth_run_test_suite", { coverage: true, generatedFrom: "manual" });
  t.match(run.data, { summary: { passed: 3, failed: 0 } });

  const of = async (...files: string[]) => (await impact(t, client, { files })).tests;
  t.strictSame(await of("math.mjs:2"), ["adds", "adds-nothing"], "a line of add");
  t.strictSame(await of("math.mjs:13"), ["divides"], "a helper of one line");
  t.strictSame(await of("math.mjs:7-9"), ["divides"], "a branch of divide that no test takes");
  t.strictSame(await of("math.mjs:15-17"), [], "a function that is never called");
  t.strictSame(await of("unused.mjs"), [], "a file that is never loaded");
  t.strictSame(await of("server.mjs:1"), ["adds", "adds-nothing", "divides"], "what runs at the start");
  t.strictSame((await impact(t, client, { files: ["package.json"] })).unknown, ["package.json"]);
  t.strictSame((await impact(t, client, {})).tests, [], "nothing has changed");

  const report = await client.succeed(t, "pth_get_coverage_report", { file: "math.mjs" });
  t.match(report.text, /uncovered lines: 8, 16/);
  t.match(report.text, /idle \(line 15\)/);
  const { text: lcov } = await client.succeed(t, "pth_get_coverage_report", {
    file: "math.mjs",
    format: "lcov",
  });
  t.match(lcov, /^SF:math\.mjs$/m);
  t.match(lcov, /^DA:8,0$/m);
  t.match(await client.call("pth_get_coverage_report", { file: "nowhere.mjs" }), { isError: true });

  const fix = {
    tests: ["divides"],
    title: "Say which number was no divisor",
    edits: [
      { path: "math.mjs", find: "export function add", replace: "// Sums.\nexport function add" },
      { path: "math.mjs", find: '"division by zero"', replace: "`division of ${a} by zero`" },
    ],
  };
  const { data } = await client.succeed(t, "pth_apply_fix", fix);
  const { fix: { commit } } = data as { fix: { commit: string } };
  t.match(await impact(t, client, {}), { tests: ["divides"], changes: [{ function: /^divide:/ }] });
  t.strictSame((await impact(t, client, { commit })).tests, ["divides"], "the commit's change alone");
  t.match(await client.call("pth_get_test_impact", { commit: "0000" }), { isError: true });
});

t.test("after a fix the loop runs what it affects, and all of it before it says green", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { ...files, "math.mjs": math.replace("a / b", "a * b") });
  const harness = await createHarness();
  t.teardown(() => harness.close());
  const suites: string[][] = [];
  harness.on((fact) => {
    if (fact.type === "suite.started") suites.push(fact.tests.map(({ name }) => name));
  });
  await harness.startSession({ target: folder }, { mode: "session" });
  const session = harness.session();
  await session.environment.provision({ runtime: "host" });
  await session.plugin.load({});
  const run = { impact: true, generate: false };
  t.match(await session.loop.run(run), { state: "awaiting_fixes" });
  const fixes = [{
    tests: ["divides"],
    title: "Divide",
    edits: [{ path: "math.mjs", find: "a * b", replace: "a / b" }],
  }];
  t.match(await session.loop.run({ ...run, fixes }), { state: "green", standing: { failing: [] } });
  const all = ["adds", "adds nothing", "divides"];
  t.strictSame(suites, [all, ["divides"], all], "tested, retested by impact, confirmed");
  t.strictSame((await session.coverage.impact({})).tests, [], "the map is that of the latest whole run");
});
