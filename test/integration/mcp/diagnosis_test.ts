// test: timeout=300
/** Failures of plugins with planted faults, diagnosed over MCP: each in its category, at its file and line. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { Client } from "@modelcontextprotocol/sdk/client";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import type { DiagnosisReport, FailureGroup } from "../../../machines/model/diagnosis.ts";
import {
  breakSource,
  copyFaults,
  failingTests,
  type Fixture,
  makeRepository,
  plantedIn,
} from "./faulty_plugin.ts";
import { mcpCommand } from "./mcp_process.ts";

const slow = { timeout: 280_000 };
t.setTimeout(slow.timeout);

const folder = await mkdtemp(join(tmpdir(), "pth-diagnosis-test-"));
const [command, ...args] = mcpCommand();
const transport = new StdioClientTransport({
  command,
  args,
  env: {
    ...process.env as Record<string, string>,
    PTH_HOME: join(folder, "home"),
    PTH_WORKTREE_DIR: join(folder, "worktrees"),
  },
});
const client = new Client({ name: "test", version: "1" });
await client.connect(transport as Transport);
t.teardown(async () => {
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

async function call(name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input }, undefined, {
    timeout: 120_000,
  }) as CallToolResult;
  const text = result.content.map((part) => part.type === "text" ? part.text : "").join("\n");
  return { text, data: result.structuredContent ?? {}, isError: result.isError === true };
}

async function succeed(t: Test, name: string, input: Record<string, unknown> = {}) {
  const answer = await call(name, input);
  t.notOk(answer.isError, `${name}: ${answer.text}`);
  return answer;
}

async function diagnose(t: Test, input: Record<string, unknown> = {}) {
  const { text, data } = await succeed(t, "pth_diagnose_failure", input);
  return { text, ...data as unknown as DiagnosisReport };
}

const placeOf = ({ place }: Pick<FailureGroup, "place">) => place && `${place.path}:${place.line}`;

/** Category by mark, where the mark is not the category. */
const categories: Record<string, string> = {
  "wrong-words": "wrong-output",
  "shared-helper": "runtime-exception",
  crash: "runtime-exception",
  swallowed: "runtime-exception",
  garbled: "protocol-error",
};

async function begin(
  t: Test,
  fixture: Fixture,
  change?: (path: string) => Promise<void>,
): Promise<string> {
  const path = await copyFaults(fixture, folder);
  await mkdir(join(path, ".pth/tests"), { recursive: true });
  await writeFile(join(path, ".pth/tests/faults.yaml"), failingTests);
  await change?.(path);
  await makeRepository(path);
  await succeed(t, "pth_start_session", { pluginPath: path });
  await succeed(t, "pth_provision_environment", { runtime: fixture === "js" ? "sandbox" : "host" });
  return path;
}

const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const deno = fileURLToPath(new URL("../../../scripts/deno/node_modules/deno/deno", import.meta.url));
/** Compiler and bundler of this checkout; the host's files are all there on the runtime `host`. */
const tsc = `node '${modules}/typescript/bin/tsc' -p .`;
const bundled = `'${modules}/.bin/esbuild' src/server.ts --bundle --platform=node --format=esm ` +
  "--packages=external --outfile=dist/server.js";

interface Way {
  says: string;
  load: Record<string, unknown>;
}

/** Ways to make and to start each plugin: what a trace tells is different in each. */
const ways: Record<"js" | "python" | "ts", Way[]> = {
  js: [{ says: "JavaScript", load: {} }],
  python: [
    { says: "Python with tracebacks on stderr", load: { command: ["python3", "server.py"] } },
    { says: "Python without tracebacks", load: { command: ["python3", "server.py", "--quiet"] } },
  ],
  ts: [
    { says: "TypeScript with source maps", load: { install: "", build: tsc } },
    {
      says: "TypeScript without source maps",
      load: { install: "", build: `rm -rf dist && ${tsc} --sourceMap false --removeComments` },
    },
    { says: "bundled TypeScript", load: { install: "", build: `rm -rf dist && ${bundled} --sourcemap` } },
    {
      says: "bundled TypeScript without source maps",
      load: { install: "", build: `rm -rf dist && ${bundled}` },
    },
    {
      says: "TypeScript that is run as it is",
      load: { install: "", build: "rm -rf dist", command: [deno, "run", "-A", "src/server.ts"] },
    },
  ],
};

