// test: timeout=120
/** What a prompt-driven test runs counts for it, and neither for the test before it nor for the one after. */
import { join } from "node:path";
import t from "tap";
import { createHarness } from "../../../src/app/create_harness.ts";
import { temporaryWorld, writeFiles } from "../../src/session/helpers.ts";
import { smallServer } from "../../support/small_server.ts";

t.setTimeout(110_000);

const library = `export function add({ a, b }) {
  return a + b;
}
export function greet() {
  return "hello";
}
export function stray() {
  return "asked by hand";
}
`;
const files = {
  "package.json": '{"name":"adder","version":"1.0.0","type":"module","bin":"server.mjs"}\n',
  "server.mjs": smallServer({
    name: "adder",
    head: 'import * as library from "./library.mjs";',
    tools:
      '["add", "greet", "stray"].map((name) => ({ name, description: name, inputSchema: { type: "object" } }))',
    text: "String(library[call.name](call.arguments))",
  }),
  "library.mjs": library,
  ".pth/tests/add.yaml": "name: adds\ntool: add\ninput: { a: 1, b: 2 }\nexpect: { output_equals: '3' }\n",
  ".pth/tests/greet.yaml":
    "name: greets\ntier: 3\nprompt: Greet somebody.\nchecklist:\n  - somebody was greeted\nverify: [{ exec: 'true' }]\n",
};

t.test("a prompt-driven test's code is its own, and joins the report of its server", async (t) => {
  const { folder } = await temporaryWorld(t);
  const plugin = join(folder, "adder");
  await writeFiles(plugin, files);
  const harness = await createHarness();
  t.teardown(() => harness.close());
  await harness.startSession({ target: plugin }, { mode: "run" });
  const session = harness.session();
  await session.environment.provision({ runtime: "host" });
  await session.plugin.load({ coverage: true });
  t.match((await session.tests.runSuite({ coverage: true })).summary, { passed: 1, skipped: 1 });

  const hits = () =>
    session.coverage.report().files.find(({ path }) => path === "library.mjs")!.functions.map((one) =>
      one.hits
    );
  const affected = async () => {
    const { changes } = await session.coverage.impact({
      files: [2, 5, 8].map((line) => ({ path: "library.mjs", lines: [line] })),
    });
    return changes.map(({ tests }) => tests);
  };
  t.strictSame([hits(), await affected()], [[1, 0, 0], [["adds"], [], []]]);

  await session.plugin.call("stray", {});
  const begun = await session.agentRuns.begin("greets", {});
  const { runId } = (begun as { run: { runId: string } }).run;
  await session.agentRuns.call(runId, "greet", {});
  const checklist = [{ item: "somebody was greeted", met: true, evidence: "greet answered: hello" }];
  t.match(await session.agentRuns.close(runId, checklist), { status: "passed" });
  t.strictSame([hits(), await affected()], [[1, 1, 1], [["adds"], ["greets"], []]], "joined at once");

  await session.tests.runSuite({ coverage: true });
  t.strictSame(
    [hits(), await affected()],
    [[2, 1, 1], [["adds"], ["greets"], []]],
    "the next test is as before",
  );
});
