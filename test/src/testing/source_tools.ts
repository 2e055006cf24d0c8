/** The tools of `test/fixtures/sources`, as their servers would list them. */
import { fileURLToPath } from "node:url";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { folderSources } from "../../../src/plugin/plugin_sources.ts";
import type { PluginMaterial } from "../../../src/testing/generator.ts";

export const sourceFolder = fileURLToPath(new URL("../../fixtures/sources", import.meta.url));

const tool = (
  name: string,
  properties: Record<string, unknown>,
  optional: string[] = [],
): ToolDefinition => ({
  name,
  description: name,
  inputSchema: {
    type: "object",
    properties,
    required: Object.keys(properties).filter((key) => !optional.includes(key)),
  },
});

const text = { type: "string" };
const number = { type: "number" };

export const sourceTools: ToolDefinition[] = [
  {
    ...tool("create_note", { title: text, text }),
    outputSchema: { type: "object", properties: { id: text, title: text } },
  },
  tool("read_note", { note_id: text }),
  tool("delete_note", { note_id: text }),
  tool("search_notes", { query: text, limit: { type: "integer" } }, ["limit"]),
  tool("divide", { a: number, b: number }),
  tool("root", { value: number }),
  tool("convert", { unit: text, value: number }),
  tool("add_task", { title: text, priority: { type: "string", default: "normal" } }, ["priority"]),
  tool("show_task", { task_id: text }),
  tool("repeat", { text, times: { type: "integer" } }),
  tool("weather", { city: text }),
  tool("add_item", { name: text, amount: { type: "integer" } }),
  tool("get_item", { name: text }),
  tool("put_book", { isbn: text, title: text }),
  tool("get_book", { isbn: text }),
  tool("greet", { name: text, times: { type: "integer" } }),
];

export const sourceMaterial: PluginMaterial = {
  tools: sourceTools,
  sources: folderSources(sourceFolder),
  documents: () => Promise.resolve([]),
  options: () => Promise.resolve([]),
};
