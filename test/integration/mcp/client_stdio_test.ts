/** The client against servers on stdio that do things wrong. Needs node on the PATH. */
import { misleadingKind } from "../../../src/testing/judge/misleading_kind.ts";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import t from "tap";
import { openStdioConnection } from "../../../src/client/stdio_connection.ts";
import { schemaProblems } from "../../../src/client/schema_problems.ts";
import { signalProcess } from "../../../src/platform/process.ts";
import { isAlive, spawnFaulty, spawnServer } from "../../src/client/fixture_server.ts";
import type { Exchange } from "../../../src/client/capture.ts";

const timeoutMs = 60_000;

/** A connection to `faulty.mjs`, closed at the end of the test. */
async function connectTo(
  t: { teardown(end: () => Promise<unknown>): void },
  fault: string,
  ...args: string[]
) {
  const process = await spawnFaulty(fault, ...args);
  const connection = await openStdioConnection({ id: fault, process, timeoutMs });
  t.teardown(() => connection.close({ graceMs: 100 }));
  return connection;
}

t.test("a server in order: handshake, tools, calls, ping, end", async (t) => {
  const exchanges: Exchange[] = [];
  const process = await spawnFaulty("none", "--protocol", "2024-11-05");
  const onExchange = (exchange: Exchange) => exchanges.push(exchange);
  const connection = await openStdioConnection({ id: "c1", process, timeoutMs, onExchange });
  t.match(connection, {
    id: "c1",
    server: { name: "faulty-none", version: "1.0.0", protocolVersion: "2024-11-05" },
  });
  t.equal(connection.pid, process.pid);
  const tools = await connection.listTools();
  t.same(tools.map((tool) => tool.name), ["act", "echo"]);
  t.same(await schemaProblems(tools), []);
  t.match(await connection.callTool("echo", { a: 1 }), {
    kind: "result",
    text: '{"a":1}',
    isError: false,
    violations: [],
  });
  t.ok(await connection.ping(timeoutMs) > 0);
  t.match(await connection.close(), { how: "stdin-eof", exitCode: 0, orphans: [] });
  t.same(connection.exchanges(), exchanges);
  const methods = exchanges.map((
    { direction, message },
  ) => [direction, (message as { method?: string }).method]);
  t.same(methods.filter(([direction]) => direction === "sent").map(([, method]) => method), [
    "server/discover",
    "initialize",
    "notifications/initialized",
    "tools/list",
    "tools/call",
    "ping",
  ]);
  t.equal(methods.length, 11, "each message is there once");
});

t.test("a server that ends before initialize is told with exit code, stderr and stray output", async (t) => {
  const process = await spawnFaulty("exits_before_initialize");
  await t.rejects(openStdioConnection({ id: "c", process, timeoutMs }), {
    code: "START_FAILED",
    message: "Cannot start plugin: exited with 3 before initialize",
    context: { exitCode: 3, output: /STORE_URL is not set/, strayOutput: ["Starting the store …"] },
  });
});

t.test("a server that answers too late is told, and ended", async (t) => {
  const process = await spawnFaulty("answers_late", "--delay", "20000");
  await t.rejects(openStdioConnection({ id: "c", process, timeoutMs: 600 }), {
    code: "SERVER_SILENT",
    message: /no answer within \d+ m?s/,
  });
  t.notOk(isAlive(process.pid!));
});

t.test("a silent server that says it listens on a port is told the way over HTTP", async (t) => {
  const silent = async (words: string) => {
    const process = await spawnServer(["sh", "-c", `echo '${words}' >&2; cat >/dev/null`]);
    // A shell may need longer for its first word than the limit below allows.
    await once(process.stderr, "readable");
    return process;
  };
  for (const [words, hint] of [["Listening on 3000", true], ["reading the report", false]] as const) {
    const error = await openStdioConnection({ id: "c", process: await silent(words), timeoutMs: 600 }).catch(
      (error: { context: { next: string[] } }) => error,
    );
    t.equal(JSON.stringify("context" in error && error.context.next).includes("--url"), hint, words);
  }
});

t.test("a start that is given up ends the server at once", async (t) => {
  const process = await spawnFaulty("answers_late", "--delay", "20000");
  const signal = AbortSignal.timeout(300);
  await t.rejects(openStdioConnection({ id: "c", process, timeoutMs, signal }), { name: "TimeoutError" });
  t.notOk(isAlive(process.pid!));
});

t.test("a slow server is waited for", async (t) => {
  const connection = await connectTo(t, "answers_late", "--delay", "300");
  t.equal(connection.server.name, "faulty-answers_late");
});

