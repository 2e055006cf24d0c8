// test: timeout=300
/** Coverage of real servers: TypeScript through its source maps, Python, and plain JavaScript beside what c8 says of it. */
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import type { CoverageReport } from "../../../machines/model/coverage.ts";
import { createHarness } from "../../../src/app/create_harness.ts";
import type { Session } from "../../../src/api/harness.ts";
import { asPthError } from "../../../src/core/errors.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { coverageSummary } from "../../../src/testing/coverage/coverage_text.ts";
import { temporaryWorld, writeFiles } from "../../src/session/helpers.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { adderServer } from "../../support/small_server.ts";

t.setTimeout(280_000);
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Loaded in a sandbox; undefined, said as a skip, where this machine has none. */
async function load(t: Test, folder: string): Promise<Session | undefined> {
  const harness = await createHarness();
  t.teardown(() => harness.close());
  await harness.startSession({ target: folder }, { mode: "run" });
  const session = harness.session();
  try {
    await session.environment.provision({ runtime: "sandbox" });
  } catch (error) {
    t.pass("no sandbox here", { skip: asPthError(error).message });
    return undefined;
  }
  await session.plugin.load({ coverage: true });
  return session;
}

const lineSet = ({ files }: CoverageReport, path: string, ran: boolean): number[] =>
  Object.entries(files.find((file) => file.path === path)?.lines ?? {})
    .filter(([, hits]) => hits > 0 === ran).map(([line]) => Number(line));

t.test("compiled TypeScript is measured in its sources, with the tool that code belongs to", async (t) => {
  const { folder } = await temporaryWorld(t);
  const session = await load(t, await copyFixture("sample_plugin", folder));
  if (!session) return;
  const { summary } = await session.tests.runSuite({ coverage: true, generatedFrom: "manual" });
  t.match(summary, { failed: 0 });
  const report = session.coverage.report();
  t.equal(report.collector, "v8");
  t.strictSame(report.notes, []);
  t.ok(
    report.files.every(({ path }) => /^src\/\w+\.ts$/.test(path)),
    report.files.map(({ path }) => path).join(),
  );
  const numbers = report.files.find(({ path }) => path === "src/number_tools.ts")!;
  t.strictSame(numbers.tools.map(({ tool }) => tool), ["add_numbers", "divide"]);
  const divide = numbers.tools.find(({ tool }) => tool === "divide")!;
  const { source, tests } = await session.coverage.impact({
    files: [{ path: "src/number_tools.ts", lines: [divide.line] }],
  });
  t.equal(source, "measured");
  t.match(tests.join(" "), /^divide/);
  t.notOk(tests.some((id) => /^(echo|add)/.test(id)), tests.join(" "));
  t.match(coverageSummary(report)[0], /^lines \d+ of \d+ \(\d+ %\), .*v8/);
});

t.test("a Python server is measured by coverage.py, test by test", async (t) => {
  const { folder } = await temporaryWorld(t);
  const plugin = join(folder, "python_server");
  await cp(join(root, "test/fixtures/python_server"), plugin, {
    recursive: true,
    filter: (path) => !/\.venv$|__pycache__|egg-info/.test(path),
  });
  await writeFiles(plugin, {
    ".pth/tests/units.yaml": "name: converts\ntool: convert_length\ninput: { value: 2, from: km, to: m }\n" +
      "expect: { output_equals: '2000' }\n---\nname: lists\ntool: list_units\ninput: {}\nexpect: { success: true }\n",
  });
  const session = await load(t, plugin);
  if (!session) return;
  t.match((await session.tests.runSuite({ coverage: true })).summary, { passed: 2, failed: 0 });
  let report: CoverageReport;
  try {
    report = session.coverage.report();
  } catch (error) {
    t.match(asPthError(error).message, /could not be installed/);
    return t.pass("no coverage.py here", { skip: asPthError(error).message });
  }
  t.equal(report.collector, "coverage.py");
  const server = report.files.find(({ path }) => path === "unit_converter/server.py")!;
  const convert = server.functions.find(({ name }) => name === "convert_length")!;
  t.equal(convert.hits, 1);
  t.ok(server.branches.length > 0);
  const { tests } = await session.coverage.impact({
    files: [{ path: "unit_converter/server.py", lines: [convert.endLine] }],
  });
  t.strictSame(tests, ["converts"]);
});

