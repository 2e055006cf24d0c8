// An extension of pi's that offers the tools of MCP servers on stdio, which `servers.json` beside it lists.
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const startMs = 30_000;
const callMs = 600_000;
const mostTools = 1000;

function open({ command: [program, ...args], env, cwd }) {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    cwd,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map();
  let last = 0;
  const end = (error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  child.on("error", end);
  child.on("exit", (code, signal) => end(new Error(`the server ended with ${code ?? signal}`)));
  child.stdin.on("error", end);
  createInterface({ input: child.stdout }).on("line", (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return; // no message
    }
    const { id, method, result, error } = message ?? {};
    if (method !== undefined) {
      const answer = method === "ping" ? { result: {} } : { error: { code: -32601, message: "not offered" } };
      if (id !== undefined) send({ id, ...answer });
      return;
    }
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method, params, ms, signal) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      const give = (settle) => (value) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
        waiting.delete(id);
        settle(value);
      };
      const asked = { resolve: give(resolve), reject: give(reject) };
      const cancel = () => {
        send({ method: "notifications/cancelled", params: { requestId: id } });
        asked.reject(new Error("cancelled"));
      };
      const timer = setTimeout(
        () => asked.reject(new Error(`no answer to ${method} within ${ms / 1000} s`)),
        ms,
      );
      signal?.addEventListener("abort", cancel);
      waiting.set(id, asked);
      send({ id, method, params });
    });
  return { ask, send, close: () => child.kill() };
}

async function toolsOf(server) {
  await server.ask("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "pi", version: "1" },
  }, startMs);
  server.send({ method: "notifications/initialized" });
  const tools = [];
  let cursor;
  do {
    const page = await server.ask("tools/list", cursor === undefined ? {} : { cursor }, startMs);
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined && tools.length < mostTools);
  return tools;
}

const contentOf = (content = []) =>
  content.map((part) =>
    part.type === "text" || part.type === "image" ? part : { type: "text", text: JSON.stringify(part) }
  );

export default async function (pi) {
  const servers = JSON.parse(readFileSync(join(folder, "servers.json"), "utf8"));
  const opened = [];
  pi.on("session_shutdown", () => opened.forEach(({ close }) => close()));
  await Promise.all(servers.map(async (each) => {
    try {
      const server = open(each);
      opened.push(server);
      for (const { name, description, inputSchema } of await toolsOf(server)) {
        pi.registerTool({
          name: `mcp__${each.name}__${name}`,
          label: name,
          description: description ?? name,
          parameters: inputSchema,
          async execute(_id, input, signal) {
            const result = await server.ask("tools/call", { name, arguments: input }, callMs, signal);
            const content = contentOf(result.content);
            // An error that is thrown becomes the call's result, marked as one.
            if (result.isError) throw new Error(content.map(({ text }) => text ?? "").join("\n"));
            return { content, details: {} };
          },
        });
      }
    } catch (error) {
      appendFileSync(join(folder, "servers.log"), `server ${each.name} failed: ${error.message}\n`);
    }
  }));
}
