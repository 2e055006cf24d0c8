import { fileURLToPath } from "node:url";
import t from "tap";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { schemaProblems } from "../../../src/client/schema_problems.ts";
import type { ServerEnd } from "../../../src/client/connection.ts";
import type { Incident } from "../../../src/client/incidents.ts";
import { PthError } from "../../../src/core/errors.ts";
import { type CheckContext, runServerCheck } from "../../../src/testing/check.ts";
import { ownTests } from "../own_tests.ts";
import { registry } from "../../../src/testing/checks/_registry.ts";

const echo: ToolDefinition = { name: "echo", inputSchema: { type: "object" } };
const nothingAsked = {
  server: { protocolVersion: "2025-11-25", capabilities: {} },
  isolated: true,
  ask: () => Promise.reject(new Error("asked")),
  call: () => Promise.reject(new Error("called")),
  incidents: (): Incident[] => [],
};
const ended: ServerEnd = { how: "stdin-eof", waitedMs: 20, exitCode: 0, orphans: [], survivors: [] };

interface Server {
  transport?: "stdio" | "http";
  tools?: unknown[] | PthError;
  stray?: string[];
  /** Moment of the stray lines; default the start. */
  at?: "start" | "shutdown";
  close?: Partial<ServerEnd>;
  launcher?: string;
}

function run(name: string, server: Server) {
  const check = registry.find((candidate) => candidate.name === name)!;
  const context: CheckContext = {
    ...nothingAsked,
    transport: server.transport ?? "stdio",
    ...(server.launcher === undefined ? {} : { launcher: server.launcher }),
    tools: () =>
      server.tools instanceof PthError
        ? Promise.reject(server.tools)
        : Promise.resolve((server.tools ?? [echo]) as ToolDefinition[]),
    schemaProblems: (tools) => schemaProblems([...tools]),
    incidents: () =>
      (server.stray ?? []).map((detail) => ({
        code: "stdout-noise",
        detail,
        moment: { phase: server.at ?? "start" },
        firstCall: false,
      })),
    stop: () => Promise.resolve({ ...ended, ...server.close }),
  };
  return runServerCheck(check, context);
}

const rows: [name: string, what: string, server: Server, status: string, category?: string][] = [
  ["tools_list", "a healthy list", {}, "passed"],
  ["tools_list", "no tools", { tools: [] }, "passed"],
  ["tools_list", "two of one name", { tools: [echo, echo] }, "failed", "protocol-error"],
  ["tools_list", "no name", { tools: [{ inputSchema: { type: "object" } }] }, "failed", "protocol-error"],
  ["tools_list", "no inputSchema", { tools: [{ name: "x" }] }, "failed", "protocol-error"],
  ["tools_list", "no object", { tools: [null] }, "failed", "protocol-error"],
  [
    "tools_list",
    "input of another type",
    { tools: [{ name: "x", inputSchema: {} }] },
    "failed",
    "protocol-error",
  ],
  [
    "tools_list",
    "a schema that does not compile",
    { tools: [{ name: "x", inputSchema: { type: "object", properties: { a: { type: "strin" } } } }] },
    "failed",
    "schema-violation",
  ],
  [
    "tools_list",
    "unknown keywords and formats",
    {
      tools: [{
        name: "x",
        inputSchema: { type: "object", "x-y": 1, properties: { a: { type: "string", format: "z" } } },
      }],
    },
    "passed",
  ],
  ["tools_list", "no list", { tools: new PthError("PROTOCOL_VIOLATION", "x") }, "failed", "protocol-error"],
  ["tools_list", "a crash", { tools: new PthError("SERVER_LOST", "x") }, "failed", "runtime-exception"],
  ["tools_list", "silence", { tools: new PthError("SERVER_SILENT", "x") }, "failed", "timeout"],
  ["stdout_is_protocol", "nothing else", {}, "passed"],
  ["stdout_is_protocol", "a banner", { stray: ["Server listening"] }, "failed", "protocol-error"],
  ["stdout_is_protocol", "a farewell", { stray: ["bye"], at: "shutdown" }, "passed"],
  ["stdout_is_protocol", "over HTTP", { transport: "http", stray: ["x"] }, "skipped"],
  ["ends_on_eof", "ends", {}, "passed"],
  ["ends_on_eof", "needs SIGTERM", { close: { how: "sigterm" } }, "failed", "protocol-error"],
  ["ends_on_eof", "needs SIGKILL", { close: { how: "sigkill" } }, "failed", "protocol-error"],
  [
    "ends_on_eof",
    "was gone already",
    { close: { how: "already-gone", exitCode: 1 } },
    "failed",
    "runtime-exception",
  ],
  ["ends_on_eof", "over HTTP", { transport: "http" }, "skipped"],
  ["leaves_no_process", "none", {}, "passed"],
  ["leaves_no_process", "one", { close: { orphans: ["sleep 99"] } }, "failed", "unexpected-side-effect"],
  ["leaves_no_process", "runs elsewhere", { transport: "http", close: { how: "disconnected" } }, "skipped"],
];

