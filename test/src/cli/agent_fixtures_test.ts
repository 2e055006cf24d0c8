/** `pth agent test` on harnesses that play what the agents' sessions come to. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { fixtureRunReportSchema } from "../../../src/agent_fixtures/report/report_schema.ts";
import { readTextFile } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { fixturesIn, ownHistory, type Play, pth, testText } from "./scripted_fixtures.ts";

t.test("each test is told as it ends, with the reasons of what was not met; one that is not met fails the run", async (t) => {
  await ownHistory(t);
  const silent = testText("silent").replace(/expectations:[^]*$/, "");
  const folder = await fixturesIn(t, {
    beds: { "test_a.yaml": testText("good"), "test_b.yaml": `${testText("half")}---\n${testText("bad")}` },
    pots: { "test_c.yaml": silent, "test_d.yaml": testText("later", "skip: not today\n") },
  });
  const play: Play = (id) => id === "half" ? "partial" : id === "bad" ? "fail" : "pass";
  const { exitCode, stdout, stderr } = await pth([folder, "--workers", "1"], { play });
  t.equal(exitCode, 1);
  t.match(stdout, /✓ beds\/good {2}Name of good {2}1\/1/);
  t.match(stdout, /◐ beds\/half .*1\/2.*\n {4}✗ says says so: nothing was said\n {4}at all/);
  t.match(stdout, /✗ beds\/bad .*0\/1/);
  t.match(stdout, "- pots/later  not run: not today\n");
  t.match(stdout, /✗ 5 tests of 2 fixtures: 2 passed, 1 partial, 1 failed; 3\/5 expectations met/);
  t.match(stdout, "Not judged: 1 test without expectations: pots/silent");
  t.match(stdout, "Not judged: 1 test not run: pots/later");
  t.match(stderr, /test_c\.yaml:1:1 silent expects nothing/, "lints are told");
});

t.test("where all tests pass it exits with 0, and where none ran with 1", async (t) => {
  await ownHistory(t);
  const passing = await fixturesIn(t, { beds: { "test_a.yaml": testText("good") } });
  const { exitCode, stdout } = await pth([passing]);
  t.equal(exitCode, 0);
  t.match(stdout, /✓ 1 test of 1 fixture: 1 passed; 1\/1 expectations met/);
  const some = await fixturesIn(t, {
    beds: { "test_a.yaml": testText("good"), "test_b.yaml": testText("later", "skip: not today\n") },
  });
  const partly = await pth([some]);
  t.equal(partly.exitCode, 0, "a test that is to be skipped fails nothing");
  t.match(partly.stdout, "✓ 2 tests of 1 fixture: 1 passed");
  const pair = await fixturesIn(t, { beds: { "test_a.yaml": testText("a"), "test_b.yaml": testText("b") } });
  const stopped = await pth([pair], { stopsAfter: 1 });
  t.equal(stopped.exitCode, 1, "one that was to run and did not is no success");
  const skipped = await fixturesIn(t, { beds: { "test_a.yaml": testText("later", "skip: not today\n") } });
  const none = await pth([skipped]);
  t.equal(none.exitCode, 1);
  t.same(none.harnesses, [], "nothing starts for it");
});

t.test("everything that is wrong with options and files is told, and nothing starts", async (t) => {
  await ownHistory(t);
  const wrong = await pth([
    "--workers",
    "3",
    "--fail-fast",
    "--grep",
    "(",
    "--playbook",
    "x",
    "--timeout",
    "4",
    "--model",
    "m",
  ]);
  t.equal(wrong.exitCode, 2);
  for (
    const problem of [
      "name a folder with fixtures: pth agent test <folder>",
      "--workers: with --bail, --fail-fast or a budget fixtures run one after the other",
      "--grep: Invalid regular expression",
      "--playbook is for pth agent run, eval",
      "--timeout is for pth agent run, record, replay",
      "--model is for a real model: name its address with --upstream",
    ]
  ) t.match(wrong.stderr, problem);
  const folder = await fixturesIn(t, {
    beds: { "test_a.yaml": "test_id: 1 2\n", "test_b.yaml": testText("good").replace("pattern", "patern") },
  });
  const files = await pth([folder, "--retries", "many"]);
  t.equal(files.exitCode, 2);
  t.match(files.stderr, "--retries expects a whole number");
  t.match(files.stderr, /test_a\.yaml:1:\d+ /);
  t.match(files.stderr, /test_b\.yaml:\d+:\d+ .*patern/);
  const needy = await fixturesIn(t, {
    beds: {
      "test_a.yaml": testText("a").replace(/ {2}playbook.*\n/, ""),
      "test_b.yaml": testText("b").replace("prompt: go", "prompt: go\n  tools: [Bash]"),
    },
  });
  const { stderr } = await pth([needy]);
  t.match(stderr, /test_a\.yaml:1 a: it has no playbook: add one, or name a real model with --upstream/);
  t.match(stderr, /test_b\.yaml:1 b: command gets all of its tools/);
  for (const { harnesses } of [wrong, files]) t.same(harnesses, []);
});

t.test("tests are chosen by name, id, tag and part, and one that nothing fits is refused", async (t) => {
  await ownHistory(t);
  const folder = await fixturesIn(t, {
    beds: { "test_a.yaml": testText("a1", "tags: [slow]\n"), "test_b.yaml": testText("a2") },
    pots: { "test_c.yaml": testText("b1") },
  });
  t.same((await pth([folder, "--grep", "^a"])).ran, ["beds: a1 a2"]);
  t.same((await pth([folder, "--grep", "Name of b"])).ran, ["pots: b1"]);
  t.same((await pth([folder, "--tag", "slow"])).ran, ["beds: a1"]);
  t.same((await pth([folder, "--shard", "2/2"])).ran, ["beds: a2"]);
  const none = await pth([folder, "--tag", "fast"]);
  t.equal(none.exitCode, 2);
  t.match(none.stderr, /none fits the tag fast[^]*Tags that exist: slow/);
});

t.test("of tests on several agents those on the agent that is asked for run", async (t) => {
  await ownHistory(t);
  const agents = (id: string, names: string) =>
    testText(id).replace("prompt: go", `prompt: go\n  agents: [${names}]`);
  const folder = await fixturesIn(t, {
    beds: {
      "test_a.yaml": agents("a", "claude, command"),
      "test_b.yaml": testText("b"),
      "test_c.yaml": agents("c", "claude, codex"),
    },
  });
  const { ran, stderr } = await pth([folder]);
  t.same(ran, ["beds: a[command] b"]);
  t.match(stderr, "1 test left out, not for the agents command: beds/c\n");
});

t.test("what failed last time alone runs with --last-failed, and all where nothing did", async (t) => {
  await ownHistory(t);
  const folder = await fixturesIn(t, {
    beds: { "test_a.yaml": testText("a"), "test_b.yaml": testText("b") },
  });
  const first = await pth([folder, "--last-failed"], { play: (id) => id === "b" ? "partial" : "pass" });
  t.same(first.ran, ["beds: a b"]);
  t.match(first.stderr, "No earlier run of these fixtures is known on this machine: all tests run.");
  t.same((await pth([folder, "--last-failed"])).ran, ["beds: b"]);
  const again = await pth([folder, "--last-failed"]);
  t.same(again.ran, ["beds: a b"]);
  t.match(again.stderr, "No test failed last time: all tests run.");
});

t.test("after enough failures no other fixture begins", async (t) => {
  await ownHistory(t);
  const folder = await fixturesIn(t, {
    beds: { "test_a.yaml": testText("a"), "test_b.yaml": testText("b") },
    pots: { "test_c.yaml": testText("c") },
  });
  const { ran, stdout, exitCode } = await pth([folder, "--fail-fast"], { play: () => "fail" });
  t.equal(exitCode, 1);
  t.same(ran, ["beds: a b"]);
  t.match(stdout, "- pots/c  not run: the run was to stop after 1 failed");
});

t.test("a fixture that cannot run leaves the others to run, and its error is that of the command", async (t) => {
  await ownHistory(t);
  const folder = await fixturesIn(t, {
    beds: { "test_a.yaml": testText("a") },
    pots: { "test_c.yaml": testText("c") },
  });
  const { ran, stdout, exitCode, harnesses } = await pth([folder], { broken: "beds" });
  t.equal(exitCode, 3);
  t.same(ran, ["pots: c"]);
  t.match(stdout, "✗ beds  Cannot provision: no engine");
  t.match(stdout, "Not judged: 1 test not run: beds/a");
  for (const { calls } of harnesses) t.equal(calls.at(-1), "endSession");
});

t.test("an interrupt ends every session, keeps the results so far, and exits with 130", async (t) => {
  await ownHistory(t);
  const folder = await fixturesIn(t, {
    beds: { "test_a.yaml": testText("a"), "test_b.yaml": testText("b") },
    pots: { "test_c.yaml": testText("c") },
  });
  const { exitCode, stdout, harnesses } = await pth([folder, "--workers", "1"], {
    play: (id) => id === "b" ? "hangs" : "pass",
    interrupt: "SIGINT",
  });
  t.equal(exitCode, 130);
  t.match(stdout, "✓ beds/a");
  t.match(stdout, "Not judged: 2 tests not run: beds/b, pots/c");
  t.same(harnesses.map(({ name }) => name), ["beds"]);
  t.equal(harnesses[0]!.calls.at(-1), "endSession");
});

t.test("the report of a run fits its schema, and tells what did not run", async (t) => {
  await ownHistory(t);
  const folder = await fixturesIn(t, {
    beds: { "test_a.yaml": testText("a"), "test_b.yaml": testText("b", "skip: not today\n") },
  });
  const { stdout, stderr } = await pth([folder, "--json"], { play: () => "partial" });
  const report = fixtureRunReportSchema.parse(JSON.parse(stdout));
  t.match(report, {
    status: "partial",
    summary: { total: 2, partial: 1, skipped: 1, pass_rate: "1/2" },
    fixtures: [{
      name: "beds",
      tests: [{ meta: { test_id: "a", status: "partial" } }],
      skipped: [{ test_id: "b" }],
    }],
    notes: [/1 test not run: beds\/b/],
  });
  t.match(stderr, "◐ beds/a", "people read it beside the report");
});

t.test("reports for CI systems place a test that failed at its first expectation that was not met", async (t) => {
  await ownHistory(t);
  const folder = await fixturesIn(t, {
    beds: { "test_a.yaml": testText("a"), "test_b.yaml": testText("b") },
  });
  const before = process.env["GITHUB_WORKSPACE"];
  process.env["GITHUB_WORKSPACE"] = folder;
  t.teardown(() => {
    if (before === undefined) delete process.env["GITHUB_WORKSPACE"];
    else process.env["GITHUB_WORKSPACE"] = before;
  });
  const file = (name: string) => join(folder, name);
  const reporters = ["junit", "tap", "github"].flatMap((name) => ["--reporter", `${name}:${file(name)}`]);
  await pth([folder, ...reporters], { play: (id) => id === "a" ? "partial" : "pass" });
  const junit = await readTextFile(file("junit"));
  t.match(junit, /<testcase name="Name of a"[^>]* line="7"[^]*says says so \(line 7\): nothing was said/);
  t.match(junit, /<testcase name="Name of b"[^>]* line="1"/);
  t.match(await readTextFile(file("tap")), /not ok[^]*at:\s+file: .+test_a\.yaml\s+line: 7/);
  t.match(await readTextFile(file("github")), /::error file=fixtures\/beds\/tests\/test_a\.yaml,line=7,/);
});

t.test("reports go to a folder, a page and reporters, and a second run tells the trend", async (t) => {
  await ownHistory(t);
  const folder = await fixturesIn(t, {
    beds: {
      "test_a.yaml": testText("a", 'matrix: { place: ["../up", "..%up"] }\n').replace(
        "prompt: go",
        'prompt: "go to ${matrix.place}"',
      ),
    },
  });
  const out = join(await temporaryFolder(t), "reports");
  const junit = join(out, "junit.xml");
  const first = await pth([folder, "--out", out, "--reporter", "tap", "--reporter", `junit:${junit}`], {
    play: () => "partial",
  });
  t.equal(first.exitCode, 1);
  t.match(first.stdout, /^TAP version 14[^]*not ok/);
  t.match(first.stderr, "◐ beds/a[place=../up]", "people read the lines beside it");
  t.match(await readTextFile(junit), /<failure/);
  t.strictSame(
    (await readdir(join(out, "tests/beds"))).sort(),
    [
      "a_place=.._up_-2.html",
      "a_place=.._up_-2.json",
      "a_place=.._up_.html",
      "a_place=.._up_.json",
    ].sort(),
  );
  const page = join(out, "page.html");
  t.equal((await pth([folder, "--out", out, "--html", page])).exitCode, 0);
  const report = fixtureRunReportSchema.parse(JSON.parse(await readTextFile(join(out, "report.json"))));
  t.match(await readTextFile(page), "<html");
  t.equal(report.status, "pass");
  t.match(report.earlier, [{ summary: { partial: 2 } }]);
  const wrong = await pth([folder, "--reporter", "html", "--out", "/proc/x", "--assessment", "a.md"]);
  t.match(wrong.stderr, "--assessment is for report alone");
  t.match((await pth([folder, "--reporter", "htm", "--out", "/proc/x"])).stderr, "--reporter expects one of");
});
