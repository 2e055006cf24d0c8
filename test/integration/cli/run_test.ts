// test: timeout=240
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import {
  makeTempDir,
  mkdir,
  pathExists,
  readDir,
  readTextFile,
  removeIfExists,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { collect, runCommand } from "../../../src/platform/process.ts";
import { type Report, reportSchema } from "../../../src/testing/report/report_schema.ts";
import { pth, root, startPth } from "../../support/pth.ts";

/** One tool that wants the network, and one whose name keeps it from being called on a host. */
const needyServer = `import { createInterface } from "node:readline";
const tools = ["look", "delete_all"].map((name) => ({ name, description: "d", inputSchema: { type: "object" } }));
const results = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "n", version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => name === "look"
    ? { content: [{ type: "text", text: "getaddrinfo ENOTFOUND api.example.com" }], isError: true }
    : { content: [{ type: "text", text: "done" }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;

const everything = `node ${join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js")}`;

/** Folders of PTH's own that are empty before and must be so after. */
async function ownFolders(t: { teardown(work: () => unknown): void }) {
  const folder = await makeTempDir({ prefix: "pth-cli-test-" });
  t.teardown(() => removeIfExists(folder));
  const worktrees = join(folder, "worktrees");
  const env = { PTH_HOME: join(folder, "home"), PTH_WORKTREE_DIR: worktrees };
  const left = async () => [...await names(worktrees), ...await names(join(env.PTH_HOME, "sessions"))];
  return { folder, env, left };
}

async function names(folder: string): Promise<string[]> {
  if (!await pathExists(folder)) return [];
  const found: string[] = [];
  for await (const { name } of readDir(folder)) found.push(name);
  return found;
}

t.test("a run that exercises no tool fails, and says which and why", async (t) => {
  const { folder, env } = await ownFolders(t);
  const plugin = join(folder, "plugin");
  await mkdir(plugin);
  await writeTextFile(join(plugin, "server.mjs"), needyServer);
  const args = ["run", plugin, "--env", "host", "--command", "node server.mjs"];
  const { code, stdout } = await pth(args, { env });
  t.equal(code, 1, stdout);
  t.match(stdout, "No tool was exercised.");
  t.match(stdout, "look: refused, needs the network: getaddrinfo ENOTFOUND api.example.com");
  t.match(stdout, 'delete_all: excluded: its name says "delete"');
  t.match(stdout, /Tools +0 of 2 tools exercised; not: look, delete_all \(why stands above\)\n$/);
  const allowed = await pth([...args, "--allow-unexercised"], { env });
  t.equal(allowed.code, 0, allowed.stdout);
  const tried = await pth([...args, "--include-destructive"], { env });
  t.equal(tried.code, 0, tried.stdout);
  t.match(tried.stdout, "1 of 2 tools exercised; not: look");
});

t.test("a run against a published server: exit 0, a summary, and reports that fit the schema", async (t) => {
  const { folder, env, left } = await ownFolders(t);
  const out = join(folder, "out.json");
  const args = [
    "run",
    "--command",
    everything,
    "--env",
    "host",
    "--reporter",
    `json:${out}`,
    "--reporter",
    "tap",
  ];
  const { code, stdout, stderr } = await pth([...args, "--grep", "^echo"], { env });
  t.equal(code, 0, stderr);
  t.match(stdout, /^TAP version 14\n/);
  const report = JSON.parse(await readTextFile(out)) as Report;
  t.ok(reportSchema.safeParse(report).success);
  t.match(report, { environment: { runtime: "host" }, exit_code: 0, summary: { failed: 0 } });
  t.ok(report.summary.passed > 0);
  t.equal(report.summary.total, report.tests.length);
  t.same(await left(), [], "nothing is left behind");
});

t.test("a test that fails is exit 1, a filter that matches nothing exit 2", async (t) => {
  const { folder, env, left } = await ownFolders(t);
  const tests = join(folder, "tests.yaml");
  await writeTextFile(
    tests,
    "name: wrong on purpose\ntool: echo\ninput: { message: hi }\nexpect: { output_contains: never said }\n",
  );
  const args = ["run", "--command", everything, "--env", "host", "--tests", tests];
  const failed = await pth(args, { env });
  t.equal(failed.code, 1, failed.stderr);
  t.match(failed.stdout, "1) wrong on purpose");
  t.match(failed.stdout, "never said");
  t.match(failed.stdout, `${tests}:1`);
  const nothing = await pth([...args, "--grep", "no such test"], { env });
  t.equal(nothing.code, 2, nothing.stderr);
  t.same(await left(), []);
});

t.test("a server that does not start is exit 3 with its own words, on stderr", async (t) => {
  const { env, left } = await ownFolders(t);
  const { code, stderr } = await pth([
    "run",
    "--command",
    "sh -c 'echo my own words >&2; exit 7'",
    "--env",
    "host",
  ], {
    env,
  });
  t.equal(code, 3);
  t.match(stderr, "my own words");
  t.same(await left(), []);
});

for (const [signal, exitCode] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  t.test(`${signal} in the middle of a run ends it with ${exitCode} and leaves nothing`, async (t) => {
    const { folder, env, left } = await ownFolders(t);
    const out = join(folder, "out.json");
    const mark = `pth-test-${process.pid}-${signal}`;
    const child = await startPth(
      [
        "run",
        "--command",
        `sh -c ': ${mark}; sleep 60 & wait'`,
        "--env",
        "host",
        "--reporter",
        `json:${out}`,
      ],
      env,
    );
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    await until(() => stdout.text().includes("· start"));
    child.kill(signal);
    t.equal((await child.exited).code, exitCode, stderr.text());
    t.match(stderr.text(), "Interrupted; cleaning up");
    t.match(JSON.parse(await readTextFile(out)), { exit_code: exitCode, error: { code: "INTERRUPTED" } });
    t.same(await left(), []);
    const { stdout: processes } = await runCommand(["ps", "-eo", "args"]);
    t.notMatch(processes, mark, "the server is gone");
  });
}

t.test("a second Ctrl-C ends at once, and pth clean removes what that left", async (t) => {
  const { env, left } = await ownFolders(t);
  const mark = `pth-test-${process.pid}-twice`;
  const child = await startPth(
    ["run", "--command", `sh -c ': ${mark}; sleep 60 & wait'`, "--env", "host"],
    env,
  );
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  await until(() => stdout.text().includes("· start"));
  child.kill("SIGINT");
  await until(() => stderr.text().includes("Interrupted"));
  child.kill("SIGINT");
  t.equal((await child.exited).code, 130);
  t.match(stderr.text(), "Stopped immediately");
  const cleaned = await pth(["clean"], { env });
  t.equal(cleaned.code, 0, cleaned.stderr);
  t.same(await left(), []);
  const { stdout: processes } = await runCommand(["ps", "-eo", "args"]);
  t.notMatch(processes, mark, "the server is gone");
});

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 90_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error("waited 90 s in vain");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
