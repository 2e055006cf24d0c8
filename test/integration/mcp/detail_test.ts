// test: timeout=200
/** What a session tells on request, and at its end, through a real client. */
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import t from "tap";
import type { BuildDetail, ExchangeDetail, ResourcesDetail } from "../../../machines/model/detail.ts";
import type { OperationTiming } from "../../../machines/model/session.ts";
import { type Answer, openSessionClient } from "../../support/session_client.ts";

t.setTimeout(180_000);

/** The one kind of detail that was asked for. */
const shown = <Kind>({ data }: Answer): Kind => (data["shown"] as Kind[])[0]!;

const server = `
import { createInterface } from "node:readline";
import { add } from "./add.mjs";
const number = { type: "number" };
const inputSchema = { type: "object", properties: { a: number, b: number }, required: ["a", "b"] };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "adder", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "add", inputSchema }] }),
  "tools/call": ({ arguments: input }) => {
    console.error("adding", JSON.stringify(input));
    return { content: [{ type: "text", text: String(add(input)) }] };
  },
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...result ? { result } : { error: { code: -32601, message: "no" } } }));
});
`;
const test = (name: string, a: number, sum: number) =>
  `name: ${name}\ntool: add\ninput: { a: ${a}, b: 0 }\nexpect: { output_equals: "${sum}" }\n`;
const files = {
  "package.json":
    '{"name":"adder","version":"1.0.0","type":"module","scripts":{"build":"echo built it well"}}\n',
  ".mcp.json": '{"mcpServers":{"adder":{"command":"node","args":["server.mjs"]}}}\n',
  "server.mjs": server,
  "add.mjs": "export const add = ({ a, b }) =>\n  a - b - 1;\n",
  ".pth/tests/adds.yaml": `${test("adds one", 1, 1)}---\n${test("is wrong on purpose", 7, 6)}`,
};

t.test("any test's exchange and output, one fix's diff, the build, resources, timings; a pull request at the end", async (t) => {
  const claude = t.testdir({});
  const skill = join(claude, "plugins/cache/market/superpowers/5.0.7/skills/brainstorming/SKILL.md");
  await mkdir(dirname(skill), { recursive: true });
  await writeFile(skill, "---\nname: brainstorming\n---\n");
  const client = await openSessionClient(t, { CLAUDE_CONFIG_DIR: claude });
  const { succeed, call } = client;
  const status = (input: Record<string, unknown>) => succeed(t, "pth_get_iteration_status", input);

  const checks = await succeed(t, "pth_preflight");
  t.match(checks.text, /✓ superpowers: Superpowers 5\.0\.7 is installed in Claude Code: brainstorming/);
  if (!await client.begin(t, files, "host")) return;
  await succeed(t, "pth_run_test_suite");

  const passed = await status({ show: ["exchange"], test: "is wrong on purpose" });
  t.match(
    passed.text,
    /^Test is-wrong-on-purpose: is wrong on purpose \(passed\)\nCall 1: tools\/call add, /,
  );
  const { calls } = shown<ExchangeDetail>(passed);
  t.match(calls, [{
    sequence: 1,
    tool: "add",
    messages: [{ direction: "sent" }, { direction: "received" }],
  }]);
  t.match(calls[0]!.messages[0]!.message, { method: "tools/call", params: { arguments: { a: 7, b: 0 } } });
  t.match(
    (await status({ show: ["exchange"], test: "adds-one" })).text,
    /\(failed\)\nCall 1: tools\/call add/,
  );
  t.match((await status({ show: ["stderr"], test: "adds one" })).text, /adding \{"a":1,"b":0\}/);

  await succeed(t, "pth_call_plugin_tool", { tool: "add", input: { a: 40, b: 2 } });
  t.match((await status({ show: ["exchange"] })).text, /"arguments":\{"a":40,"b":2\}/, "also calls by hand");
  t.match(await call("pth_get_iteration_status", { show: ["exchange"], test: "nothing" }), {
    isError: true,
    text: /NO_SUCH_TEST/,
  });
  t.match(await call("pth_get_iteration_status", { show: ["diff"] }), {
    isError: true,
    text: /NO_SUCH_COMMIT/,
  });

  const build = await status({ show: ["build"] });
  t.match(shown<BuildDetail>(build), { build: "npm run build", output: /built it well/ });
  const { usage, state } = shown<ResourcesDetail>(await status({ show: ["resources"] }));
  t.equal(state.status, "running");
  t.ok(usage.processes.some(({ command }) => command.includes("server.mjs")), "the server is among them");
  t.ok(usage.disks.length > 0 && usage.memory.totalMB > 0);

  const edits = [{ path: "add.mjs", find: "a - b - 1", replace: "a + b" }];
  const fix = { tests: ["adds one"], category: "wrong-output", title: "add instead", edits, reload: true };
  const { fix: { commit } } = (await succeed(t, "pth_apply_fix", fix)).data as { fix: { commit: string } };
  const diff = await status({ show: ["diff"], commit: commit.slice(0, 8) });
  t.match(diff.text, "-  a - b - 1;\n+  a + b;");
  await succeed(t, "pth_run_test_suite");

  const now = await status({});
  t.match(now.text, /Latest durations: .*reload/);
  const { operations } = now.data as unknown as { operations: Record<string, OperationTiming> };
  for (const name of ["provision", "install", "build", "start", "suite", "test", "reload"]) {
    t.ok(operations[name]!.count >= 1 && operations[name]!.lastMs > 0, name);
  }
  t.equal(operations.test!.count, 4);

  const ended = await succeed(t, "pth_end_session", { pullRequest: true });
  const { branch, repository, pullRequest } = ended.data as {
    branch: string;
    repository: string;
    pullRequest: { path: string; title: string; body: string };
  };
  t.equal(pullRequest.title, "Fix: add instead");
  t.match(ended.text, pullRequest.body.trim());
  const show = (path: string) =>
    execFileSync("git", ["-C", repository, "show", `${branch}:${path}`], { encoding: "utf8" });
  t.equal(show(pullRequest.path), `# ${pullRequest.title}\n\n${pullRequest.body}`);
  t.match(show(".pth/SESSION-REPORT.md"), /\| reload \| 1 \|/);
});
