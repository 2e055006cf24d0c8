/** The client against servers as they are published, and the fixtures in other languages and revisions. */
import t from "tap";
import { openStdioConnection } from "../../../src/client/stdio_connection.ts";
import { schemaProblems } from "../../../src/client/schema_problems.ts";
import { PthError } from "../../../src/core/errors.ts";
import { spawnProcess } from "../../../src/platform/process.ts";
import { fixturePath, modulePath, spawnServer } from "../../src/client/fixture_server.ts";

const timeoutMs = 60_000;

async function connectTo(
  t: { teardown(end: () => Promise<unknown>): void },
  command: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
) {
  const process = await spawnServer(command, options);
  const connection = await openStdioConnection({ id: "c", process, timeoutMs });
  t.teardown(() => connection.close());
  return connection;
}

t.test("server-everything", async (t) => {
  const script = modulePath("@modelcontextprotocol/server-everything/dist/index.js");
  const connection = await connectTo(t, ["node", script]);
  const tools = await connection.listTools();
  t.ok(tools.length > 5);
  t.same(await schemaProblems(tools), []);
  t.equal((await connection.callTool("echo", { message: "hi" })).text, "Echo: hi");
  t.match(await connection.callTool("echo", {}), { isError: true });
  t.match(await connection.callTool("no-such-tool", {}), { isError: true });
  const structured = await connection.callTool("get-structured-content", { location: "New York" });
  t.same(structured.violations, []);
  t.type(structured.structuredContent, "object");
  t.match(await connection.close(), { how: "stdin-eof", exitCode: 0 });
});

t.test("server-filesystem", async (t) => {
  const script = modulePath("@modelcontextprotocol/server-filesystem/dist/index.js");
  const connection = await connectTo(t, ["node", script, fixturePath("sample_plugin")]);
  t.same(await schemaProblems(await connection.listTools()), []);
  const read = await connection.callTool("read_text_file", {
    path: fixturePath("sample_plugin/package.json"),
  });
  t.match(read.text, /sample-plugin/);
  t.same(read.violations, []);
  t.match(await connection.callTool("read_text_file", { path: "/etc/passwd" }), {
    isError: true,
    text: /denied/i,
  });
});

t.test("a server of revision 2026-07-28", async (t) => {
  const connection = await connectTo(t, ["node", fixturePath("era_2026_server/server.mjs")]);
  t.match(connection.server, { name: "era-2026-server", version: "0.1.0", protocolVersion: "2026-07-28" });
  t.equal((await connection.listTools()).length, 3);
  t.equal((await connection.callTool("echo", { message: "hi" })).text, "hi");
  t.ok(await connection.ping(timeoutMs) > 0);
  const heard: number[] = [];
  await connection.callTool("count_to", { last: 2 }, { onProgress: ({ progress }) => heard.push(progress) });
  t.same(heard, [1, 2]);
});

t.test("a Python server", async (t) => {
  const python = await spawnProcess(["python3", "--version"]).catch((error) => {
    if (error instanceof PthError) return undefined;
    throw error;
  });
  if (!python) return void t.plan(0, "python3 is not installed");
  const cwd = fixturePath("python_server");
  const connection = await connectTo(t, ["python3", "-m", "unit_converter"], {
    cwd,
    env: { PYTHONDONTWRITEBYTECODE: "1" },
  });
  t.equal(connection.server.protocolVersion, "2025-06-18");
  t.same(await schemaProblems(await connection.listTools()), []);
  const outcome = await connection.callTool("convert_temperature", { degrees: 100, to: "fahrenheit" });
  t.match(outcome, { structuredContent: { degrees: 212, unit: "fahrenheit" }, violations: [] });
  t.match(await connection.callTool("convert_length", { value: "1" }), { isError: true });
  t.match(await connection.callTool("nothing", {}), { kind: "rpc_error", code: -32602 });
});

t.test("each fault of the broken plugin shows as what it is", async (t) => {
  const connection = await connectTo(t, ["node", fixturePath("broken_plugin/index.mjs")]);
  t.equal((await connection.listTools()).length, 5);
  const input = { text: "x" };
  t.match(await connection.callTool("healthy_echo", input), { text: "x", isError: false, violations: [] });
  t.match((await connection.callTool("wrong_output", input)).violations, [
    { kind: "output_schema", message: /language/ },
    { kind: "output_schema", message: /length must be integer/ },
  ]);
  t.match(await connection.callTool("missing_import", input), {
    isError: true,
    text: /^Cannot find package/,
  });
  const signal = AbortSignal.timeout(200);
  await t.rejects(connection.callTool("never_answers", input, { signal }), { name: "TimeoutError" });
  t.ok(await connection.ping(timeoutMs) > 0, "it still answers others");
  await t.rejects(connection.callTool("crash_on_call", input), {
    code: "SERVER_LOST",
    context: { exitCode: 1, output: /index is corrupt/ },
  });
});
