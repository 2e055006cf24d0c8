import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { runOfTests } from "../../../src/agent_fixtures/report/run_report.ts";
import { runCli } from "../../../src/cli/main.ts";
import {
  makeTempDir,
  pathExists,
  readTextFile,
  removeIfExists,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { recordedReport, startedAt } from "../agent_fixtures/report/report_of.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

async function report(...args: string[]) {
  const played = scriptedHarness();
  const kept = keptContext(played);
  const exitCode = await runCli(["agent", "report", ...args], kept.context);
  t.same(played.calls, [], "no session is started");
  return { exitCode, stdout: kept.stdout(), stderr: kept.stderr() };
}

async function folderWith(t: Test, files: Record<string, unknown>): Promise<(name: string) => string> {
  const folder = await makeTempDir({ prefix: "pth-report-" });
  t.teardown(() => removeIfExists(folder));
  for (const [name, value] of Object.entries(files)) {
    const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
    await writeTextFile(join(folder, name), text);
  }
  return (name) => join(folder, name);
}

const partial = recordedReport({ test: { file: `${process.cwd()}/tests/test_report.yaml` } });
const passed = recordedReport({ test: { id: "herbarium-moss", name: "Moss & more", expectations: [] } });
const run = runOfTests([partial, passed]);
run.fixtures[0]!.skipped.push({
  test_id: "herbarium-net",
  test_name: "Asks the network",
  tags: ["slow"],
  reason: "no network here",
  file: "/tests/test_net.yaml",
  line: 2,
});
run.summary = { ...run.summary, total: 3, skipped: 1 };

t.test("a report of one test becomes its page, reports of several a page of a run", async (t) => {
  const at = await folderWith(t, {
    "a.json": partial,
    "b.json": passed,
    "assessed.md": "## It *lacks* notes",
  });
  const { exitCode, stdout } = await report(
    at("a.json"),
    "--html",
    at("a.html"),
    "--assessment",
    at("assessed.md"),
  );
  t.equal(exitCode, 0);
  t.equal(stdout, "");
  const page = await readTextFile(at("a.html"));
  t.match(page, /id="tab-timeline"/);
  t.match(page, /It \*lacks\* notes/);
  await report(at("a.json"), at("b.json"), "--html", at("both.html"));
  t.match(await readTextFile(at("both.html")), /1 of 2 tests did not pass/);
});

t.test("one test of a run has a page of its own", async (t) => {
  const at = await folderWith(t, { "run.json": run });
  await report(at("run.json"), "--test", "herbarium-moss", "--html", at("moss.html"));
  t.match(await readTextFile(at("moss.html")), /<h1>.*Moss &amp; more/);
});

t.test("JUnit, TAP, GitHub and Markdown are written from the JSON, with places and reasons", async (t) => {
  const at = await folderWith(t, { "run.json": run });
  const { stdout } = await report(
    at("run.json"),
    ...["junit", "tap", "markdown"].flatMap((name) => ["--reporter", `${name}:${at(name)}`]),
    "--reporter",
    "github",
  );
  const junit = await readTextFile(at("junit"));
  t.match(junit, /<testsuite name="herbarium" tests="3" failures="1" errors="0" skipped="1"/);
  t.match(
    junit,
    /<failure type="failed" message="partial, 2\/3 expectations met: Reads the notes">[^<]*nearest: Bash/,
  );
  t.match(junit, /<skipped message="no network here"\/>/);
  const tap = await readTextFile(at("tap"));
  t.match(tap, /^not ok 1 - The report reads the configuration$/m);
  t.match(tap, /^ok 3 - Asks the network # SKIP no network here$/m);
  t.match(stdout, /^::error file=tests\/test_report\.yaml,line=3,title=The report reads/m);
  t.match(await readTextFile(at("markdown")), /Reads the notes/);
});

t.test("people read the outcome where no file and no page is asked for", async (t) => {
  const at = await folderWith(t, { "run.json": run });
  const { stdout } = await report(at("run.json"));
  t.match(stdout, /3 tests: 1 passed, 1 failed, 1 skipped/);
});

t.test("earlier runs make the trend, and stay in the JSON of the run", async (t) => {
  const day = (days: number) => ({ startedAt: startedAt + days * 86_400_000 });
  const earlier = runOfTests([recordedReport(day(1))], [runOfTests([recordedReport(day(0))])]);
  const at = await folderWith(t, { "old.json": earlier, "now.json": recordedReport(day(2)) });
  const { stdout } = await report(at("now.json"), "--earlier", at("old.json"), "--json");
  t.match(JSON.parse(stdout), {
    schema: "pth-fixture-run/1",
    earlier: [{ started_at: earlier.earlier[0]!.started_at }, { started_at: earlier.started_at }],
  });
  await writeTextFile(at("run.json"), stdout);
  await report(at("run.json"), "--html", at("run.html"));
  t.match(await readTextFile(at("run.html")), /Trend <small>3 runs/);
});

t.test("wrong use is one error with its place, and nothing is written", async (t) => {
  const at = await folderWith(t, {
    "run.json": run,
    "a.json": partial,
    "wrong.json": { ...partial, meta: { ...partial.meta, status: "timeout" } },
    "broken.json": '{\n  "schema_version": "2.0",\n  oh\n}',
    "other.json": { schema: "pth-report/1" },
  });
  const page = ["--html", at("page.html")];
  for (
    const [args, message] of [
      [[], /name reports/],
      [[at("none.json")], /there is no file .*none\.json/],
      [[at("broken.json")], /broken\.json:3:3 not valid JSON/],
      [[at("wrong.json")], /wrong\.json:\d+:\d+ .*status/],
      [[at("other.json")], /other\.json:\d+:\d+ /],
      [[at("run.json"), at("a.json")], /herbarium\/herbarium-report-001 is in them more than once/],
      [[at("run.json"), "--test", "nothing"], /there is no test nothing[^]*herbarium-report-001/],
      [[at("run.json"), "--assessment", at("a.json")], /of one test, not of 2/],
      [[at("run.json"), "--reporter", "html"], /--reporter expects one of/],
    ] as const
  ) {
    const { exitCode, stderr } = await report(...args, ...page);
    t.equal(exitCode, 2, String(message));
    t.match(stderr, message);
  }
  t.notOk(await pathExists(at("page.html")));
});

t.test("options of reports are refused elsewhere, and so is a prompt without quotes", async (t) => {
  const kept = keptContext(scriptedHarness());
  t.equal(await runCli(["agent", "run", ".", "find", "moss", "--html", "x.html"], kept.context), 2);
  t.match(kept.stderr(), /run takes no "moss": quote a prompt/);
  t.match(kept.stderr(), /--html is for report alone/);
});
