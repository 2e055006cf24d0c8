import t from "tap";
import { enclosingName, findHandler } from "../../../src/diagnosis/find_handler.ts";
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

/** Name around the line that holds `HERE`. */
function around(text: string): string | undefined {
  const lines = text.split("\n");
  return enclosingName(lines, lines.findIndex((line) => line.includes("HERE")) + 1);
}

t.test("a line belongs to the function, tool or case around it", (t) => {
  const samples: [what: string, text: string, name: string | undefined][] = [
    ["a function", "function one() {\n  if (x) {\n    HERE;\n  }\n}\n", "one"],
    ["an arrow function", "const two = (x: number): number => {\n  HERE;\n};\n", "two"],
    ["a method", "class A {\n  async three(x) {\n    HERE;\n  }\n}\n", "three"],
    ["a tool", 'server.registerTool("four", {}, () => {\n  HERE;\n});\n', "four"],
    [
      "a tool on the next line",
      'server.registerTool(\n  "five",\n  {},\n  () => {\n    HERE;\n  },\n);\n',
      "five",
    ],
    [
      "a case",
      'function all(name) {\n  switch (name) {\n    case "six": {\n      HERE;\n    }\n  }\n}\n',
      "six",
    ],
    ["an if on the name", 'def all(name):\n    if name == "seven":\n        HERE\n', "seven"],
    [
      "an entry of a table",
      "const tools = {\n  eight: {\n    call: () => {\n      HERE;\n    },\n  },\n};\n",
      "eight",
    ],
    ["Python", "def nine(a):\n    for x in a:\n        HERE\n", "nine"],
    ["Rust", "impl S {\n    pub fn ten(&self) {\n        HERE\n    }\n}\n", "ten"],
    ["the top of a file", "import x\nHERE\n", undefined],
    ["after a function", "def nine(a):\n    return a\n\nHERE\n", undefined],
  ];
  for (const [what, text, name] of samples) t.equal(around(text), name, what);
  t.end();
});
