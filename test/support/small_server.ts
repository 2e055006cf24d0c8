/** Source of an MCP server on stdio in a few lines, for plugins that a test writes and a session changes. */

export interface SmallServer {
  name: string;
  /** Lines before all others: imports, constants. */
  head: string;
  /** Expressions of the source: the list of tools, and the text that answers `call`, the parameters of a tool call. */
  tools: string;
  text: string;
}

/** It needs nothing but Node; stdin's end is its own. */
export const smallServer = ({ name, head, tools, text }: SmallServer): string =>
  `import { createInterface } from "node:readline";
${head}
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "${name}", version: "1" },
  }),
  "tools/list": () => ({ tools: ${tools} }),
  "tools/call": (call) => ({ content: [{ type: "text", text: ${text} }] }),
  ping: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
`;

/** One tool, `add`, whose sum comes from add.mjs beside it. */
export const adderServer: string = smallServer({
  name: "adder",
  head: `import { add } from "./add.mjs";
const number = { type: "number" };
const inputSchema = { type: "object", properties: { a: number, b: number }, required: ["a", "b"] };`,
  tools: '[{ name: "add", description: "Adds", inputSchema }]',
  text: "String(add(call.arguments))",
});
