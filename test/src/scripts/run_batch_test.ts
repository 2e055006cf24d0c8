import { relative, resolve } from "node:path";
import t, { type Test } from "tap";
import { type FileRun, runBatch } from "../../../scripts/testing/run_batch.ts";
import { readDirectives } from "../../../scripts/testing/test_file.ts";

const root = resolve(import.meta.dirname!, "../../..");
const passing = 'import t from "tap";\nt.test("adds", (t) => { t.equal(1 + 1, 2); t.end(); });\n';

/** Runs files of these texts in one process, in this order. */
async function runTexts(
  t: Test,
  texts: Record<string, string>,
  timeoutSeconds = 20,
  shared = true,
): Promise<FileRun[]> {
  const folder = t.testdir(texts);
  const files = Object.entries(texts).map(([name, text]) => ({
    ...readDirectives(relative(root, resolve(folder, name)), text),
    timeoutSeconds,
    shared,
  }));
  const signal = new AbortController().signal;
  return await runBatch(files, { root, platform: "deno", compiled: root, signal, graceSeconds: 2 });
}

const told = ({ failures }: FileRun) => failures.map(({ name }) => name).join("\n");

t.test("files that share a process are counted each by itself", async (t) => {
  const [good, bad, broken, empty, late] = await runTexts(t, {
    "good_test.ts": passing + 't.test("later", { skip: "no engine" }, () => {});\nconsole.error("mine");\n',
    "bad_test.ts":
      'import t from "tap";\nt.test("adds", (t) => { t.equal(1 + 1, 3); t.end(); });\nt.test("more", async () => {});\n',
    "broken_test.ts": 'throw new Error("cannot be read");\n',
    "empty_test.ts": "",
    "late_test.ts": passing,
  });
  t.match(good, {
    passed: 1,
    failed: 0,
    skipped: [{ name: "later", reason: "no engine" }],
    stderr: "mine\n",
  });
  t.match(bad, { passed: 1, failed: 1, stderr: "" });
  t.match(bad!.failures, [{ name: /^adds > should be equal/, details: { at: { lineNumber: 2 } } }]);
  t.match(told(broken!), "cannot be read");
  t.equal(told(empty!), "ran no test");
  t.match(late, { passed: 1, failed: 0, failures: [] });
});

t.test("the root that a file imports is its own: teardowns run with it, folders carry its name", async (t) => {
  const [first, second] = await runTexts(t, {
    "first_test.ts": [
      'import t from "tap";',
      't.teardown(() => console.error("first is done"));',
      "t.beforeEach(() => { (globalThis as { seen?: number }).seen = 1; });",
      "t.jobs = 2;",
      't.test("folder", (t) => { t.match(t.testdir({}), /first_test/); t.end(); });',
    ].join("\n"),
    "second_test.ts": passing +
      't.test("no hook", (t) => { delete (globalThis as { seen?: number }).seen; t.end(); });\n' +
      't.test("of another", (t) => { t.equal((globalThis as { seen?: number }).seen, undefined); t.end(); });\n',
  });
  t.match(first, { failed: 0, passed: 1, stderr: "first is done\n" });
  t.match(second, { failed: 0, passed: 3, stderr: "" });
});

t.test("a file in a process of its own may change what it likes, and end it", async (t) => {
  const texts = (ending: string) => ({ "own_test.ts": `${passing}process.env.PTH_LEFT = "1";\n${ending}` });
  const [good] = await runTexts(t, texts("console.error('mine');\n"), 20, false);
  t.match(good, { passed: 1, failed: 0, stderr: "mine\n" });
  const [late] = await runTexts(
    t,
    texts("process.on('exit', () => { process.exitCode = 4; });\n"),
    20,
    false,
  );
  t.equal(told(late!), "exited with 4 after its tests passed");
});

t.test("what a file leaves changed fails it, and is changed back for the next", async (t) => {
  const [left, next] = await runTexts(t, {
    "left_test.ts":
      `${passing}process.env.PTH_LEFT = "1";\ndelete process.env.PTH_HISTORY_DIR;\nprocess.exitCode = 4;\n`,
    "next_test.ts":
      'import t from "tap";\nt.test("clean", (t) => { t.equal(process.env.PTH_LEFT, undefined); t.end(); });\n',
  });
  t.match(told(left!), /left the variable PTH_LEFT changed: restore it/);
  t.match(told(left!), /left the variable PTH_HISTORY_DIR changed/);
  t.match(told(left!), /left the exit code 4/);
  t.match(next, { passed: 1, failed: 0 });
});

t.test("a file that ends the process is the one that failed, and those behind it run in another", async (t) => {
  const [before, killer, after] = await runTexts(t, {
    "before_test.ts": passing,
    "killer_test.ts":
      'import t from "tap";\nt.test("ends", () => { console.error("here"); process.exit(3); });\n',
    "after_test.ts": passing,
  });
  t.match(before, { passed: 1, failed: 0 });
  t.ok(killer!.failed > 0);
  t.match(killer!.stderr, "here");
  t.match(after, { passed: 1, failed: 0 });
});

t.test("a file that never returns is stopped at its own limit, and those behind it run", async (t) => {
  const [before, endless, waiting, after] = await runTexts(t, {
    "before_test.ts": passing,
    "endless_test.ts": 'import t from "tap";\nt.test("spins", () => { for (;;); });\n',
    "waiting_test.ts":
      'import t from "tap";\nt.test("waits", async () => { await new Promise((done) => setTimeout(done, 60_000)); });\n',
    "after_test.ts": passing,
  }, 2);
  t.match(before, { passed: 1, failed: 0 });
  t.match(told(endless!), /stopped after 4 s/);
  t.match(told(waiting!), /timeout!/);
  t.match(after, { passed: 1, failed: 0 });
});

t.test("what keeps the process alive after the last file is told with all that ran in it", async (t) => {
  const [first, second] = await runTexts(t, {
    "first_test.ts": `${passing}setInterval(() => {}, 1000);\n`,
    "second_test.ts": passing,
  });
  t.match(first, { passed: 1, failed: 0 });
  t.match(second, { passed: 1, failed: 1 });
  t.match(told(second!), /^stopped after 2 s in one process with .*first_test\.ts$/);
});

t.test("an error that comes after the end of its file fails a file", async (t) => {
  const runs = await runTexts(t, {
    "first_test.ts": `${passing}setTimeout(() => { throw new Error("too late"); }, 300);\n`,
    "second_test.ts":
      'import t from "tap";\nt.test("waits", async () => { await new Promise((done) => setTimeout(done, 900)); });\n',
  });
  t.match(runs.map(told).join("\n"), /too late/);
});