t.test("checks of the server", async (t) => {
  for (const [name, what, server, status, category] of rows) {
    const verdict = await run(name, server);
    t.equal(verdict.status, status, `${name}: ${what}`);
    t.equal(verdict.category, category, `${name}: ${what}: category`);
    t.match(
      `${verdict.message ?? ""}${verdict.note ?? ""}`,
      status === "passed" ? /^/ : /\S{3}/,
      `${name}: says why`,
    );
  }
});

t.test("every check has cases that pass and that fail, or a test of its own", async (t) => {
  const own = await ownTests(fileURLToPath(new URL("checks", import.meta.url)));
  for (const { name } of registry) {
    if (own.has(name)) continue;
    const statuses = rows.filter((row) => row[0] === name).map((row) => row[3]);
    t.ok(statuses.includes("passed") && statuses.includes("failed"), name);
  }
});

t.test("a process left behind is named", async (t) => {
  t.match((await run("leaves_no_process", { close: { orphans: ["sleep 99"] } })).message, "sleep 99");
});

t.test("what runs on after SIGTERM ended the server's process alone is a finding, and no failure", async (t) => {
  const close: Partial<ServerEnd> = { how: "sigterm", survivors: ["sleep 99", "node worker.js"] };
  const { status, findings } = await run("leaves_no_process", { close });
  t.equal(status, "passed");
  t.match(findings, [{
    severity: "warning",
    code: "left-by-sigterm",
    message: /: sleep 99, node worker.js;/,
  }]);
});

t.test("a launcher that passes SIGTERM on to no server is no finding", async (t) => {
  const close: Partial<ServerEnd> = { how: "sigterm", survivors: ["node server.js"] };
  const { status, findings, note } = await run("leaves_no_process", { close, launcher: "npx" });
  t.match({ status, findings, note }, { status: "passed", findings: [], note: /npx .* node server.js/ });
  const late = await run("ends_on_eof", { close, launcher: "npx" });
  t.match(late, { status: "failed", message: /SIGTERM did not reach node server.js/, findings: [] });
});

t.test("lines on stdout at the end of a server are a finding that says so", async (t) => {
  const { status, findings } = await run("ends_on_eof", { stray: ["bye"], at: "shutdown" });
  t.equal(status, "passed");
  t.match(findings, [{ code: "stdout-noise", message: /after its input had ended.*bye/ }]);
});

t.test("a fault of the harness is no verdict on the server", async (t) => {
  await t.rejects(run("tools_list", { tools: new PthError("ENVIRONMENT_LOST", "gone") }), {
    code: "ENVIRONMENT_LOST",
  });
});

t.test("a server is exercised before it must leave no process, and its failures do not count there", async (t) => {
  const check = registry.find(({ name }) => name === "leaves_no_process")!;
  let orphans: string[] = [];
  const context = (exercise: () => Promise<void>): CheckContext => ({
    ...nothingAsked,
    transport: "stdio",
    tools: () => Promise.resolve([echo]),
    schemaProblems: () => Promise.resolve([]),
    stop: () => Promise.resolve({ ...ended, orphans }),
    exercise,
  });
  const starts = () => Promise.resolve(void (orphans = ["sleep 99"]));
  t.match(await runServerCheck(check, context(starts)), { status: "failed", message: /sleep 99/ });
  orphans = [];
  const crashes = () => Promise.reject(new PthError("SERVER_LOST", "exited with 7"));
  t.match(await runServerCheck(check, context(crashes)), { status: "passed" });
  await t.rejects(runServerCheck(check, context(() => Promise.reject(new TypeError("ours")))), TypeError);
});
