/** A project's own tests in its folder on the host, through the harness: real processes, and nothing of them left. */
import t, { type Test } from "tap";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { ProjectTestRun } from "../../../machines/model/project_test_run.ts";
import { createHarness } from "../../../src/app/create_harness.ts";
import { taggedPids } from "../../../src/platform/proc.ts";

const harness = await createHarness();
t.teardown(() => harness.close());

function project(t: Test, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "pth-project-"));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

const suite = (body: string) => ({
  "package.json": '{ "name": "p", "type": "module", "scripts": { "test": "node --test" } }',
  "a.test.mjs": `import { test } from "node:test";\nimport assert from "node:assert";\n${body}`,
});

/** Folders of runs of this process begin with its number. */
const isOwn = (name: string) => name.startsWith(`${process.pid}-`);

/** Processes that a run left carry a variable of this test's own. */
const left = () => taggedPids("PTH_TEST_LEFT");
const env = { PTH_TEST_LEFT: "1" };

t.test("failures have their file and line, and the details file is for its owner alone", async (t) => {
  const projectRoot = project(
    t,
    suite(
      'test("adds", () => {});\ntest("fails", () => assert.equal(1, 2));\ntest("later", { skip: true }, () => {});',
    ),
  );
  const told: string[] = [];
  const answer = await harness.runProjectTests({ projectRoot }, {
    onProgress: ({ message }) => told.push(message),
  });
  t.match(answer, {
    framework: "node:test",
    summary: { passed: 1, failed: 1, skipped: 1 },
    failures: [{ name: "fails", file: "a.test.mjs", line: 4 }],
  });
  t.ok(told.includes("fails: failed"));
  t.equal(statSync(answer.details!).mode & 0o777, 0o600);
  t.match(JSON.parse(readFileSync(answer.details!, "utf8")), {
    tests: [{ name: "adds", status: "passed" }, { name: "fails" }, { name: "later", status: "skipped" }],
  });
});

t.test("a variable whose name says that it is secret is in no recording", async (t) => {
  const projectRoot = project(t, { "a.txt": "" });
  const recordFile = join(projectRoot, "record.jsonl");
  const recorded = await createHarness({ recordFile });
  const run = {
    framework: "generic",
    command: "echo PASS $SHOP_TOKEN",
    env: { SHOP_TOKEN: "s3cr3t-0f-the-shop" },
  };
  await recorded.runProjectTests({ projectRoot, ...run });
  await recorded.close();
  const text = readFileSync(recordFile, "utf8");
  t.match(text, /PASS \[REDACTED\]|SHOP_TOKEN/);
  t.notMatch(text, /s3cr3t/);
});

t.test("a test that ends its process is never passed", async (t) => {
  const leaves = 'test("leaves", () => process.exit(0));\n';
  const between =
    "await new Promise((go) => setTimeout(go, 100));\nprocess.removeAllListeners();\nprocess.exit(0);\n";
  for (const text of [`${leaves}test("adds", () => {});`, `test("adds", () => {});\n${between}`]) {
    const { summary } = await harness.runProjectTests({ projectRoot: project(t, suite(text)) });
    t.ok(summary !== null && summary.failed > 0, text);
  }
});

t.test("what a test started and detached has ended before the answer", async (t) => {
  const projectRoot = project(
    t,
    suite(
      'import { spawn } from "node:child_process";\n' +
        'test("detaches", () => spawn("sleep", ["60"], { detached: true, stdio: "ignore" }).unref());',
    ),
  );
  t.match(await harness.runProjectTests({ projectRoot, env }), { summary: { passed: 1, failed: 0 } });
  t.strictSame(await left(), []);
});

t.test("at the time limit the test that runs is stuck, and its processes have ended", async (t) => {
  const projectRoot = project(
    t,
    suite('test("waits", () => new Promise((end) => setTimeout(end, 60_000)));'),
  );
  const answer = await harness.runProjectTests({ projectRoot, env, timeoutMs: 3000 });
  t.match(answer, { summary: { passed: 0, stuck: 1 }, stuck: [{ diagnosis: /time limit/ }] });
  const stacks = answer.stuck!.flatMap(({ threads }) => threads.flatMap(({ stack }) => stack));
  t.match(
    stacks.join("\n"),
    /no function runs: its event loop waits for .*Timeout|timers; a promise that does not/,
  );
  t.strictSame(await left(), []);
});

