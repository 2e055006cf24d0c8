import { mkdir, readdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { PluginPlan } from "../../../../machines/model/plugin.ts";
import { type CoverageAnswer, defineCollector } from "../../../../src/testing/coverage/collector.ts";
import { CoverageRun, startup } from "../../../../src/testing/coverage/coverage_run.ts";
import { fetchedFolder } from "../../../../src/testing/coverage/line_ranges.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { runCommand as runProcess } from "../../../../src/platform/process.ts";
import { localSite } from "./local_site.ts";

const plan: PluginPlan = {
  name: "p",
  source: "p",
  folder: "/plugin",
  server: { type: "stdio", command: ["server"], env: {}, cwd: "/plugin" },
};

/** A run whose processes are the test's: it says what they say. */
async function open(t: Test) {
  const site = await localSite(t);
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
  const run = await CoverageRun.start(site, plan, [fake, impossible, idle]);
  t.teardown(() => run.close());
  const at = (...path: string[]) => join(site.folder, ...path);
  const say = (process: string, cue: number | "end", says: string) =>
    writeFile(
      at("data", `${process}-${cue}.json`),
      JSON.stringify({ kind: "fake", says, ending: cue === "end" }),
    );
  return { run, taken, at, say, site };
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
  await run.read();
  t.strictSame(taken, [
    `loaded: ${startup}`,
    "called: test",
    "late words: undefined",
    `another one loaded: ${startup}`,
    "ended: undefined",
  ]);
  await run.mark();
  t.equal(taken.length, 5, "each is told once");
  await run.close();
});

t.test("a process that dies within a test says its last words in it", async (t) => {
  const { run, taken, say } = await open(t);
  await say("a-1", "end", "crashed");
  await run.mark("test");
  await run.read();
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
  const { run, at, site } = await open(t);
  t.strictSame(run.collectors, ["fake"]);
  await writeFile(at("problems", "a-1"), "TypeError: no inspector\n    at somewhere");
  const { notes } = await run.read();
  t.strictSame(notes, [
    "impossible: there is no such library",
    "An agent failed: TypeError: no inspector",
  ]);
  t.match(run.serverVariables({}), { PTH_COVERAGE: site.folder, MEASURED: "1" });
  await run.close();
  await t.rejects(readdir(at(".")), { code: "ENOENT" }, "nothing is left");
});

t.test("a package's own files are those of its folder", (t) => {
  t.equal(fetchedFolder("npm:@scope/name@1.2.3"), "node_modules/@scope/name");
  t.equal(fetchedFolder("npm:name"), "node_modules/name");
  t.equal(fetchedFolder("/some/npm:folder"), undefined);
  t.end();
});

t.test("whatever a plugin puts in the place of answers is not read, and costs neither time nor a verdict", async (t) => {
  const { run, taken, at, say, site } = await open(t);
  const canary = join(site.top, "canary.json");
  await writeFile(canary, JSON.stringify({ kind: "fake", says: "canary" }));
  await symlink(canary, at("data", "a-1.json"));
  t.equal((await runProcess(["mkfifo", at("data", "b-1.json"), at("problems", "b-1")])).code, 0);
  await symlink("/dev/zero", at("data", "zero-1.json"));
  await mkdir(at("data", "folder-1.json"));
  await writeFile(at("data", "large-1.json"), "{");
  await truncate(at("data", "large-1.json"), 2 ** 30);
  await writeFile(at("data", "broken-1.json"), '{ "kind": "fake", ');
  await writeFile(at("data", "null-1.json"), "null");
  await writeFile(at("data", "odd-1.json"), JSON.stringify({ kind: { of: "fake" } }));
  await writeFile(at("data", "deep-1.json"), "[".repeat(1_000_000));
  await writeFile(at("data", "a name\nof two lines-1.json"), "{}");
  await say("good-1", 1, "true words");
  const started = performance.now();
  await run.mark("test");
  const { notes } = await run.read();
  t.ok(performance.now() - started < 5000, "nobody waits for a FIFO");
  t.strictSame(taken, ["true words: test"]);
  for (
    const what of [
      /none of an agent was not read/,
      /larger than 16 MiB/,
      /no JSON .*broken-1/,
      /is none of an agent .*null-1/,
    ]
  ) {
    t.match(notes.join("\n"), what);
  }
  t.equal(JSON.parse(await readFile(canary, "utf8")).says, "canary");
});

t.test("where the folder is taken away, or all is filled up, the run goes on unmeasured and says so", async (t) => {
  const away = await open(t);
  await runProcess(["rm", "-rf", away.site.folder]);
  await away.run.mark("test");
  t.match(
    (await away.run.read()).notes.join(),
    /not all was measured: .*shell inside the environment: it ended/,
  );

  const full = await open(t);
  for (let index = 0; index < 6; index++) {
    await writeFile(full.at("data", `a${index}-1.json`), "");
    await truncate(full.at("data", `a${index}-1.json`), 2 ** 30);
  }
  await full.run.mark("test");
  await full.run.mark("another test");
  t.match((await full.run.read()).notes.join("\n"), /not all was measured: .*more than \d+ bytes/);
});

t.test("a plugin that ends the shell or holds it up loses what was measured, and nothing more", async (t) => {
  const { run, at } = await open(t);
  await runProcess(["mkfifo", at("cue", "1")]);
  await run.mark("test");
  const { notes } = await run.read();
  t.match(notes.join(), /not all was measured: .*took more than 3 s/);
});