t.test("a server that dies at an unknown method is started anew, where that is possible", async (t) => {
  await t.rejects(
    openStdioConnection({ id: "c", process: await spawnFaulty("dies_on_discover"), timeoutMs }),
    {
      code: "START_FAILED",
      context: { exitCode: 4 },
    },
  );
  let starts = 0;
  const restart = () => {
    starts += 1;
    return spawnFaulty("dies_on_discover");
  };
  const process = await restart();
  const connection = await openStdioConnection({ id: "c", process, timeoutMs, restart });
  t.equal(starts, 2);
  t.equal((await connection.callTool("act", {})).text, "done");
  await connection.close();
});

t.test("log lines on stdout are kept, and disturb nothing", async (t) => {
  const connection = await connectTo(t, "garbage_on_stdout");
  t.equal((await connection.callTool("act", {})).text, "done");
  t.ok(connection.strayOutput().includes("[info] tools/call"));
  t.ok(connection.strayOutput().includes('{"level":"info"}'));
});

t.test("a line over 64 MiB fails the call with little memory, and the next call works", async (t) => {
  const connection = await connectTo(t, "huge_output", "--bytes", String(200 * 1024 * 1024));
  await t.rejects(connection.callTool("act", {}), {
    code: "PROTOCOL_VIOLATION",
    message: /exceeds 67108864 bytes/,
  });
  t.equal((await connection.callTool("echo", { a: 1 })).text, '{"a":1}');
});

t.test("an answer of 30 MiB comes whole, and is not kept in the capture", async (t) => {
  const bytes = 30 * 1024 * 1024;
  const connection = await connectTo(t, "huge_output", "--bytes", String(bytes));
  t.equal((await connection.callTool("act", {})).text.length, bytes);
  t.ok(Buffer.byteLength(JSON.stringify(connection.exchanges())) < 1024 * 1024);
});

t.test("schemas that do not compile and double names are told, and the tools stay callable", async (t) => {
  const invalid = await connectTo(t, "invalid_schema");
  t.match(await schemaProblems(await invalid.listTools()), [
    { tool: "act", which: "inputSchema" },
    { tool: "act", which: "outputSchema" },
  ]);
  t.equal((await invalid.callTool("act", {})).text, "done");
  const double = await connectTo(t, "duplicate_tools");
  const tools = await double.listTools();
  t.equal(tools.length, 3);
  t.match(await schemaProblems(tools), [{ tool: "act", which: "name" }]);
});

