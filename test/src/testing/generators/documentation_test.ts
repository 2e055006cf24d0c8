/** Tests from documents: what is an example, what is its answer, and what is neither. */
import t from "tap";
import type { ToolDefinition } from "../../../../machines/model/plugin.ts";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import { textSources } from "../../../../src/plugin/plugin_sources.ts";
import documentation from "../../../../src/testing/generators/documentation.ts";
import { parseTests } from "../../../../src/testing/format/parse.ts";
import { serializeTests } from "../../../../src/testing/format/serialize_tests.ts";

const tool = (
  name: string,
  properties: Record<string, unknown>,
  required = Object.keys(properties),
): ToolDefinition => ({
  name,
  inputSchema: { type: "object", properties, required, additionalProperties: false },
});
const number = { type: "number" };
const text = { type: "string" };
const tools = [
  tool("add", { a: number, b: number }),
  tool("greet", { name: text, loud: { type: "boolean" } }, ["name"]),
  tool("delete_all", {}),
];

async function generated(text: string): Promise<TestCase[]> {
  const { tests } = await documentation.generate({
    tools,
    sources: textSources({}),
    documents: () => Promise.resolve([{ path: "README.md", text }]),
    options: () => Promise.resolve([]),
  }, {});
  return tests;
}

const fence = (code: string, language = ""): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;

t.test("a request, a named call and an input below a tool's heading are examples", async (t) => {
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "add", arguments: { a: 1, b: 2 } },
  };
  const tests = await generated([
    fence(JSON.stringify(request), "json"),
    fence('{ "tool": "greet", "arguments": { "name": "Ada" } }', "json"),
    "### `add`\n\nAdds.\n\n",
    fence('{ "a": 3, "b": 4 }', "json"),
  ].join("\n"));
  t.match(tests, [
    { tool: "add", input: { a: 1, b: 2 }, expect: { well_behaved: true }, origin: /^README\.md:1: / },
    { tool: "greet", input: { name: "Ada" } },
    { tool: "add", input: { a: 3, b: 4 }, origin: /^README\.md:14: / },
  ]);
  t.equal(tests.length, 3);
  t.same(
    parseTests("x.yaml", serializeTests(tests)).map(({ input }) => input),
    tests.map(({ input }) => input),
  );
});

t.test("an answer is expected where the document shows it", async (t) => {
  const tests = await generated([
    "`add(a=2, b=3)` returns `5`.\n",
    `${fence("add 1 1 → 2")}`,
    "## greet\n",
    fence('{ "name": "Bo" }', "json"),
    "Returns:\n",
    fence('{ "content": [{ "type": "text", "text": "Hello Bo" }] }', "json"),
    "Some other words.\n",
    fence('{ "name": "Al" }', "json"),
  ].join("\n"));
  t.same(tests.map(({ tool, input, expect }) => ({ tool, input, expect })), [
    { tool: "add", input: { a: 2, b: 3 }, expect: { success: true, output_contains: "5" } },
    { tool: "add", input: { a: 1, b: 1 }, expect: { success: true, output_contains: "2" } },
    { tool: "greet", input: { name: "Bo" }, expect: { success: true, output_contains: "Hello Bo" } },
    { tool: "greet", input: { name: "Al" }, expect: { well_behaved: true } },
  ]);
});

t.test("what could mean something else is no example", async (t) => {
  const tests = await generated([
    "Use `add a b`, `add 1`, `add 1 2 3`, `greet`, `add.js 1 2` or `plus 1 2`.\n",
    fence('{ "a": 1, "b": 2 }', "json"),
    fence('{ "mcpServers": { "add": { "command": "add", "args": ["1", "2"] } } }', "json"),
    fence('{ "name": "add", "inputSchema": { "type": "object" } }', "json"),
    fence("npm install add\nadd 1 2", "sh"),
    "### `add`\n\n",
    fence('{ "a": "one", "b": 2 }', "json"),
    fence('{ "a": 1, ... }', "json"),
    fence('{ "tool": "delete_all", "arguments": {} }', "json"),
  ].join("\n"));
  t.same(tests, []);
});

t.test("an answer that was cut short is not expected", async (t) => {
  const [test] = await generated(`\`greet(name="Ada")\` returns \`Hello ...\``);
  t.same(test?.expect, { well_behaved: true });
});

t.test("a table's column of examples gives one for each row", async (t) => {
  const tests = await generated([
    "| Tool | Does | Example |",
    "| --- | --- | --- |",
    "| `add` | adds | `add(1, 2)` |",
    '| `greet` | greets | `{"name": "Ada"}` |',
    "| `greet` | greets | see below |",
  ].join("\n"));
  t.match(tests, [
    { tool: "add", input: { a: 1, b: 2 }, origin: /README\.md:3/ },
    { tool: "greet", input: { name: "Ada" }, origin: /README\.md:4/ },
  ]);
  t.equal(tests.length, 2);
});

t.test("numbered lists and fenced sequences are scenarios", async (t) => {
  const tests = await generated([
    "## Getting started\n",
    "1. Call `add(1, 2)`.",
    '2. Then `greet(name="$USER")`.',
    "",
    fence("# first\nadd 1 2\ngreet name=Ada"),
    "## Not shown\n",
    "1. Call `add(1, 2)`.",
    "2. Then `greet` with what came.",
    "3. Call `add(3, 2)`.",
  ].join("\n"));
  const workflows = tests.filter(({ tier }) => tier === 2);
  t.match(workflows, [
    { steps: [{ action: { tool: "add" } }, { action: { tool: "greet", input: { name: "Ada" } } }] },
    {
      name: /Getting started/,
      steps: [{ action: { input: { a: 1, b: 2 } } }, { action: { input: { name: "$$USER" } } }],
    },
  ]);
  t.equal(workflows.length, 2);
  t.doesNotThrow(() => parseTests("x.yaml", serializeTests(tests)));
});
