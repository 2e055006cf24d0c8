// test: timeout=240
/** Generated tests against real servers, run one after the other and judged: honest servers fail none, faults show. */
import t from "tap";
import type { Connection } from "../../../src/client/connection.ts";
import { openStdioConnection } from "../../../src/client/stdio_connection.ts";
import { schemaProblems } from "../../../src/client/tool_schemas.ts";
import { asPthError } from "../../../src/errors.ts";
import { makeTempDir, removeIfExists } from "../../../src/platform/files.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { CallOutcome, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { Verdict } from "../../../machines/model/test_result.ts";
import { type CheckContext, runCheck } from "../../../src/testing/check.ts";
import { registry as checks } from "../../../src/testing/checks/_registry.ts";
import { generateFromSchema } from "../../../src/testing/generators/schema.ts";
import { createHindsight } from "../../../src/testing/hindsight.ts";
import { interpolateTests } from "../../../src/testing/interpolate.ts";
import { judge } from "../../../src/testing/judge.ts";
import type { Observation } from "../../../src/testing/observation.ts";
import { fixturePath, modulePath, spawnServer } from "../../src/client/fixture_server.ts";

t.setTimeout(240_000);
const folder = await makeTempDir();
t.teardown(() => removeIfExists(folder));

interface Judged {
  test: TestCase;
  verdict: Verdict;
}

/** All generated tests of a server, on one instance that is replaced when it is lost or silent. */
async function runGenerated(command: string[], limitMs = 3000): Promise<Judged[]> {
  // A replaced instance checks answers by the output schemas that the first one listed.
  let tools: ToolDefinition[] = [];
  const open = async (): Promise<Connection> =>
    openStdioConnection({
      id: "c",
      process: await spawnServer(command, { cwd: folder }),
      timeoutMs: 20_000,
      ...(tools.length > 0 && { tools }),
    });
  let connection = await open();
  tools = await connection.listTools();
  const judged: Judged[] = [];
  const hindsight = createHindsight();
  for (const test of interpolateTests(generateFromSchema(tools).tests, new Map())) {
    if (test.check !== undefined) {
      judged.push({ test, verdict: await runServerCheck(test.check, await open()) });
      continue;
    }
    const foreseen = hindsight.foresee(test);
    if (foreseen !== undefined) {
      judged.push({ test, verdict: foreseen });
      continue;
    }
    const observation = await observe(connection, test, tools, limitMs);
    const verdict = judge(test, observation);
    hindsight.learn(test, verdict);
    judged.push({ test, verdict });
    if (observation.loss !== undefined || observation.timedOut !== undefined) {
      await connection.close({ graceMs: 100 });
      connection = await open();
    }
  }
  await connection.close({ graceMs: 100 });
  return judged;
}

async function runServerCheck(name: string, connection: Connection): Promise<Verdict> {
  const context: CheckContext = {
    transport: "stdio",
    tools: () => connection.listTools(),
    schemaProblems,
    strayOutput: () => connection.strayOutput(),
    stop: (graceMs) => connection.close({ graceMs }),
  };
  const verdict = await runCheck(checks.find((check) => check.name === name)!, context);
  await connection.close({ graceMs: 100 });
  return verdict;
}

async function observe(
  connection: Connection,
  test: TestCase,
  tools: ToolDefinition[],
  limitMs: number,
): Promise<Observation> {
  const tool = tools.find(({ name }) => name === test.tool);
  const seen: Observation = { commands: [], strayOutput: [], ...(tool && { tool }) };
  const strayBefore = connection.strayOutput().length;
  let progress = 0;
  const call = (input: Record<string, unknown>): Promise<CallOutcome> =>
    connection.callTool(test.tool!, input, {
      signal: AbortSignal.timeout(limitMs),
      onProgress: () => progress++,
    });
  try {
    if (test.control !== undefined) seen.control = await call(test.control.input);
    if (seen.control?.isError !== true) seen.outcome = await call(test.input ?? {});
  } catch (error) {
    if ((error as Error).name === "TimeoutError") {
      const answersPing = await connection.ping(1000).then(() => true, () => false);
      seen.timedOut = { afterMs: limitMs, answersPing, progress };
    } else if (asPthError(error).code === "SERVER_LOST") seen.loss = await connection.lost;
    else seen.callError = asPthError(error);
  }
  seen.strayOutput = connection.strayOutput().slice(strayBefore);
  return seen;
}

/** "tool: category" of each failure, each once. */
const failures = (judged: Judged[]): string[] => [
  ...new Set(
    judged.filter(({ verdict }) => verdict.status === "failed")
      .map(({ test, verdict }) => `${test.tool ?? test.check}: ${verdict.category}`),
  ),
];

const count = (judged: Judged[], status: Verdict["status"]): number =>
  judged.filter(({ verdict }) => verdict.status === status).length;

const honest: Record<string, string[]> = {
  "server-everything": ["node", modulePath("@modelcontextprotocol/server-everything/dist/index.js")],
  "server-filesystem": ["node", modulePath("@modelcontextprotocol/server-filesystem/dist/index.js"), folder],
  "a server without faults": ["node", fixturePath("faulty_servers/faulty.mjs"), "--fault", "none"],
};

for (const [name, command] of Object.entries(honest)) {
  t.test(`${name} fails nothing`, async (t) => {
    const judged = await runGenerated(command);
    t.same(failures(judged), [], judged.flatMap(({ verdict }) => verdict.message ?? []).join("\n"));
    t.ok(
      count(judged, "passed") > judged.length / 3,
      `${count(judged, "passed")} of ${judged.length} passed`,
    );
    for (const { test, verdict } of judged) {
      if (verdict.status === "skipped") {
        t.match(verdict.note, /^(?:refused|inconclusive|no answer)/, test.name);
      }
    }
  });
}

t.test("each fault of the broken plugin shows on its own tool, for what it is", async (t) => {
  const judged = await runGenerated(["node", fixturePath("broken_plugin/index.mjs")], 1000);
  t.same(failures(judged).sort(), [
    "crash_on_call: runtime-exception",
    "missing_import: dependency-error",
    "never_answers: timeout",
    "wrong_output: schema-violation",
  ]);
});

const faults: Record<string, string[]> = {
  no_content_array: ["act: protocol-error"],
  malformed_jsonrpc: ["act: protocol-error"],
  output_schema_breach: ["act: schema-violation"],
  internal_error_text: ["act: runtime-exception"],
  dies_on_call: ["act: runtime-exception"],
  hangs_on_call: ["act: timeout"],
  ignores_eof: ["ends_on_eof: protocol-error"],
  invalid_schema: ["tools_list: schema-violation"],
  duplicate_tools: ["tools_list: protocol-error"],
};

for (const [fault, expected] of Object.entries(faults)) {
  t.test(`${fault} shows`, async (t) => {
    const judged = await runGenerated(
      ["node", fixturePath("faulty_servers/faulty.mjs"), "--fault", fault],
      1000,
    );
    t.same(failures(judged), expected, judged.flatMap(({ verdict }) => verdict.message ?? []).join("\n"));
  });
}

t.test("garbage on stdout shows", async (t) => {
  const judged = await runGenerated([
    "node",
    fixturePath("faulty_servers/faulty.mjs"),
    "--fault",
    "garbage_on_stdout",
  ]);
  t.match(failures(judged), ["stdout_is_protocol: protocol-error"]);
});
