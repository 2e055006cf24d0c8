/** Tests from source whose handlers stand in tables, and what becomes of input that the schema forbids. */
import t from "tap";
import { textSources } from "../../../../src/plugin/plugin_sources.ts";
import sourceAnalysis from "../../../../src/testing/generators/source_analysis.ts";
import { sourceMaterial } from "../source_tools.ts";

const text = { type: "string" };
const number = { type: "number" };
const tool = (name: string, properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  name,
  description: name,
  inputSchema: { type: "object", properties, required },
});
const tools = [
  tool("divide", { a: number, b: number }),
  tool("greet", { who: text }),
  tool("fetch_page", { kind: { ...text, default: "html" }, page: { ...number, default: 1 } }, []),
];

/** `[tool, input, words]` of each proposal. */
async function proposals(files: Record<string, string>): Promise<unknown[]> {
  const { tests } = await sourceAnalysis.generate(
    { ...sourceMaterial, tools, sources: textSources(files) },
    {},
  );
  return tests.map(({ tool, input, expect }) => [tool, input, expect.error_contains]);
}

const byZero = ["divide", { a: 1, b: 0 }, "Division by zero"];
const divide = `({ a, b }) => { if (b === 0) throw new Error("Division by zero"); return a / b; }`;
const sdk = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\n`;

const tables: Record<string, string> = {
  "an object by name": `const tools = { divide: { description: "Divides.", call: ${divide} } };
    server.setRequestHandler(Call, ({ params }) => tools[params.name].call(params.arguments));`,
  "an object of functions": `const handlers = { divide: ${divide} };
    const callTool = (name, args) => handlers[name](args);`,
  "a list": `const tools = [{ name: "divide", inputSchema, handler: ${divide} }];
    const callTool = (name, input) => tools.find((each) => each.name === name).handler(input);`,
  "a list, registered by a loop": `const tools = [{ name: "divide", config: {}, handler: ${divide} }];
    for (const each of tools) server.registerTool(each.name, each.config, each.handler);`,
  "a Map": `const handlers = new Map([["divide", ${divide}]]);
    const callTool = (name, args) => { const handler = handlers.get(name); return handler(args); };`,
  "a Map that is filled": `handlers.set("divide", ${divide});
    const callTool = (name, args) => { const handler = handlers.get(name); return handler(args); };`,
  "a function under its name": `const handler = ${divide};
    const tools = [{ name: "divide", handler }];
    const callTool = (tool, args) => tool.handler(args);`,
};
for (const [name, source] of Object.entries(tables)) {
  t.test(`a handler in ${name} is found`, async (t) => {
    t.same(await proposals({ "server.js": sdk + source }), [byZero]);
  });
}

const pythonDivide = `def divide(arguments):
    if arguments["b"] == 0:
        raise ValueError("Division by zero")
    return arguments["a"] / arguments["b"]
`;
const pythonSpread = pythonDivide.replace("(arguments)", "(a, b)").replaceAll(/arguments\["(\w)"\]/g, "$1");
const pythonTables: Record<string, string> = {
  "a list of descriptions": `${pythonDivide}
TOOLS = [{"name": "divide", "description": "Divides.", "call": divide}]
def call_tool(tool, params):
    return tool["call"](params["arguments"])
`,
  "a dictionary of descriptions": `${pythonDivide}
TOOLS = {"divide": {"handler": divide}}
def call_tool(name, arguments):
    return TOOLS[name]["handler"](arguments)
`,
  "a dictionary of functions, given each input by its name": `${pythonSpread}
TOOLS = {"divide": divide}
def call_tool(name, arguments):
    return TOOLS[name](**arguments)
`,
  "a list of objects, registered by a loop": `${pythonSpread}
TOOLS = [Tool(name="divide", fn=divide)]
for tool in TOOLS:
    mcp.add_tool(tool.fn, name=tool.name)
`,
  "a chain of comparisons": `
def call_tool(name, arguments):
    if name == "greet":
        return "hello"
    elif name == "divide":
        if arguments["b"] == 0:
            raise ValueError("Division by zero")
        return arguments["a"] / arguments["b"]
`,
  "a match": `
def call_tool(name, arguments):
    match name:
        case "greet":
            return "hello"
        case "divide":
            if arguments["b"] == 0:
                raise ValueError("Division by zero")
            return arguments["a"] / arguments["b"]
`,
};
for (const [name, source] of Object.entries(pythonTables)) {
  t.test(`in Python a handler in ${name} is found`, async (t) => {
    t.same(await proposals({ "server.py": `from mcp.server import Server\n${source}` }), [byZero]);
  });
}

t.test("an error that whoever calls the table keeps to itself is not proposed", async (t) => {
  const call = "tools[params.name].call(params.arguments)";
  const swallows = tables["an object by name"]!.replace(
    `=> ${call}`,
    `=> { try { return ${call}; } catch (error) { log(error); return { isError: true }; } }`,
  );
  t.same(await proposals({ "server.js": sdk + swallows }), []);
  const tells = swallows.replace("isError: true", "isError: true, content: [{ type, text: error.message }]");
  t.same(await proposals({ "server.js": sdk + tells }), [byZero]);
  const refuses = swallows.replace("return { isError: true }", "return refuse(error.message)") +
    "\nconst refuse = (text) => ({ isError: true, content: [{ type, text }] });";
  t.same(await proposals({ "server.js": sdk + refuses }), [byZero]);
  const renames = swallows.replace("log(error);", "const message = String(error);")
    .replace("isError: true", "isError: true, content: [{ type, text: `Error: ${message}` }]");
  t.same(await proposals({ "server.js": sdk + renames }), [byZero]);
});

t.test("of several handlers of errors each must tell them", async (t) => {
  const source = (second: string) =>
    `from mcp.server import Server
