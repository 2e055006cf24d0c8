/** Generation from every signal for a plugin of 200 tools, with its source and its README. */
import type { ToolDefinition } from "../../machines/model/plugin.ts";
import { textSources } from "../../src/plugin/plugin_sources.ts";
import { type PluginMaterial, signals } from "../../src/testing/generator.ts";
import { generateTests } from "../../src/testing/generate/generate_tests.ts";
import { type Row, time } from "./table.ts";

const count = 200;
const perFile = 20;

/** Every fifth makes what the next two look up. */
function source(from: number): string {
  const tools = Array.from({ length: perFile }, (_, at) => toolSource(from + at));
  return `const items = new Map<string, unknown>();\n${tools.join("\n")}`;
}

const toolSource = (number: number): string => `
server.registerTool("tool_${number}", { inputSchema: {} }, async ({ id, name, limit = 10 }) => {
  if (name.trim() === "") throw new Error("tool ${number} needs a name");
  if (limit > ${number + 20}) throw new Error(\`limit above ${number + 20}: \${limit}\`);
  ${number % 5 === 0 ? "items.set(id, name);" : 'if (!items.has(id)) throw new Error("no item " + id);'}
  return { content: [{ type: "text", text: JSON.stringify({ id, name, limit }) }] };
});`;

const tool = (number: number): ToolDefinition => ({
  name: `tool_${number}`,
  description: `Tool ${number}`,
  inputSchema: {
    type: "object",
    properties: {
      id: { type: "string" },
      name: { type: "string", maxLength: 200 },
      limit: { type: "integer", default: 10 },
    },
    required: ["id", "name"],
  },
});

/** Fresh each time: what is parsed once is kept. */
export function material(): PluginMaterial {
  const numbers = Array.from({ length: count }, (_, at) => at);
  const files = numbers.filter((number) => number % perFile === 0)
    .map((number) => [`src/tools_${number}.ts`, source(number)]);
  const readme = numbers.map((number) =>
    `### \`tool_${number}\`\n\n\`\`\`json\n{ "id": "a", "name": "b${number}" }\n\`\`\`\n`
  ).join("\n");
  return {
    tools: numbers.map(tool),
    sources: textSources(Object.fromEntries(files)),
    documents: () => Promise.resolve([{ path: "README.md", text: readme }]),
    options: () => Promise.resolve([]),
  };
}

export async function measureGenerate(): Promise<Row[]> {
  const generate = () => generateTests(material(), { from: [...signals] });
  const { tests } = await generate();
  const schemaOnly = await time(3, () => generateTests(material(), {}));
  return [
    {
      what: `${tests.length} tests for ${count} tools from schema, source and README`,
      value: await time(3, generate),
      unit: "ms",
      plain: { tool: "from schema alone", value: schemaOnly },
      target: "< 2000 ms",
    },
  ];
}
