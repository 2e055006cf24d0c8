/** A plugin without dependencies whose tools break in the ways that a session has to come back from. */

const server = `
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const say = (text) => ({ content: [{ type: "text", text }] });
const tools = {
  hello: () => say("hello"),
  exits: () => { process.stderr.write("fatal: the store is corrupt\\n"); process.exit(7); },
  aborts: () => process.abort(),
  hangs: () => { for (;;); },
  waits: () => new Promise((resolve) => setTimeout(() => resolve(say("late")), 20000)),
  fills: () => { writeFileSync("/tmp/full", Buffer.alloc(64 * 1024 * 1024)); return say("filled"); },
};
await new Promise((resolve) => setTimeout(resolve, Number(process.env.START_DELAY ?? 0)));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "breaks", version: "1" };
    write({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    const list = Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } }));
    write({ id, result: { tools: list } });
  } else if (method === "tools/call") {
    Promise.resolve(tools[params.name]()).then((result) => write({ id, result }));
  } else if (method === "ping") write({ id, result: {} });
  else if (id !== undefined) write({ id, error: { code: -32601, message: "Method not found" } });
}
`;

/** Files of the plugin; `manifest` adds to its package.json. */
export const breakingPlugin = (manifest: Record<string, unknown> = {}): Record<string, string> => ({
  "server.mjs": server,
  "package.json": JSON.stringify(
    { name: "breaks", version: "1.0.0", main: "server.mjs", ...manifest },
    null,
    2,
  ),
});