${pythonDivide}
TOOLS = {"divide": divide}
def call_tool(name, arguments):
    try:
        return TOOLS[name](arguments)
    except KeyError as error:
        return {"isError": True, "content": [{"type": "text", "text": str(error)}]}
    except Exception${second}
`;
  t.same(await proposals({ "server.py": source(`:\n        return {"isError": True}`) }), []);
  t.same(await proposals({ "server.py": source(" as error:\n        raise Problem(str(error))") }), [byZero]);
});

t.test("where the input is looked at before the call, a refusal is expected in whichever words", async (t) => {
  const source = tables["a Map"]!.replace(
    "return handler",
    "if (args.length > 9) return no(); return handler",
  );
  t.same(await proposals({ "server.js": sdk + source }), [["divide", { a: 1, b: 0 }, undefined]]);
});

t.test("a table that nothing is seen to call gives no tests", async (t) => {
  t.same(await proposals({ "server.js": `export const tools = { divide: { call: ${divide} } };` }), []);
});

const greet = `def greet(arguments):
    who = arguments.get("who")
    if isinstance(who, bool) or not isinstance(who, (str, dict)):
        raise Refusal(f"{who} is no name")
    return say(who)
TOOLS = {"greet": greet}
def call_tool(name, arguments):
    return TOOLS[name](arguments)
`;
const absent = ["greet", {}, "is no name"];

t.test("a handler that is given input as it comes answers input that the schema forbids", async (t) => {
  t.same(await proposals({ "server.py": `import json, sys\n${greet}` }), [absent]);
});

t.test("input that something else may refuse first is not proposed", async (t) => {
  t.same(await proposals({ "server.py": `import jsonschema\n${greet}` }), [], "a library that checks");
  t.same(await proposals({ "server.py": `${greet}\nvalidate(tool["inputSchema"])` }), [], "its own check");
  const looks = greet.replace(
    "    return TOOLS",
    "    if not arguments:\n        return no()\n    return TOOLS",
  );
  t.same(await proposals({ "server.py": looks }), [], "a look before the call");
  const registered = `${sdk}server.registerTool("greet", {}, ({ who }) => {
    if (typeof who !== "string") throw new Error("Who is it?");
  });`;
  t.same(await proposals({ "server.js": registered }), [], "the SDK");
});

const lowLevel = (schema: string) =>
  `import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { z } from "./z.js";
const GreetSchema = z.object({ who: ${schema} });
const tools = [{ name: "greet", description: "Greets.", list: zodToJsonSchema(GreetSchema) }];
server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const { name, arguments: args } = request.params;
  switch (name) {
    case "greet": {
      const parsed = GreetSchema.safeParse(args);
      if (!parsed.success) throw new Error(\`Invalid arguments for greet: \${parsed.error}\`);
      return await hello(parsed.data.who);
    }
  }
});`;

t.test("what a schema of the handler's own refuses is known where the tool lists that schema", async (t) => {
  const [proposed] = await proposals({ "server.js": lowLevel("z.string()") });
  t.same(proposed, ["greet", {}, "Invalid arguments for greet:"]);
  t.same(await proposals({ "server.js": lowLevel("z.coerce.string()") }), [], "it makes a text of anything");
  const other = lowLevel("z.string()").replace("zodToJsonSchema(GreetSchema)", "{}");
  t.same(await proposals({ "server.js": other }), [], "another schema may be listed");
});

const page = `import { KINDS } from "./kinds.js";
server.registerTool("fetch_page", { inputSchema }, async ({ kind, page }) => {
  if (!KINDS.includes(kind)) throw new Error("Unknown kind of page");
  if (page < 1) throw new Error("Pages count from 1");
  return await load(kind, page);
});`;
const kinds = `const HTML = "html";\nexport const KINDS = [HTML, "text"];`;

t.test("constants of other files and defaults of parameters are known", async (t) => {
  t.same(await proposals({ "server.js": sdk + page, "kinds.js": kinds }), [
    ["fetch_page", { kind: "" }, "Unknown kind of page"],
    ["fetch_page", { kind: "html", page: 0 }, "Pages count from 1"],
  ]);
  t.same(await proposals({ "server.js": sdk + page }), [], "a constant of elsewhere");
});

t.test("a constant that is made of itself ends the walk", async (t) => {
  const source = `const KINDS = KINDS ?? [];\n${page.replace(/^import.*\n/, "")}`;
  t.same(await proposals({ "server.js": sdk + source }), []);
});
