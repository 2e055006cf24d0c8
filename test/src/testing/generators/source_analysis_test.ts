/** Tests from source: the error branches of five languages, and tools that need each other. */
import t from "tap";
import { textSources } from "../../../../src/plugin/plugin_sources.ts";
import sourceAnalysis from "../../../../src/testing/generators/source_analysis.ts";
import { parseTests } from "../../../../src/testing/format/parse.ts";
import { serializeTests } from "../../../../src/testing/format/serialize_tests.ts";
import { sourceMaterial, sourceTools } from "../source_tools.ts";

const { tests } = await sourceAnalysis.generate(sourceMaterial, { includeHeldBack: true });

const branches = tests.filter(({ tier }) => tier === 1)
  .map((
    { tool, input, expect, origin },
  ) => [tool, JSON.stringify(input), expect.error_contains, origin?.split(": ")[0]]);

t.test("each error branch that an input surely reaches is a test, in five languages", (t) => {
  const short = branches.map((
    [tool, input, ...rest],
  ) => [tool, String(input).replace(/x{10,}/, "x…"), ...rest]);
  t.same(short, [
    ["create_note", '{"title":"","text":"example"}', "A note needs a title", "notes.ts:14"],
    ["create_note", '{"title":"x…","text":"example"}', "Title too long:", "notes.ts:16"],
    ["read_note", '{"note_id":"pth-no-such-note-id"}', "Note not found:", "notes.ts:31"],
    ["delete_note", '{"note_id":"pth-no-such-note-id"}', "No such note:", "notes.ts:43"],
    ["search_notes", '{"query":"example","limit":201}', "limit must not be above", "notes.ts:56"],
    ["divide", '{"a":1,"b":0}', "Division by zero", "lib/divide.js:3"],
    ["root", '{"value":-1}', "Cannot take the root of a negative number", "calculator.js:15"],
    ["convert", '{"unit":"","value":1}', '", use km or mi', "calculator.js:19"],
    ["add_task", '{"title":""}', "title must not be empty", "tasks.py:12"],
    [
      "add_task",
      '{"title":"example","priority":""}',
      "priority must be one of low, normal, high, not",
      "tasks.py:14",
    ],
    ["show_task", '{"task_id":"pth-no-such-task-id"}', "no task named", "tasks.py:24"],
    ["repeat", '{"text":"example","times":0}', "times must be at least 1", "tasks.py:31"],
    ["repeat", '{"text":"example","times":101}', "times must be at most 100", "tasks.py:33"],
    ["add_item", '{"name":"","amount":1}', "the item needs a name", "inventory.rs:28"],
    ["add_item", '{"name":"example","amount":0}', "amount must be positive, got", "inventory.rs:31"],
    ["get_item", '{"name":"pth-no-such-name"}', "no such item", "inventory.rs:42"],
    ["put_book", '{"isbn":"pth-no-such-isbn","title":"example"}', "isbn too long:", "shelf.go:45"],
    ["put_book", '{"isbn":"example","title":""}', "title is required", "shelf.go:48"],
    ["get_book", '{"isbn":"pth-no-such-isbn"}', "no book with isbn", "shelf.go:31"],
    ["greet", '{"name":"example","times":11}', "too many greetings", "greeter.go:17"],
  ]);
  t.end();
});

t.test("a branch behind something that only a real run tells is not proposed", (t) => {
  t.notOk(branches.some(([, , message]) => message === "search failed"), "behind fetch");
  t.notOk(branches.some(([tool]) => tool === "weather"), "behind a function of elsewhere");
  t.end();
});

t.test("a test says why it exists and where it came from", (t) => {
  const [first] = tests;
  t.equal(first?.generatedFrom, "source_analysis");
  t.equal(first?.origin, 'notes.ts:14: throws "A note needs a title" when title.trim() === ""');
  t.end();
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
    { action: { tool: "read_note" }, expect: { success: false, error_contains: "Note not found:" } },
  ]);
  t.match(
    scenarios[3]?.steps?.[1],
    { action: { input: { isbn: "example" } } },
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

t.test("a branch that is caught, or that another one goes before, is not proposed", async (t) => {
  const files = {
    "server.ts": `
server.registerTool("divide", {}, async ({ a, b }) => {
  try {
    if (b === 0) throw new Error("Division by zero");
    return ok(a / b);
  } catch (error) {
    return ok(0);
  }
});
server.registerTool("root", {}, async ({ value }) => {
  if (value < 5) return { content: [{ type: "text", text: "small" }] };
  if (value < 3) throw new Error("Too small to tell");
  return { content: [] };
});
server.registerTool("repeat", {}, logged(async ({ times }) => {
  if (times < 1) throw new Error("Too few times");
}));
const ok = (value: number) => ({ content: [{ type: "text", text: String(value) }] });
`,
  };
  const { tests } = await sourceAnalysis.generate({ ...sourceMaterial, sources: textSources(files) }, {});
  t.same(tests, []);
});
