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
  await succeed(t, "pth_provision_environment", { runtime: fixture.startsWith("js") ? "sandbox" : "host" });
  return path;
}

const starts = {
  js: {},
  python: { command: ["python3", "server.py"] },
} satisfies Record<string, Record<string, unknown>>;

for (const fixture of ["js", "python"] as const) {
  t.test(`each fault planted in ${fixture} is found in its category, at its line`, slow, async (t) => {
    const path = await begin(t, fixture);
    await succeed(t, "pth_load_plugin", starts[fixture]);
    const none = await diagnose(t);
    t.match(none.text, /^No failure to diagnose/);
    await succeed(t, "pth_run_test_suite", {});
    const { groups, diagnoses, text } = await diagnose(t);
    const planted = await plantedIn(path);
    for (const [mark, place] of planted) {
      const testId = mark === "shared-helper" ? "helper-net" : mark;
      const group = groups.find(({ testIds }) => testIds.includes(testId));
      t.equal(group?.category, categories[mark] ?? mark, `${mark}: ${JSON.stringify(group)}`);
      t.equal(
        group && placeOf(group),
        place,
        `${mark}: ${JSON.stringify(diagnoses.find((each) => each.testId === testId)?.evidence)}`,
      );
    }
    t.equal(groups[0]?.testIds.length, 5, "the helper's five tests are one group");
    t.equal(groups.length, planted.size, text);
    t.equal(diagnoses.length, planted.size + 4);
    t.match(text, /^15 failures, 11 root causes:\n1\. runtime-exception at (lib\/)?amounts\./);
    t.notMatch(diagnoses.map(({ testId }) => testId), /passes/);

    const one = await diagnose(t, {
      test: "missing-side-effect",
      detail: ["exchange", "source", "stderr", "environment"],
    });
    t.equal(one.diagnoses.length, 1);
    t.match(one.text, /tools\/call/);
    t.match(one.text, /writes?|open|draft/);
    t.match(one.diagnoses[0]!.exchange, [{ direction: "sent" }, { direction: "received" }]);
    t.ok(one.diagnoses[0]!.environment.processes > 0);
    t.match((await call("pth_diagnose_failure", { test: "nonsense" })).text, "[NO_SUCH_TEST]");
    t.match((await call("pth_diagnose_failure", { test: "passes" })).text, "[NO_TESTS_MATCH]");

    const again = await succeed(t, "pth_run_test", { id: "helper-net" });
    t.match(again.data, { result: { status: "failed" } });
    t.strictSame(
      (await diagnose(t)).groups.map(({ id }) => id).sort(),
      groups.map(({ id }) => id).sort(),
      "ids are stable",
    );
    await succeed(t, "pth_end_session");
  });
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
  t.equal(placeOf(groups[0]!), (await plantedIn(path)).get("build-failure"));
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
    t.equal(placeOf(groups[0]!), (await plantedIn(path)).get("build-failure"));
    await succeed(t, "pth_end_session");
  },
);

/** TypeScript of this checkout; the host's files are all there on the runtime `host`. */
const tsc = `node '${
  fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url))
}' -p .`;

t.test("compiled TypeScript is diagnosed in its source, before and after it is built", slow, async (t) => {
  const tags = "name: tags\ntool: tags_of\ninput: { name: lamp }\nexpect: { success: true }\n";
  const path = await begin(t, "ts", (path) => writeFile(join(path, ".pth/tests/faults.yaml"), tags));
  const planted = await plantedIn(path);
  await succeed(t, "pth_load_plugin", { build: tsc });
  await succeed(t, "pth_run_test_suite");
  const { groups, diagnoses } = await diagnose(t);
  t.match(groups, [{ category: "runtime-exception", place: { name: "tagsOf" } }]);
  t.equal(placeOf(groups[0]!), planted.get("runtime-exception"), JSON.stringify(diagnoses));
  await succeed(t, "pth_exec_in_environment", {
    command: "sed -i 's/most: number = 10/most: number = \"10\"/' src/catalogue.ts",
  });
  t.match((await call("pth_reload_plugin")).text, "[BUILD_FAILED]");
  const both = await diagnose(t);
  const build = both.groups.find(({ category }) => category === "build-failure")!;
  t.equal(build && placeOf(build), planted.get("build-failure"), both.text);
  t.equal(both.groups.length, 2, "the tests' own failures are still there");
  await succeed(t, "pth_end_session");
});
