/** A plugin that tells its secret wherever it can, in every spelling, and how to see whether anybody passed it on. */
import { Buffer } from "node:buffer";

export const secret = 'q7/"Zx+ é\\vault=81-kilo';

/** Says the secret in full, in halves, while it builds, starts, lists, works, fails and ends. One of its tools is wrong. */
const server = `
import { createInterface } from "node:readline";
import { difference } from "./numbers.mjs";
const secret = process.env.API_KEY;
const json = JSON.stringify;
const base64 = (text) => Buffer.from(text).toString("base64");
const spellings = [
  secret,
  json(secret),
  json(json({ key: json(secret) })),
  json(secret).replace(/[^ -~]/g, (c) => "\\\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")),
  encodeURIComponent(secret),
  new URLSearchParams({ key: secret }).toString(),
  base64(secret),
  base64("user:" + secret + ":realm"),
  base64(json({ key: secret })),
  Buffer.from(secret).toString("hex"),
  "'" + secret.replaceAll("\\\\", "\\\\\\\\") + "'",
].join("\\n");
const middle = Math.floor(secret.length / 2);
const halves = async (stream, text) => {
  stream.write(text + secret.slice(0, middle));
  await new Promise((resolve) => setTimeout(resolve, 30));
  stream.write(secret.slice(middle) + "\\n");
};
await halves(process.stderr, "starting with ");
console.error(spellings);
await halves(process.stdout, "log: ");
if (process.env.DIE) { console.error("fatal: " + spellings); process.exit(5); }
const write = (message) => process.stdout.write(json({ jsonrpc: "2.0", ...message }) + "\\n");
const say = (text) => ({ content: [{ type: "text", text }] });
const number = { type: "number", description: "not " + secret };
const inputSchema = { type: "object", properties: { a: number, b: number, text: { type: "string" } } };
const outputSchema = { type: "object", properties: { key: { type: "integer" } }, required: ["key"] };
const names = ["subtract", "tell", "measure", "refuse", "crash", "garble"];
const tools = names.map((name) =>
  ({ name, description: "Knows " + spellings, inputSchema, ...(name === "measure" && { outputSchema }) }));
const calls = {
  subtract: ({ a, b }) => (console.error("subtracting with " + secret), say(String(difference(a, b)))),
  tell: () => say(spellings),
  measure: () => ({ ...say(json({ key: secret })), structuredContent: { key: secret, [secret]: spellings } }),
  refuse: () => ({ ...say("TypeError: cannot use " + spellings + "\\n    at refuse (" + import.meta.url + ":3:1)"), isError: true }),
  crash: async () => { await halves(process.stderr, "lost "); console.error(spellings); process.exit(9); },
  garble: async () => { await halves(process.stdout, "log: "); return say("done"); },
};
const progress = (params, message) => {
  const progressToken = params?._meta?.progressToken;
  if (progressToken !== undefined) write({ method: "notifications/progress", params: { progressToken, progress: 1, message } });
};
const methods = {
  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, instructions: secret, serverInfo: { name: "leaky " + secret, version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": (params) => (progress(params, "using " + secret), calls[params.name](params.arguments ?? {})),
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (!methods[method]) return write({ id, error: { code: -32601, message: "no " + method + ", " + spellings } });
  write({ id, result: await methods[method](params) });
}).on("close", () => console.error("ending with " + spellings));
`;

const tests = `
name: subtracts
tool: subtract
input: { a: 5, b: 3 }
expect: { output_equals: "2" }
---
name: knows the secret by its reference
tool: tell
input: { text: "\${env:API_KEY}" }
expect: { output_contains: "\${env:API_KEY}!" }
verify:
  - exec: echo "$API_KEY" >&2; printf %s "\${API_KEY%kilo}"; sleep 0.05; echo kilo
    expect_stdout: nothing
---
name: sets up with the secret
tool: tell
setup: [{ exec: 'echo "setup $API_KEY" >&2; exit 3' }]
expect: { success: true }
`;

export const files: Record<string, string> = {
  "server.mjs": server,
  "numbers.mjs": "export const difference = (a, b) =>\n  b - a;\n",
  "build.sh": 'echo "building with $API_KEY"; echo "$API_KEY" >&2; [ -z "$BREAK" ] || exit 4\n',
  "package.json": '{"name":"leaky","version":"1.0.0","type":"module","scripts":{"build":"sh build.sh"}}\n',
  ".mcp.json":
    '{"mcpServers":{"leaky":{"command":"node","args":["server.mjs"],"env":{"API_KEY":"${API_KEY}"}}}}\n',
  "README.md": "# leaky\n",
  ".pth/tests/leaky.yaml": tests,
};

/** Not needing to be quoted anywhere, it shows whatever the spelling. */
const tellTale = "81-kilo";
/** How its Base64 begins behind "user:": of a text that was cut too early the beginning is left. */
const cutTale = Buffer.from(`user:${secret}`).toString("base64").slice(6, 14);

/**
 * Its Base64 wherever it begins in a group of three bytes: the characters that no neighbour changes, in both alphabets.
 * Decoding all that might be Base64 took most of the time of a test.
 */
const base64Tale = new RegExp(
  [0, 1, 2].map((before) => {
    const encoded = Buffer.from("\0".repeat(before) + tellTale).toString("base64");
    const own = encoded.slice(Math.ceil(before * 8 / 6), Math.floor((before + tellTale.length) * 8 / 6));
    return own.replaceAll("+", "[+-]").replaceAll("/", "[/_]");
  }).join("|"),
  "g",
);

/** What of the secret the text holds, each with some text around it. Looks for its parts, by no means of PTH's own. */
export function leaks(text: string): string[] {
  const found = [...text.matchAll(/81-kilo|vault.{0,6}81|vault%3d/gi)].map(({ index }) =>
    around(text, index)
  );
  if (text.includes(cutTale)) found.push(`cut: ${around(text, text.indexOf(cutTale))}`);
  const hex = Buffer.from(tellTale).toString("hex");
  for (const { index } of text.matchAll(new RegExp(hex, "gi"))) found.push(`hex: ${around(text, index)}`);
  for (const { index } of text.matchAll(base64Tale)) found.push(`Base64: ${around(text, index)}`);
  return found;
}

const around = (text: string, index: number): string => text.slice(Math.max(0, index - 120), index + 60);
