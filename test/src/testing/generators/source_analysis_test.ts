/** Tests from source: values of conditions in five languages, and tools that share state. */
import t from "tap";
import { textSources } from "../../../../src/plugin/plugin_sources.ts";
import sourceAnalysis from "../../../../src/testing/generators/source_analysis.ts";
import { parseTests } from "../../../../src/testing/format/parse.ts";
import { serializeTests } from "../../../../src/testing/format/serialize_tests.ts";
import { sourceMaterial, sourceTools } from "../source_tools.ts";

const { tests } = await sourceAnalysis.generate(sourceMaterial, { includeHeldBack: true });

const compared = tests.filter(({ tier }) => tier === 1);

t.test("values on both sides of a condition on an input are tests, in five languages", (t) => {
  const found = compared.map(({ tool, input, origin }) => {
    const [parameter, value] = Object.entries(input ?? {}).find(([name]) =>
      origin!.includes(`; ${name} is `)
    )!;
    const length = typeof value === "string" && value.length > 5 ? value.length : value;
    return `${tool} ${parameter} ${JSON.stringify(length)} ${origin!.split(": ")[0]}`;
  });
  t.same(found, [
    'create_note title "" notes.ts:13',
    ...[81, 82, 83].map((length) => `create_note title ${length - 2} notes.ts:16`),
    ...[-1, 0, 1].map((b) => `divide b ${b} lib/divide.js:2`),
    ...[-1, 0, 1].map((value) => `root value ${value} calculator.js:15`),
    ...[0, 1, 2].map((times) => `repeat times ${times} tasks.py:30`),
    ...[99, 100, 101].map((times) => `repeat times ${times} tasks.py:32`),
    ...[-1, 0, 1].map((amount) => `add_item amount ${amount} inventory.rs:30`),
    ...[12, 13, 14].map((length) => `put_book isbn ${length} shelf.go:44`),
    'put_book title "" shelf.go:47',
    ...[9, 10, 11].map((times) => `greet times ${times} greeter.go:16`),
  ]);
  t.ok(compared.every(({ expect }) => expect.well_behaved === true), "the source does not say what is right");
  t.end();
});

t.test("a test says why it exists and where it came from", (t) => {
  const [first, second] = tests;
  t.equal(first?.generatedFrom, "source_analysis");
  t.equal(first?.origin, 'notes.ts:13: compares title.trim() === ""; title is ""');
  t.match(second?.name, /^create_note - title is a text of \d+ characters$/);
  t.end();
});

t.test("an input that the schema forbids is not proposed", async (t) => {
  const limited = sourceTools.map((tool) =>
    tool.name === "root"
      ? { ...tool, inputSchema: { type: "object", properties: { value: { type: "number", minimum: 0 } } } }
      : tool
  );
  const { tests } = await sourceAnalysis.generate({ ...sourceMaterial, tools: limited }, {});
  t.same(tests.filter(({ tool }) => tool === "root").map(({ input }) => input?.["value"]), [0, 1]);
});

t.test("a comparison of something else, or with no literal, is no reason for a test", async (t) => {
  const files = {
    "server.ts": `server.registerTool("divide", {}, async ({ a, b }) => {
      if (count === 3 || a === b || a + 2 || limits[0] > 5) return fail();
    });`,
  };
  const { tests } = await sourceAnalysis.generate({ ...sourceMaterial, sources: textSources(files) }, {});
  t.same(tests, []);
});

t.test("tools that look up what another one made become a scenario", (t) => {
  const scenarios = tests.filter(({ tier }) => tier === 2);
  t.same(scenarios.map(({ name }) => name), [
    "create_note, read_note, delete_note",
    "add_task, show_task",
    "add_item, get_item",
    "put_book, get_book",
  ]);
  t.match(scenarios[0]?.steps, [
    { action: { tool: "create_note" }, expect: { well_behaved: true }, capture: { made: "$.output.id" } },
    { action: { tool: "read_note", input: { note_id: "$made" } }, expect: { success: true } },
    { action: { tool: "delete_note", input: { note_id: "$made" } }, expect: { success: true } },
    { action: { tool: "read_note" }, expect: { well_behaved: true } },
  ]);
  t.match(
    scenarios[3]?.steps?.[1],
    { action: { input: { isbn: "978-3-16-148410-0" } } },
    "known by the maker's own input",
  );
  t.end();
});

t.test("the tests can be written, read again, and are the same each time", async (t) => {
  const text = serializeTests(tests);
  t.same(
    parseTests("x.yaml", text).map(({ name, steps, expect }) => ({ name, steps: steps?.length, expect })),
    tests.map(({ name, steps, expect }) => ({ name, steps: steps?.length, expect })),
  );
  const again = await sourceAnalysis.generate(sourceMaterial, { includeHeldBack: true });
  t.equal(serializeTests(again.tests), text);
});

t.test("tools that are held back get none", async (t) => {
  const { tests } = await sourceAnalysis.generate(sourceMaterial, {});
  t.notOk(
    tests.some(({ tool, steps }) =>
      tool === "delete_note" ||
      steps?.some(({ action }) => action.kind === "call" && action.tool === "delete_note")
    ),
  );
});

t.test("source that cannot be understood gives no tests, and does no harm", async (t) => {
  const files = {
    "broken.ts": 'server.registerTool("divide", { }, async ({ a, b }) => { if (b === 0 throw new Error(`x',
    "odd.py": "@mcp.tool(\ndef divide(:\n  raise",
    "empty.go": "",
    "deep.ts": `const x = ${"[".repeat(3000)}${"]".repeat(3000)};`,
    "loop.ts":
      "server.tool('root', async ({ value }) => again(value));\nfunction again(value: number): unknown { return again(value); }",
  };
  const { tests } = await sourceAnalysis.generate({
    ...sourceMaterial,
    tools: sourceTools,
    sources: textSources(files),
  }, {});
  t.same(tests, []);
});