t.test("a tools/list that is none", async (t) => {
  const connection = await connectTo(t, "malformed_list");
  await t.rejects(connection.listTools(), { code: "PROTOCOL_VIOLATION", context: { output: /"tools":\{/ } });
});

t.test("breaches in an answer are violations of the outcome, not errors", async (t) => {
  const noContent = await connectTo(t, "no_content_array");
  t.match((await noContent.callTool("act", {})).violations, [{ kind: "no_content_array" }]);
  const malformed = await connectTo(t, "malformed_jsonrpc");
  t.match(await malformed.callTool("act", {}), { isError: true, violations: [{ kind: "malformed" }] });
  const breach = await connectTo(t, "output_schema_breach");
  t.same((await breach.callTool("act", {})).violations, [], "nothing to hold it against before tools/list");
  await breach.listTools();
  t.match(await breach.callTool("act", {}), {
    structuredContent: { size: "large" },
    violations: [{ kind: "output_schema", message: /size/ }],
  });
  t.match((await breach.callTool("act", { omit: true })).violations, [{ kind: "output_schema" }]);
});

t.test("tools that another connection listed are known without listing", async (t) => {
  const first = await connectTo(t, "output_schema_breach");
  const tools = await first.listTools();
  const process = await spawnFaulty("output_schema_breach");
  const second = await openStdioConnection({ id: "second", process, timeoutMs, tools, era: "legacy" });
  t.match((await second.callTool("act", {})).violations, [{ kind: "output_schema" }]);
  t.notOk(JSON.stringify(second.exchanges()).includes("server/discover"));
  await second.close();
});

t.test("a server that dies during a call", async (t) => {
  const connection = await connectTo(t, "dies_on_call");
  await t.rejects(connection.callTool("act", {}), {
    code: "SERVER_LOST",
    message: "Cannot call act: the server has exited: exited with 7",
    context: { exitCode: 7, output: /the store is corrupt/ },
  });
  t.match(await connection.lost, { reason: "exited", exitCode: 7, stderrTail: /store is corrupt/ });
  await t.rejects(connection.callTool("echo", {}), { code: "SERVER_LOST" });
  t.match(await connection.close(), { how: "already-gone", exitCode: 7 });
});

t.test("a server that is killed by a signal", async (t) => {
  const connection = await connectTo(t, "none");
  signalProcess(connection.pid!, "SIGKILL");
  t.match(await connection.lost, { reason: "killed", exitCode: null, signal: "SIGKILL" });
});

t.test("a server that hangs: the call ends with its signal, ping tells, close ends it", async (t) => {
  const connection = await connectTo(t, "hangs_on_call");
  const signal = AbortSignal.timeout(200);
  await t.rejects(connection.callTool("act", {}, { signal }), { name: "TimeoutError" });
  await t.rejects(connection.ping(200), { code: "SERVER_SILENT" });
  t.match(await connection.close({ graceMs: 200 }), { how: "sigterm" });
  t.notOk(isAlive(connection.pid!));
});

t.test("how a server ends is told: at EOF, at SIGTERM, at SIGKILL", async (t) => {
  const cases = [
    ["none", timeoutMs, "stdin-eof"],
    ["ignores_eof", 300, "sigterm"],
    ["ignores_sigterm", 300, "sigkill"],
  ] as const;
  for (const [fault, graceMs, how] of cases) {
    const connection = await connectTo(t, fault);
    const [report, again] = await Promise.all([connection.close({ graceMs }), connection.close()]);
    t.equal(report.how, how, fault);
    t.same(again, report, "closing twice is closing once");
    t.notOk(isAlive(connection.pid!));
  }
});

t.test("what the server left behind is asked for after its end", async (t) => {
  const process = await spawnFaulty("detached_child");
  let child = 0;
  const afterExit = () => {
    t.notOk(isAlive(process.pid!), "the server is gone by then");
    t.ok(isAlive(child));
    signalProcess(child, "SIGKILL");
    return Promise.resolve({ orphans: ["sleep 300"], survivors: [] });
  };
  const connection = await openStdioConnection({ id: "c", process, timeoutMs, afterExit });
  child = Number((await connection.callTool("act", {})).text);
  t.match(await connection.close(), { how: "stdin-eof", orphans: ["sleep 300"] });
});

t.test("a closed connection is not lost, and takes no calls", async (t) => {
  const connection = await connectTo(t, "none");
  let lost = false;
  connection.lost.then(() => lost = true);
  await connection.close();
  await t.rejects(connection.callTool("act", {}), { code: "SERVER_LOST" });
  t.equal(lost, false);
});

t.test("progress right before the result is heard", async (t) => {
  const connection = await connectTo(t, "progress_then_result");
  const heard: number[] = [];
  await connection.callTool("act", { steps: 5 }, { onProgress: ({ progress }) => heard.push(progress) });
  t.same(heard, [1, 2, 3, 4, 5]);
});

t.test("log messages about the call are heard as signs of life, others are not", async (t) => {
  const connection = await connectTo(t, "logs_then_result");
  let heard = 0;
  await connection.callTool("act", { steps: 5 }, { onProgress: () => {}, onActivity: () => heard++ });
  t.equal(heard, 5);
});

t.test("answers that mislead are told by what a server really sends", async (t) => {
  for (
    const [fault, kind] of [
      ["error_as_success", "error-told-as-success"],
      ["success_as_error", "success-told-as-error"],
      ["missing_value", "value-missing-in-answer"],
      ["none", undefined],
    ] as const
  ) {
    const connection = await connectTo(t, fault);
    const [definition] = (await connection.listTools()).filter(({ name }) => name === "act");
    const outcome = await connection.callTool("act", {});
    t.equal(misleadingKind({ outcome, input: {}, definition: definition! }), kind, fault);
  }
});

t.test("what the server asks uninvited is refused, ping and declared roots are answered", async (t) => {
  const connection = await connectTo(t, "asks_client");
  t.match(JSON.parse((await connection.callTool("act", {})).text), [{}, { code: -32601 }, { code: -32601 }]);
  const roots = [{ uri: "file:///srv" }];
  const process = await spawnFaulty("asks_client");
  const withRoots = await openStdioConnection({ id: "c", process, timeoutMs, roots });
  t.match(JSON.parse((await withRoots.callTool("act", {})).text), [{}, { roots }, { code: -32601 }]);
  await withRoots.close();
});

t.test("calls side by side are answered side by side", async (t) => {
  const connection = await connectTo(t, "slow_calls", "--delay", "150");
  const before = connection.exchanges().length;
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => connection.callTool("act", {})));
  const directions = connection.exchanges().slice(before).map(({ direction }) => direction);
  t.same(directions, [...Array(10).fill("sent"), ...Array(10).fill("received")], "none waits for another");
  t.equal(outcomes.filter((outcome) => outcome.durationMs >= 140).length, 10);
});