for (const fixture of ["js", "python", "ts"] as const) {
  t.test(`each fault planted in ${fixture} is found in its category, at its line`, slow, async (t) => {
    await begin(t, fixture);
    const ids = new Set<string>();
    for (const { says, load } of ways[fixture]) {
      await succeed(t, "pth_load_plugin", load);
      if (ids.size === 0) t.match((await diagnose(t)).text, /^No failure to diagnose/);
      await succeed(t, "pth_run_test_suite", {});
      const report = await diagnose(t);
      await checkPlanted(t, fixture, report, says);
      for (const { id } of report.groups) ids.add(id);
      if (ids.size !== report.groups.length) t.comment(report.groups.map(({ id }) => id));
      t.equal(ids.size, report.groups.length, `${says}: the ids of the groups stay the same`);
    }
    await succeed(t, "pth_end_session");
  });
}

async function checkPlanted(
  t: Test,
  fixture: Fixture,
  { groups, diagnoses, text }: DiagnosisReport & { text: string },
  says: string,
): Promise<void> {
  const planted = await plantedIn(fixture);
  planted.delete("build-failure");
  for (const [mark, place] of planted) {
    const testId = mark === "shared-helper" ? "helper-net" : mark;
    const group = groups.find(({ testIds }) => testIds.includes(testId));
    const known = diagnoses.find((each) => each.testId === testId);
    t.equal(group?.category, categories[mark] ?? mark, `${says}: ${mark}: ${JSON.stringify(group)}`);
    t.equal(group && placeOf(group), place, `${says}: ${mark}: ${JSON.stringify(known?.evidence)}`);
  }
  t.equal(groups[0]?.testIds.length, 5, `${says}: the helper's five tests are one group`);
  t.equal(groups.length, planted.size, text);
  t.equal(diagnoses.length, planted.size + 4, "nothing else failed");
  t.match(text, /^17 failures, 13 root causes:\n1\. runtime-exception at (\w+\/)*amounts\./);
  t.notMatch(diagnoses.map(({ testId }) => testId), /passes/);
}

t.test("a build that fails is diagnosed at the line that does not parse", slow, async (t) => {
  const path = await begin(
    t,
    "js_build",
    (path) => breakSource(path, "server.mjs", /least = 1;/, "least = ;"),
  );
  const loaded = await call("pth_load_plugin", { build: "node --check server.mjs" });
  t.match(loaded.text, "[BUILD_FAILED]");
  const { groups, text } = await diagnose(t);
  t.match(text, /1 failure, 1 root cause/);
  t.match(groups, [{ category: "build-failure", testIds: ["load"] }]);
  t.equal(placeOf(groups[0]!), (await plantedIn("js_build")).get("build-failure"));
  const noTool = await call("pth_load_plugin", { build: "a-compiler-that-is-not-there server.mjs" });
  t.equal(noTool.isError, true);
  t.match((await diagnose(t)).groups, [{ category: "dependency-error" }]);
  await succeed(t, "pth_end_session");
});

t.test(
  "a Python server that does not parse is a build failure, though it fails at its start",
  slow,
  async (t) => {
    const path = await begin(
      t,
      "python_build",
      (path) => breakSource(path, "server.py", /LEAST = 1/, "LEAST = "),
    );
    const loaded = await call("pth_load_plugin", { command: ["python3", "server.py"] });
    t.match(loaded.text, "[START_FAILED]");
    const { groups } = await diagnose(t);
    t.match(groups, [{ category: "build-failure", testIds: ["load"] }]);
    t.equal(placeOf(groups[0]!), (await plantedIn("python_build")).get("build-failure"));
    await succeed(t, "pth_end_session");
  },
);
