import t from "tap";
import { findHandler } from "../../../src/diagnosis/find_handler.ts";
import { textSources } from "../../../src/plugin/plugin_sources.ts";

async function lineOf(tool: string, path: string, text: string, more: Record<string, string> = {}) {
  const handler = await findHandler(tool, textSources({ [path]: text, ...more }));
  return handler && `${handler.place.path}:${handler.place.line}`;
}

t.test("the usual ways to register a tool lead to its handler", async (t) => {
  const ways: [what: string, path: string, text: string, place: string][] = [
    ["registerTool", "a.ts", 'server.registerTool("add", {}, async () => {\n  return 1;\n});\n', "a.ts:1"],
    ["the name on the next line", "a.ts", 'server.registerTool(\n  "add",\n  {},\n  run,\n);\n', "a.ts:1"],
    [
      "server.tool with a named function",
      "a.ts",
      'server.tool("add", {}, sum);\n\nfunction sum() {\n}\n',
      "a.ts:3",
    ],
    [
      "a switch",
      "a.js",
      'switch (name) {\n  case "sub":\n    return 1;\n  case "add":\n    return 2;\n}\n',
      "a.js:4",
    ],
    ["an if", "a.js", 'if (request.params.name === "add") {\n  return 2;\n}\n', "a.js:1"],
    [
      "a table of objects",
      "a.js",
      "const t = {\n  add: {\n    schema: {},\n    call: ({ a }) => a,\n  },\n};\n",
      "a.js:4",
    ],
    ["a decorated function", "s.py", "@mcp.tool()\nasync def add(a: int) -> int:\n    return a\n", "s.py:2"],
    ["a decorator with the name", "s.py", '@mcp.tool(name="add")\ndef plus(a):\n    return a\n', "s.py:2"],
    [
      "a Python table",
      "s.py",
      'def add_numbers(a):\n    return a\n\nTOOLS = {\n    "add": add_numbers,\n}\n',
      "s.py:1",
    ],
    ["a handler's name in capitals", "s.ts", "async function handleAdd(a) {\n  return a;\n}\n", "s.ts:1"],
    ["a handler's name", "s.py", "def handle_add(a):\n    return a\n", "s.py:1"],
    ["Rust", "m.rs", "impl S {\n    fn add(&self) {}\n}\n", "m.rs:2"],
  ];
  for (const [what, path, text, place] of ways) t.equal(await lineOf("add", path, text), place, what);
});

t.test("a handler knows what it calls, across files", async (t) => {
  const handler = await findHandler(
    "create-user",
    textSources({
      "server.ts": 'server.registerTool("create-user", {}, (input) => save(check(input)));\n',
      "lib/save.ts": "export function save(user) {\n  write(user);\n}\n\nfunction write(user) {\n}\n",
    }),
  );
  t.strictSame(handler?.blocks.map(({ path, from, to }) => `${path}:${from}-${to}`), [
    "server.ts:1-1",
    "lib/save.ts:1-3",
    "lib/save.ts:5-6",
  ]);
});

t.test("what a build wrote is looked at only where there is no other source", async (t) => {
  const text = 'server.tool("add", {}, () => 1);\n';
  t.equal(await lineOf("add", "dist/a.js", text), "dist/a.js:1");
  t.equal(await lineOf("add", "src/a.ts", text, { "dist/a.js": text }), "src/a.ts:1");
});

t.test("a tool that nothing names has no handler", async (t) => {
  t.equal(await lineOf("subtract", "a.js", "const a = 1;\n"), undefined);
});
