// test: timeout=240
import { join } from "node:path";
import t, { type Test } from "tap";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { pth } from "../../support/pth.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

/**
 * A server with a state: `peek` works after `warm` alone, and `count` before `poison` alone, where it has these faults.
 * An answer whose content is no array breaks the protocol.
 */
const server = (faulty: boolean) =>
  `import { createInterface } from "node:readline";
let warm = ${!faulty};
let poisoned = false;
const text = (said) => ({ content: [{ type: "text", text: said }] });
const calls = {
  warm: () => (warm = true, text("warm")),
  peek: () => warm ? text("1") : { content: "nothing" },
  poison: () => (poisoned = ${faulty}, text("done")),
  count: () => poisoned ? { content: 5 } : text("3"),
};
const tools = Object.keys(calls).map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
const results = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "o", version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => calls[name](),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
}).on("close", () => process.exit(0));
`;

async function run(t: Test, faulty: boolean) {
  const folder = await temporaryFolder(t);
  const plugin = join(folder, "plugin");
  await mkdir(plugin);
  const manifest = { name: "ordered", version: "1.0.0", type: "module", bin: "server.js" };
  await writeTextFile(join(plugin, "package.json"), JSON.stringify(manifest));
  await writeTextFile(join(plugin, "server.js"), server(faulty));
  const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: join(folder, "worktrees") };
  return (...options: string[]) => pth(["run", plugin, "--env", "host", ...options], { env });
}

t.test("a whole run finds what a run of one tool finds, and names the pair of tests that shows it", async (t) => {
  const runPlugin = await run(t, true);
  let whole = await runPlugin();
  t.equal(whole.code, 1, whole.stderr);
  // On a busy machine an answer may take so long that its test is not repeated.
  for (let more = 3; more > 0 && (whole.stdout.match(/ after "/g)?.length ?? 0) < 4; more--) {
    whole = await runPlugin();
  }
  t.match(whole.stdout, /fails on a fresh server and passes after "warm - valid/);
  t.match(whole.stdout, /passes on a fresh server and fails after "poison - valid/);
  t.match(whole.stdout, /depends-on-order/);
  const alone = await runPlugin("--grep", "^peek");
  t.equal(alone.code, 1, "that tool alone");
});

t.test("a server whose tools do not disturb each other passes", async (t) => {
  const { code, stdout, stderr } = await (await run(t, false))();
  t.equal(code, 0, stdout + stderr);
  t.match(stdout, "all 4 tools exercised");
  t.notMatch(stdout, "depends-on-order");
});
