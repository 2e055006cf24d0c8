// test: timeout=120
/** Recording a client and a plugin, asking again, and the recording in the plugin's place (docs/replaying.md). */
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import { mkdir, readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { taggedPids } from "../../../src/platform/proc.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { makePlace } from "../../support/pth_run.ts";
import { smallServer } from "../../support/small_server.ts";
import { pth } from "../../support/pth.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";

t.setTimeout(110_000);
const place = await makePlace(t);
const folder = join(place.folder, "plugin");
const secret = "hunter2-hunter2";

const source = (greeting: string) =>
  smallServer({
    name: "people",
    head: `const tools = {
  add: ({ name }) => JSON.stringify({ id: "p-" + name.length + "-0815", name }),
  greet: ({ id }) => "${greeting}, " + id,
  tell: () => "the key is " + process.env.KEY,
};`,
    tools: `Object.keys(tools).map((name) => ({ name, description: name, inputSchema: { type: "object" } }))`,
    text: "tools[call.name](call.arguments)",
  });

const write = async (greeting: string) => {
  await writeTextFile(join(folder, "server.mjs"), source(greeting));
};
await mkdir(folder, { recursive: true });
await write("Hello");
const start = ["--env", "host", "--command", `node ${join(folder, "server.mjs")}`, "--secret", "KEY"];
const recording = join(place.folder, "people.jsonl");
const env = { ...place.env, KEY: secret };

/** The same work with any server: what a client sees. */
async function work(t: Test, args: readonly string[]): Promise<unknown[]> {
  const [command, ...words] = pthCommandLine("cli", ...args);
  const transport = new StdioClientTransport({
    command,
    args: words,
    env: { ...process.env as Record<string, string>, ...env },
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  t.teardown(() => client.close());
  await client.connect(transport as Transport);
  const seen: unknown[] = [client.getServerVersion(), await client.listTools()];
  const added = await client.callTool({ name: "add", arguments: { name: "anna" } });
  seen.push(added, await client.callTool({ name: "greet", arguments: { id: "p-4-0815" } }));
  seen.push(await client.callTool({ name: "tell", arguments: {} }));
  await client.close();
  return seen;
}

let seen: unknown[] = [];

t.test("a client that is pointed at `pth record` works with the plugin as without it", async (t) => {
  seen = await work(t, ["record", ...start, "--output", recording]);
  t.match(seen, [{ name: "people" }, { tools: [{ name: "add" }, {}, {}] }]);
  t.match(JSON.stringify(seen), secret, "what passes through is not changed");
  const isOver = async () => (await taggedPids("PTH_HOME", place.env.PTH_HOME)).length === 0;
  t.ok(await eventually(isOver, 30_000), "nothing is left running");
});

t.test("the recording holds all messages, without secrets, and a suite beside it", async (t) => {
  const text = await readTextFile(recording);
  t.match(text.split("\n")[0], /"format":"pth-mcp-recording\/1"/);
  t.notMatch(text, secret);
  const suite = await readTextFile(join(place.folder, "people.yaml"));
  t.match(suite, /capture:\n\s+id: \$\.output\.id/);
  t.match(suite, /id: \$id/);
  t.notMatch(suite, secret);
});

t.test("the suite runs, and passes", async (t) => {
  const { code, stdout, stderr } = await pth(
    ["run", ...start, "--tests", join(place.folder, "people.yaml")],
    { env },
  );
  t.equal(code, 0, stdout + stderr);
  t.match(stdout, /1 test: 1 passed/);
});

t.test("a mock server gives the same answers without the plugin", async (t) => {
  const again = await work(t, ["mock", recording]);
  t.same(again.slice(0, 4), seen.slice(0, 4));
  t.match(JSON.stringify(again[4]), /REDACTED/);
});

t.test("replay finds no difference in the same plugin, and names that of a changed one", async (t) => {
  const replay = ["replay", ...start, "--recording", recording];
  const same = await pth(replay, { env });
  t.equal(same.code, 0, same.stdout + same.stderr);
  t.match(same.stdout, /5 requests asked again, 0 answered differently/);
  await write("Good day");
  const changed = await pth(replay, { env });
  t.equal(changed.code, 1);
  t.match(changed.stdout, /✗ 4 tools\/call greet\n.*expected "Hello, p-4-0815", got "Good day, p-4-0815"/);
});

t.test("what cannot be read or written is told before anything starts", async (t) => {
  const bad = join(place.folder, "bad.jsonl");
  await writeTextFile(bad, '{"format":"other"}\n');
  for (const args of [["mock", bad], ["replay", ...start, "--recording", bad]]) {
    const { code, stderr } = await pth(args, { env });
    t.equal(code, 2);
    t.match(stderr, /bad\.jsonl:1:1 expected a header/);
  }
  const none = await pth(["record", ...start], { env });
  t.equal(none.code, 2);
  t.match(none.stderr, /--output: give the file to write/);
});
