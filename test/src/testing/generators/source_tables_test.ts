/** Tests from source whose handlers stand in tables. */
import t from "tap";
import { textSources } from "../../../../src/plugin/plugin_sources.ts";
import sourceAnalysis from "../../../../src/testing/generators/source_analysis.ts";
import { sourceMaterial } from "../source_tools.ts";

const text = { type: "string" };
const number = { type: "number" };
const tool = (name: string, properties: Record<string, unknown>) => ({
  name,
  description: name,
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
});
const tools = [
  tool("divide", { a: number, b: number }),
  tool("greet", { who: text }),
];

/** `[tool, input]` of each proposal. */
async function proposals(files: Record<string, string>): Promise<unknown[]> {
  const { tests } = await sourceAnalysis.generate(
    { ...sourceMaterial, tools, sources: textSources(files) },
    {},
  );
  return tests.map(({ tool, input }) => [tool, input]);
}

const byZero = [-1, 0, 1].map((b) => ["divide", { a: 1, b }]);
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
    t.same(await proposals({ "server.js": sdk + source }), byZero);
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
    t.same(await proposals({ "server.py": `from mcp.server import Server\n${source}` }), byZero);
  });
}