t.test("a C server that a makefile builds is measured by gcov, test by test", async (t) => {
  const { folder } = await temporaryWorld(t);
  const plugin = join(folder, "c_server");
  await cp(join(root, "test/fixtures/c_server"), plugin, { recursive: true });
  const session = await load(t, plugin);
  if (!session) return;
  t.match((await session.tests.runSuite({ coverage: true })).summary, { passed: 2, failed: 0 });
  const report = session.coverage.report();
  t.equal(report.collector, "gcov");
  t.strictSame(lineSet(report, "server.c", false).slice(0, 1), [7], "the branch for what is too large");
  const affected = async (line: number) =>
    (await session.coverage.impact({ files: [{ path: "server.c", lines: [line] }] })).tests;
  t.strictSame([await affected(9), await affected(13)], [["adds"], ["doubles"]]);
});

t.test("lines that never run are those that c8 names, for the same calls", async (t) => {
  const { folder } = await temporaryWorld(t);
  const plugin = join(folder, "adder");
  const add = `export function add({ a, b }) {
  if (a > 1000) {
    const big = a + b;
    return big;
  }
  // Two small ones.
  for (const number of [a, b]) {
    if (number < 0) return negative(number);
  }
  return a + b;
}

function negative(number) {
  return -number;
}
`;
  await writeFiles(plugin, {
    "package.json": '{"name":"adder","version":"1.0.0","type":"module","bin":"server.mjs"}\n',
    "server.mjs": adderServer,
    "add.mjs": add,
    ".pth/tests/add.yaml": "name: adds\ntool: add\ninput: { a: 1, b: 2 }\nexpect: { output_equals: '3' }\n",
  });
  const session = await load(t, plugin);
  if (!session) return;
  t.match((await session.tests.runSuite({ coverage: true })).summary, { passed: 1, failed: 0 });
  const report = session.coverage.report();

  const call = (id: number, method: string, params: unknown) =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const stdin = [
    call(1, "initialize", { protocolVersion: "2025-06-18" }),
    call(2, "tools/list", {}),
    call(3, "tools/call", { name: "add", arguments: { a: 1, b: 2 } }),
  ].join("\n");
  const out = await mkdtemp(join(tmpdir(), "pth-c8-"));
  t.teardown(() => rm(out, { recursive: true, force: true }));
  const c8 = [
    join(root, "node_modules/.bin/c8"),
    "--reporter=json",
    `--report-dir=${out}`,
    "node",
    "server.mjs",
  ];
  const { code, stderr } = await runCommand(c8, { cwd: plugin, stdin: `${stdin}\n` });
  t.equal(code, 0, stderr);
  const told = JSON.parse(await readFile(join(out, "coverage-final.json"), "utf8"));
  const [, theirs] = Object.entries<{ s: Record<string, number> }>(told).find(([path]) =>
    path.endsWith("/add.mjs")
  )!;
  // c8 counts every line, also those that hold no code; statement n is line n + 1.
  const missed = Object.entries(theirs.s).filter(([, hits]) => hits === 0).map(([line]) => Number(line) + 1);
  t.strictSame(lineSet(report, "add.mjs", false), [3, 4, 14]);
  for (const line of lineSet(report, "add.mjs", false)) {
    t.ok(missed.includes(line), `c8 misses line ${line}, too`);
  }
  for (const line of lineSet(report, "add.mjs", true)) {
    t.notOk(missed.includes(line), `c8 has line ${line}, too`);
  }
});

t.test("a server that lies outside of the plugin's folder is tested, and said not to be measured", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, {
    "server.mjs": adderServer,
    "add.mjs": "export const add = ({ a, b }) => a + b;\n",
  });
  const harness = await createHarness();
  t.teardown(() => harness.close());
  await harness.startSession({ command: ["node", join(folder, "server.mjs")] }, { mode: "run" });
  const session = harness.session();
  await session.environment.provision({ runtime: "host" });
  await session.plugin.load({});
  await session.tests.generate({});
  t.match((await session.tests.runSuite({ coverage: true })).summary, { failed: 0 });
  t.match(session.coverage.report().notes.join(), /nothing that lies in the plugin's folder ran/);
});
