/** A plugin whose build, start, list of tools or tool is slow, where a file inside asks for it. */
import { readTextFile } from "../../../src/platform/files.ts";
import { taggedPids } from "../../../src/platform/proc.ts";

/** Command that is slow inside, where a file asks for it; its number finds it among the processes. */
export const sleeping = "sleep 98765";
const slowly = (what: string) => `if [ -e /tmp/slow-${what} ]; then ${sleeping}; fi`;

const server = `
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const say = (text) => ({ content: [{ type: "text", text }] });
const tools = { hello: () => say("hello"), waits: () => pause(100000).then(() => say("late")) };
if (existsSync("/tmp/slow-start")) await pause(100000);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "slow", version: "1" };
    write({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    if (existsSync("/tmp/slow-list")) continue;
    const names = Object.keys(tools);
    const annotations = { readOnlyHint: true };
    write({ id, result: { tools: names.map((name) => ({ name, annotations, inputSchema: { type: "object" } })) } });
  } else if (method === "tools/call") {
    Promise.resolve(tools[params.name]()).then((result) => write({ id, result }));
  } else if (method === "ping") write({ id, result: {} });
  else if (id !== undefined) write({ id, error: { code: -32601, message: "Method not found" } });
}
`;

export const slowPlugin: Record<string, string> = {
  "package.json": JSON.stringify({ name: "slow", version: "1.0.0", main: "server.mjs" }),
  "server.mjs": server,
  "notes.txt": "one\n",
};
/** Arguments of a load. */
export const load: Record<string, unknown> = { install: slowly("install"), build: slowly("build") };

/** Whether anything that is slow, or copies, runs in an environment of the session. */
export async function isBusy(sessionId: string): Promise<boolean> {
  for (const pid of await taggedPids("PTH_SESSION", sessionId)) {
    // One that has ended meanwhile is not busy.
    const words = await readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    const command = words.replaceAll("\0", " ").trim();
    if (command === sleeping || command.startsWith("tar ")) return true;
  }
  return false;
}