const deadlock = `import threading, time
a, b = threading.Lock(), threading.Lock()
def take(x, y):
    with x:
        time.sleep(0.2)
        with y: pass
threads = [threading.Thread(target=take, args=each) for each in ((a, b), (b, a))]
[each.start() for each in threads]; [each.join() for each in threads]
`;

t.test("a deadlock is ended long before the time limit, with its diagnosis", async (t) => {
  const projectRoot = project(t, { "dead.py": deadlock });
  const run = { projectRoot, command: "python3 dead.py", timeoutMs: 60_000, env };
  t.match(await harness.runProjectTests(run), {
    summary: { passed: 0, stuck: 1 },
    stuck: [{ diagnosis: /^Deadlock: / }],
  });
  t.strictSame(await left(), []);
});

t.test("a cancelled run leaves nothing", async (t) => {
  const stop = new AbortController();
  const running = harness.runProjectTests({
    projectRoot: project(t, {}),
    command: "setsid sleep 60 & sleep 60",
    env,
  }, { signal: stop.signal });
  while ((await left()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  stop.abort();
  await t.rejects(running, { code: "INTERRUPTED" });
  t.strictSame(await left(), []);
});

t.test("a command that fails without a word of tests has failed; a flood of output is bounded", async (t) => {
  const projectRoot = project(t, {});
  const answer = await harness.runProjectTests({
    projectRoot,
    command: "head -c 30000000 /dev/zero | tr '\\0' x; echo broken >&2; exit 3",
  });
  t.match(answer, { summary: { failed: 1 }, failures: [{ message: /exit code 3[^]*broken/ }] });
  t.ok(statSync(answer.details!).size < 4_000_000);
});

t.test("what cannot be run is one clear error", async (t) => {
  const projectRoot = project(t, { "file": "", "closed": "echo", "package.json": "{" });
  const foreign = new Uint8Array(4096);
  // An ELF file for a machine that there is not.
  foreign.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0xfe, 0xca]);
  writeFileSync(join(projectRoot, "foreign"), foreign, { mode: 0o755 });
  symlinkSync("/nowhere", join(projectRoot, "dangling"));
  t.match(await harness.runProjectTests({ projectRoot }), {
    summary: null,
    no_tests: true,
    hint: /^No tests found: package.json cannot be read/,
  });
  const at = (name: string) => ({ projectRoot: join(projectRoot, name) });
  const refused: [Partial<ProjectTestRun>, { code: string; message: RegExp }][] = [
    [at("none"), { code: "TARGET_NOT_FOUND", message: /there is no folder .*none$/ }],
    [at("file"), { code: "TARGET_NOT_FOUND", message: /file is a file$/ }],
    [at("dangling"), { code: "TARGET_NOT_FOUND", message: /is a link that leads nowhere$/ }],
    [{ framework: "nosuch" }, { code: "INVALID_INPUT", message: /there is no framework nosuch/ }],
    [{ framework: "pytest", command: "true" }, { code: "INVALID_INPUT", message: /pytest takes no command/ }],
    [{ framework: "catch2", command: "./closed" }, { code: "INVALID_INPUT", message: /is not executable/ }],
    [{ command: " " }, { code: "INVALID_INPUT", message: /the command is empty/ }],
    [{ command: "no-such-program" }, { code: "EXEC_FAILED", message: /no-such-program: not found/ }],
    [{ command: "./foreign" }, { code: "EXEC_FAILED", message: /no program that this machine can run/ }],
    [
      { command: "./foreign", framework: "catch2" },
      { code: "EXEC_FAILED", message: /^Cannot run the tests: .\/foreign is no program that this machine/ },
    ],
  ];
  for (const [run, error] of refused) {
    await t.rejects(harness.runProjectTests({ projectRoot, ...run }), error, JSON.stringify(run));
  }
  t.same(
    readdirSync(join(tmpdir(), `pth-tests-${process.getuid!()}`, "runs")).filter(isOwn),
    [],
    "nothing is left",
  );
});

t.test("a command that is given runs, whatever framework the project has", async (t) => {
  const projectRoot = project(t, {
    ...suite('test("adds", () => {});'),
    "test_a.py": "def test_a(): pass",
  });
  t.match(await harness.runProjectTests({ projectRoot, command: "echo PASS another" }), {
    framework: "generic",
    summary: { passed: 1 },
  });
  t.match(await harness.runProjectTests({ projectRoot }), {
    framework: "node:test",
    hint: /^Also found, and not run: pytest \(test_a.py has tests\)/,
  });
});
