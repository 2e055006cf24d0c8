// test: timeout=300
/** Failures of plugins with planted faults, diagnosed over MCP: each in its category, at its file and line. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import type { DiagnosisReport, FailureGroup } from "../../../machines/model/diagnosis.ts";
import {
  breakSource,
  copyFaults,
  failingTests,
  type Fixture,
  makeRepository,
  plantedIn,
} from "./faulty_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";

const slow = { timeout: 280_000 };
t.setTimeout(slow.timeout);

const { folder, call, succeed } = await openSessionClient(t);

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
      // What waits for a limit does so in any way of starting; its earlier result stands.
      await succeed(t, "pth_run_test_suite", ids.size === 0 ? {} : { grep: "^(?!timeout|garbled)" });
      const report = await diagnose(t);
      await checkPlanted(t, fixture, report, says);
      for (const { id } of report.groups) ids.add(id);
      if (ids.size !== report.groups.length) t.comment(report.groups.map(({ id }) => id));
      t.equal(ids.size, report.groups.length, `${says}: the ids of the groups stay the same`);
    }
    if (fixture === "js") await checkFacts(t);
    if (fixture === "ts") await succeed(t, "pth_load_plugin", ways.ts[0]!.load);
    const remaining = await mendHelper(t, fixture);
    for (const { id } of remaining) t.ok(ids.has(id), "what is not mended keeps its id");
    if (fixture === "ts") await breakBuild(t);
    await succeed(t, "pth_end_session");
  });
}

/** All that is known of a failure is in the answer, and its text. */
async function checkFacts(t: Test): Promise<void> {
  const all = ["exchange", "source", "stderr", "stdout", "environment"];
  const { diagnoses: [missing], text } = await diagnose(t, { test: "missing-side-effect", show: all });
  t.match(missing, {
    input: { name: "notes/kept", text: "abc" },
    error: /cat notes\/kept.txt/,
    exchange: [{ direction: "sent" }, { direction: "received" }],
    commands: [{ exec: "cat notes/kept.txt", code: 1, stderr: /No such file/ }],
    previousFixes: [],
  });
  const { environment, excerpts } = missing!;
  t.ok(environment.processes > 0);
  t.equal(typeof environment.memoryUsedPercent, "number");
  t.ok(environment.changedFiles?.includes("notes/kept.txt.draft"), String(environment.changedFiles));
  const source = excerpts.map((each) => each.text).join("\n");
  t.match(source, /import { mkdirSync, writeFileSync } from "node:fs";/, "imports of the handler's file");
  t.match(source, /save_note: \{/, "the handler");
  t.match(source, /export const pathOf/, "what the handler calls");
  t.match(text, /call: save_note\({"name":"notes\/kept","text":"abc"}\)/);
  t.match(text, /"method":"tools\/call"/);
  t.match(text, /verify "cat notes\/kept.txt" exited with 1\n.*No such file/);
  t.match(text, /environment: \d+ processes; disk \d+ % used; memory \d+ % used; healthy/);
  t.match(text, /uncommitted files: .*notes\/kept.txt.draft/);

  const garbled = await diagnose(t, { test: "garbled", show: all });
  t.match(garbled.diagnoses[0]!.stdout, /^working on it \.\.\.{"jsonrpc"/);
  t.match(garbled.text, /stdout outside the protocol:\nworking on it/);
  const swallowed = await diagnose(t, { test: "swallowed", show: all });
  t.match(swallowed.diagnoses[0]!.stderr, /^TypeError: .*\n\s+at /);
  t.match(swallowed.text, /stderr:\nTypeError: Cannot read/);
  const { groups: [wrong], text: words } = await diagnose(t, { test: "wrong-output" });
  t.equal(wrong?.cause, 'add answers "-1" where "5" is expected');
  t.match(words, 'call: add({"a":2,"b":3}): expected "5", got "-1"');
  t.match((await call("pth_diagnose_failure", { test: "nonsense" })).text, "[NO_SUCH_TEST]");
  t.match((await call("pth_diagnose_failure", { test: "passes" })).text, "[NO_TESTS_MATCH]");
}

/** The fault in the helper, and the code that is right. */
const helpers: Record<"js" | "python" | "ts", { path: string; find: string; replace: string }> = {
  js: { path: "lib/amounts.mjs", find: ".concat(rates.suffix)", replace: "" },
  python: { path: "amounts.py", find: "RATES[currency.lower()]", replace: "RATES[currency]" },
  ts: { path: "src/lib/amounts.ts", find: "rates[currency.toLowerCase()]", replace: "rates[currency]" },
};

/** A fault in a shared helper that fails five tools is one group; one commit mends all five. */
async function mendHelper(t: Test, fixture: keyof typeof helpers): Promise<FailureGroup[]> {
  const before = await diagnose(t);
  const group = before.groups[0]!;
  t.strictSame(
    group.testIds.toSorted(),
    ["helper-code", "helper-double", "helper-gross", "helper-half", "helper-net"],
  );
  const { data } = await succeed(t, "pth_apply_fix", {
    tests: group.testIds,
    category: group.category,
    title: group.cause,
    edits: [helpers[fixture]],
  });
  t.match(data, { fix: { files: [helpers[fixture].path], tests: { length: 5 } } });
  await succeed(t, "pth_reload_plugin");
  const run = await succeed(t, "pth_run_test_suite", { grep: "^helper" });
  t.match(run.data, { summary: { passed: 5, failed: 0 } });
  const after = await diagnose(t);
  t.equal(after.groups.length, before.groups.length - 1);
  t.notOk(after.groups.some(({ id }) => id === group.id), "and its id is gone");
  const inFile = after.diagnoses.filter(({ previousFixes }) => previousFixes.length > 0);
  for (const { previousFixes } of inFile) t.match(previousFixes, [{ files: [helpers[fixture].path] }]);
  return after.groups;
}

/** A type error is the build's, and the old server's failures are still there. */
async function breakBuild(t: Test): Promise<void> {
  const before = await diagnose(t);
  await succeed(t, "pth_apply_fix", {
    tests: ["swallowed"],
    title: "break the types",
    edits: [{ path: "src/tools/catalogue.ts", find: "number = 10", replace: 'number = "10"' }],
  });
  t.match((await call("pth_reload_plugin")).text, "[BUILD_FAILED]");
  const { groups, diagnoses, text } = await diagnose(t);
  const build = groups.find(({ category }) => category === "build-failure");
  t.equal(build && placeOf(build), (await plantedIn("ts")).get("build-failure"), text);
  t.equal(groups.length, before.groups.length + 1, "the tests' own failures are still there");
  const load = diagnoses.find(({ testId }) => testId === "load");
  t.match(load?.previousFixes, [{ title: "break the types" }], "the fix that did it is named");
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
  await begin(
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
    await begin(
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

t.test("TypeScript that does not start is diagnosed at the import that is missing", slow, async (t) => {
  await begin(t, "ts", (path) =>
    breakSource(
      path,
      "src/server.ts",
      /^/,
      '// @ts-expect-error: planted\nimport "sums-that-nobody-installed";\n',
    ));
  const loaded = await call("pth_load_plugin", { install: "", build: tsc });
  t.match(loaded.text, "[START_FAILED]");
  const { groups, text } = await diagnose(t);
  t.match(groups, [{ category: "dependency-error", testIds: ["load"] }], text);
  t.equal(placeOf(groups[0]!), "src/server.ts:2");
  t.equal(groups[0]?.cause, "Module sums-that-nobody-installed is missing in the environment");
  await succeed(t, "pth_end_session");
});
