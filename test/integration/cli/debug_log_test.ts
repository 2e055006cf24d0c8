// test: timeout=120
/** What PTH_DEBUG and PTH_LOG_FILE tell of a run. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { makePlace } from "../../support/pth_run.ts";
import { pth } from "../../support/pth.ts";

t.setTimeout(110_000);

const server = `
import { createInterface } from "node:readline";
const inputSchema = { type: "object", properties: { text: { type: "string" } } };
const answers = {
  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "echo", inputSchema }] }),
  "tools/call": ({ arguments: { text } }) => ({ content: [{ type: "text", text: String(text) }] }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: "no " + method } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});
`;

const place = await makePlace(t);
const plugin = t.testdir({
  "server.mjs": server,
  "package.json": '{"name":"p","version":"1.0.0","scripts":{"build":"echo building it"}}',
  "tests.yaml":
    "name: echoes\ntool: echo\ninput: { text: a payload of its own }\nexpect: { success: true }\n",
});
execFileSync("git", ["init", "-q", plugin]);
execFileSync("git", ["-C", plugin, "add", "."]);
const author = ["-c", "user.name=t", "-c", "user.email=t@t"];
execFileSync("git", ["-C", plugin, ...author, "commit", "-qm", "first"]);

/** Runs the one test; the lines of the log, parsed. */
async function logOf(level: string): Promise<Record<string, unknown>[]> {
  const file = join(place.folder, `${level}.log`);
  const tests = join(plugin, "tests.yaml");
  const run = ["run", plugin, "--env", "host", "--command", "node server.mjs", "--tests", tests];
  const env = { ...place.env, PTH_DEBUG: level, PTH_LOG_FILE: file };
  const { code, stderr } = await pth(run, { env });
  t.equal(code, 0, stderr);
  return (await readTextFile(file)).trim().split("\n").map((line) => JSON.parse(line));
}

t.test("debug tells git, commands in the environment, builds, connections and steps, and no payloads", async (t) => {
  const lines = await logOf("debug");
  const find = (message: string) => lines.filter((line) => line.message === message);
  t.ok(find("git").some(({ args, code }) => String(args).startsWith("worktree,add") && code === 0));
  t.match(find("host provision"), [{ environmentId: String, ms: Number }]);
  t.match(
    find("host exec").find(({ command }) => String(command).includes("npm run build")),
    { code: 0, cwd: String },
    "the build with its exit code",
  );
  t.match(find("connection open"), [{ connection: String, pid: Number, server: { name: "s" } }]);
  t.match(find("connection closed"), [{ how: "stdin-eof", orphans: undefined }]);
  for (const phase of ["provision", "install", "build", "start", "suite"]) {
    t.ok(find("step.finished").some((line) => line.phase === phase && Number(line.durationMs) > 0), phase);
  }
  t.match(find("test.finished"), [{ test: "echoes", status: "passed" }]);
  t.notMatch(JSON.stringify(lines), /a payload of its own/);
  t.equal(lines.filter(({ level }) => level === "trace").length, 0);
});

t.test("trace also tells every message, whole", async (t) => {
  const lines = await logOf("trace");
  const rpc = lines.filter((line) => line.rpc !== undefined);
  t.match(rpc.find(({ rpc }) => JSON.stringify(rpc).includes("tools/call")), {
    message: "sent",
    rpc: { method: "tools/call", params: { arguments: { text: "a payload of its own" } } },
  });
  t.ok(rpc.some(({ message }) => message === "received"));
});

t.test("info is short: the session and what its suite came to", async (t) => {
  const messages = (await logOf("info")).map(({ message }) => message);
  t.same(messages, ["harness.activated", "suite.finished", "harness.deactivated"]);
});

t.test("a log file that cannot be written is told once, and the log goes to stderr", async (t) => {
  const blocker = join(place.folder, "file");
  await writeTextFile(blocker, "");
  const env = { ...place.env, PTH_DEBUG: "debug", PTH_LOG_FILE: join(blocker, "log") };
  const { code, stderr } = await pth(["preflight", plugin], { env });
  t.equal(code, 0, stderr);
  t.equal(stderr.match(/Cannot write PTH_LOG_FILE/g)?.length, 1);
  t.match(stderr, /"level":"debug"/);
});
