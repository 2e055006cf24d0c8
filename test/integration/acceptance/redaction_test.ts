// test: timeout=120
/** A secret that the server tells everywhere is nowhere in what PTH writes. */
import { Buffer } from "node:buffer";
import { join } from "node:path";
import t from "tap";
import { mkdir, readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { pth } from "../../support/pth.ts";
import { makePlace, namesIn } from "../../support/pth_run.ts";

t.setTimeout(120_000);
const secret = 'q7/"Zx+ é\\vault=81-kilo';
const forms = {
  "as it is": secret,
  "in JSON": JSON.stringify(secret).slice(1, -1),
  "in JSON within JSON": JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  "in a URL": encodeURIComponent(secret),
  "in Base64": Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  // The end of it needs no escaping: it shows whatever the encoding.
  "in part": "vault=81-kilo",
};

/** Says the secret on stderr, on stdout, in its tools' texts, in results, errors, structured output, and when it ends. */
const talkative = `
import { createInterface } from "node:readline";
const secret = process.env.API_KEY;
console.error("starting with " + secret);
console.log("starting with " + secret);
if (process.argv.includes("--die")) { console.error("fatal: " + secret + " was refused"); process.exit(5); }
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const say = (text) => ({ content: [{ type: "text", text }] });
const inputSchema = { type: "object", properties: { text: { type: "string", description: "not " + secret } } };
const outputSchema = { type: "object", properties: { key: { type: "integer" } }, required: ["key"] };
const tools = ["tell", "measure", "refuse", "crash", "garble"].map((name) =>
  ({ name, description: "Knows " + secret, inputSchema, ...(name === "measure" && { outputSchema }) }));
const calls = {
  tell: () => say(secret + " " + encodeURIComponent(secret) + " " + Buffer.from("user:" + secret).toString("base64")),
  measure: () => ({ ...say(JSON.stringify({ key: secret })), structuredContent: { key: secret } }),
  refuse: () => ({ ...say("TypeError: cannot use " + secret + "\\n    at a (file:///a.js:1:1)\\n    at b (file:///b.js:1:1)"), isError: true }),
  crash: () => { console.error("lost " + secret); process.exit(9); },
  garble: () => { process.stdout.write("log: " + secret + "\\n"); return say("done"); },
};
const methods = {
  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, instructions: secret, serverInfo: { name: "talkative " + secret, version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => calls[name](),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (!methods[method]) return write({ id, error: { code: -32601, message: "no " + method + ", " + secret } });
  write({ id, result: methods[method](params) });
});
`;

const tests = `
name: tells the secret
tool: tell
expect: { output_equals: something else }
verify:
  - exec: echo "$API_KEY" >&2; echo "it is $API_KEY"
    expect_stdout: nothing
---
name: knows the secret by its reference
tool: tell
input: { text: "\${env:API_KEY}" }
expect: { output_contains: "\${env:API_KEY}!" }
---
name: sets up with the secret
tool: tell
setup: [{ exec: 'echo "setup $API_KEY" >&2; exit 3' }]
expect: { success: true }
`;

const place = await makePlace(t);
const plugin = join(place.folder, "plugin");
await mkdir(plugin, { recursive: true });
await writeTextFile(join(plugin, "server.mjs"), talkative);
const testFile = join(place.folder, "tests.yaml");
await writeTextFile(testFile, tests);

/** Runs `pth run` with every output there is; answers each output's name and text. */
async function everythingWritten(
  name: string,
  args: string[],
): Promise<{ code: number | null; texts: Map<string, string> }> {
  const out = join(place.folder, name);
  await mkdir(out, { recursive: true });
  const reporters = ["json", "junit", "tap", "spec"].flatMap((
    each,
  ) => ["--reporter", `${each}:${join(out, each)}`]);
  const { code, stdout, stderr } = await pth([
    ...[
      "run",
      plugin,
      "--env",
      "host",
      "--secret",
      "API_KEY",
      "--timeout",
      "3",
      "--reporter",
      "spec",
      ...reporters,
    ],
    ...["--output", join(out, "folder"), "--record", join(out, "record.jsonl"), ...args],
  ], { env: { ...place.env, API_KEY: secret, PTH_LOG_FILE: join(out, "log") } });
  const texts = new Map([["stdout", stdout], ["stderr", stderr]]);
  for (const folder of [out, join(out, "folder")]) {
    for (const file of await namesIn(folder)) {
      if (file !== "folder") texts.set(file, await readTextFile(join(folder, file)));
    }
  }
  return { code, texts };
}

/** Where a text holds another, with what stands around it. */
const places = (text: string, value: string): string[] =>
  text.split(value).slice(0, -1).map((before) => `${before.slice(-200)}…`);

const cases = {
  "generated tests": { args: ["--command", "node server.mjs"], code: 1, files: 9 },
  "tests by hand": { args: ["--command", "node server.mjs", "--tests", testFile], code: 1, files: 9 },
  "a server that does not start": { args: ["--command", "node server.mjs --die"], code: 3, files: 6 },
  "a build that fails": {
    args: [
      "--command",
      "node server.mjs",
      "--build",
      'echo "building with $API_KEY"; echo "$API_KEY" >&2; exit 4',
    ],
    code: 3,
    files: 6,
  },
};

for (const [name, { args, code, files }] of Object.entries(cases)) {
  t.test(`${name}: the secret is in no output`, async (t) => {
    const written = await everythingWritten(name, args);
    t.equal(written.code, code, "exit code", { stderr: written.texts.get("stderr") });
    t.ok(written.texts.size >= files, [...written.texts.keys()].join(", "));
    for (const [output, text] of written.texts) {
      for (const [form, value] of Object.entries(forms)) {
        t.same(places(text, value), [], `${output}, ${form}`);
      }
    }
    const all = [...written.texts.values()].join("");
    t.match(all, "[REDACTED]", "what was taken out is marked");
  });
}
