// test: timeout=240
/** `pth export-ci` from a folder to tests that run on their own. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { pathExists, readDir, readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { pth } from "../../support/pth.ts";

t.setTimeout(230_000);

/** A server of one file, which needs no install, keeps a secret and uses a variable. */
const server = `
import { createInterface } from "node:readline";
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const call = (text) => typeof text !== "string"
  ? { isError: true, content: [{ type: "text", text: "text is missing or no string" }] }
  : { content: [{ type: "text", text: text + " from " + process.env.REGION + " " + process.env.TOKEN?.length }] };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") {
    answer(id, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  } else if (method === "tools/list") answer(id, { tools: [{ name: "greet", description: "Greets.", inputSchema }] });
  else if (method === "tools/call") answer(id, call(params.arguments?.text));
  else if (method === "ping") answer(id, {});
  else console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } }));
});
`;

async function makePlace(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), "pth-export-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const plugin = join(folder, "a plugin");
  await mkdir(plugin);
  await writeTextFile(join(plugin, "server.mjs"), server);
  await writeTextFile(
    join(folder, "tests.yaml"),
    `
- name: greets
  tool: greet
  input: { text: hi }
  expect: { output_equals: "hi from \${env:REGION} 12" }
  setup: [{ exec: touch made }]
  verify: [{ exec: ls made, expect_stdout_contains: made }]
  teardown: [{ exec: rm made }]
- name: greets what it greeted with
  steps:
    - tool: greet
      input: { text: one }
      capture: { first: "$.text" }
    - tool: greet
      input: { text: "$first, again" }
      expect: { output_matches: "^one from \${env:REGION} 12, again from" }
- name: greets by a sequence
  tier: 3
  tool_sequence:
    - tool: greet
      input: { text: two }
  checklist: [it is friendly]
  verify: [{ exec: "true" }]
- name: greets by a prompt
  tier: 3
  prompt: Greet.
  checklist: [it is friendly]
`,
  );
  const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: join(folder, "worktrees") };
  return { folder, plugin, env };
}

t.test("tests exported by the CLI run without PTH, with secrets from the job's environment", async (t) => {
  const { folder, plugin, env } = await makePlace(t);
  const args = [
    "--env",
    "host",
    "--var",
    "REGION=eu",
    "--secret",
    "TOKEN",
    "--tests",
    join(folder, "tests.yaml"),
  ];
  const exported = await pth(["export-ci", plugin, "--output", plugin, ...args], {
    env: { ...env, TOKEN: "s3cret-value" },
  });
  t.equal(exported.code, 0, exported.stderr);
  t.match(exported.stdout, "4 tests exported");
  t.match(exported.stdout, "TOKEN");
  const runner = join(plugin, ".pth/ci/run-tests.mjs");
  for (
    const file of [
      runner,
      join(plugin, ".github/workflows/pth-tests.yml"),
      join(plugin, ".pth/ci/tests.yaml"),
    ]
  ) {
    const text = await readTextFile(file);
    t.notMatch(text, "s3cret-value", `${file} holds no secret`);
    t.notMatch(text, folder, `${file} names no folder of this machine`);
  }

  await runCommand(["npm", "install", "--prefix", join(plugin, ".pth/ci"), "--no-audit", "--no-fund"]);
  const without = await runCommand(["node", runner], { cwd: plugin, env: { TOKEN: "" } });
  t.equal(without.code, 2, "a secret without a value");
  t.match(without.stderr, "TOKEN");
  const green = await runCommand(["node", runner], { cwd: folder, env: { TOKEN: "another-one!" } });
  t.equal(green.code, 0, green.stdout + green.stderr);
  t.notMatch(green.stdout, "another-one!");
  t.match(green.stdout, "4 tests: 3 passed, 0 failed, 1 skipped");
  t.match(green.stdout, "a prompt test needs an agent");

  await writeTextFile(join(plugin, "server.mjs"), server.replace('" from "', '" to "'));
  const red = await runCommand(["node", runner], { cwd: plugin, env: { TOKEN: "another-one!" } });
  t.equal(red.code, 1, "a planted fault");
  t.match(
    red.stdout,
    /4 tests: 1 passed, 2 failed, 1 skipped/,
    "a crash exits with 1, too, but tells no result",
  );
  await writeTextFile(join(plugin, ".pth/ci/tests.yaml"), "name: x\ntool: greet\nexpcet: {}\n");
  const misspelt = await runCommand(["node", runner], { cwd: plugin, env: { TOKEN: "another-one!" } });
  t.equal(misspelt.code, 2, "a test file with a mistake");
  t.match(misspelt.stderr, /did you mean "expect"/);
});

t.test("wrong use is told before anything starts", async (t) => {
  const { folder, plugin, env } = await makePlace(t);
  const without = await pth(["export-ci", plugin], { env });
  t.equal(without.code, 2);
  t.match(without.stderr, "--output");
  const file = join(folder, "tests.yaml");
  const unwritable = await pth(["export-ci", plugin, "--output", join(file, "x")], { env });
  t.equal(unwritable.code, 2);
  t.notOk(await pathExists(join(folder, "worktrees")), "nothing was made");
  for await (const { name } of readDir(plugin)) t.not(name, ".pth");
});
