import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { PluginPlan } from "../../../../machines/model/plugin.ts";
import { type CoverageAnswer, defineCollector } from "../../../../src/testing/coverage/collector.ts";
import { CoverageRun, startup } from "../../../../src/testing/coverage/coverage_run.ts";
import { fetchedFolder } from "../../../../src/testing/coverage/fetched_folder.ts";
import { PthError } from "../../../../src/errors.ts";

const plan: PluginPlan = {
  name: "p",
  source: "p",
  folder: "/plugin",
  server: { type: "stdio", command: ["server"], env: {}, cwd: "/plugin" },
};

/** A run whose processes are the test's: it says what they say. */
async function open(t: Test) {
  const host = await mkdtemp(join(tmpdir(), "pth-coverage-run-"));
  t.teardown(() => rm(host, { recursive: true, force: true }));
  const taken: (string | undefined)[] = [];
  const fake = defineCollector({
    name: "fake",
    applies: () => true,
    start: () =>
      Promise.resolve({
        serverVariables: () => ({ MEASURED: "1" }),
        take: (answer: CoverageAnswer, _cue: number, label: string | undefined) =>
          void taken.push(`${answer.says}: ${label}`),
        read: () => Promise.resolve({ files: [], reach: new Map(), notes: [] }),
      }),
  });
  const impossible = defineCollector({
    name: "impossible",
    applies: () => true,
    start: () => Promise.reject(new PthError("UNSUPPORTED", "there is no such library")),
  });
  const idle = defineCollector({ ...impossible, name: "idle", applies: () => false });
  const site = {
    folder: { host: join(host, "data"), inside: "/inside" },
    plugin: { host, inside: "/plugin" },
    source: "/plugin",
    isolated: true,
    exec: () => Promise.reject(new Error("nothing is run here")),
  };
  const run = await CoverageRun.start(site, plan, [fake, impossible, idle]);
  const at = (...path: string[]) => join(host, "data", ...path);
  const say = (process: string, cue: number | "end", says: string) =>
    writeFile(
      at("data", `${process}-${cue}.json`),
      JSON.stringify({ kind: "fake", says, ending: cue === "end" }),
    );
  return { run, taken, at, say };
}

t.test("what a process says at a cue is of the test that the cue ends", async (t) => {
  const { run, taken, at, say } = await open(t);
  await writeFile(at("live", "a-1"), "");
  await say("a-1", 1, "loaded");
  await run.mark(startup);
  await say("a-1", 2, "called");
  await run.mark("test");
  await say("a-1", 3, "late words");
  await say("b-2", 3, "another one loaded");
  await say("c-3", "end", "ended");
  await run.mark(startup);
  t.strictSame(taken, [
    `loaded: ${startup}`,
    "called: test",
    "late words: undefined",
    `another one loaded: ${startup}`,
    "ended: undefined",
  ]);
  t.strictSame(await readdir(at("data")), [], "each is read once");
  t.strictSame(await readdir(at("cue")), ["3"]);
});

t.test("a process that dies within a test says its last words in it", async (t) => {
  const { run, taken, say } = await open(t);
  await say("a-1", "end", "crashed");
  await run.mark("test");
  t.strictSame(taken, ["crashed: test"]);
});

t.test("a process that does not answer is waited for once, and again when it has answered", async (t) => {
  const { run, at, say } = await open(t);
  await writeFile(at("live", "a-1"), "");
  const timed = async () => {
    const started = performance.now();
    await run.mark("test");
    return performance.now() - started;
  };
  t.ok(await timed() >= 900, "the first time");
  t.ok(await timed() < 800, "it is known to be busy");
  await say("a-1", 3, "back again");
  t.ok(await timed() < 800);
  t.ok(await timed() >= 900, "it is listened to again");
});

t.test("what cannot be measured is a note, and so is an agent that failed", async (t) => {
  const { run, at } = await open(t);
  t.strictSame(run.collectors, ["fake"]);
  await writeFile(at("problems", "a-1"), "TypeError: no inspector\n    at somewhere");
  const { notes } = await run.read();
  t.strictSame(notes, [
    "impossible: there is no such library",
    "An agent failed: TypeError: no inspector",
  ]);
  t.match(run.serverVariables({}), { PTH_COVERAGE: "/inside", MEASURED: "1" });
  await run.close();
  await t.rejects(readdir(at(".")), { code: "ENOENT" }, "nothing is left");
});

t.test("a package's own files are those of its folder", (t) => {
  t.equal(fetchedFolder("npm:@scope/name@1.2.3"), "node_modules/@scope/name");
  t.equal(fetchedFolder("npm:name"), "node_modules/name");
  t.equal(fetchedFolder("/some/npm:folder"), undefined);
  t.end();
});
