// test: timeout=400
/** What else a client asks for while the loop is under way, and the end of the session or of the request in the midst of it. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { IterationRecord } from "../../../machines/model/iteration.ts";
import type { Harness, PublishedEvent } from "../../../src/api/harness.ts";
import { makeRepository, temporaryWorld } from "../../src/session/helpers.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

t.setTimeout(390_000);

const fixture = new URL("../../fixtures/switched_plugin/", import.meta.url);
const names = ["server.mjs", "package.json", "switches.json", ".pth/tests/tools.yaml"];
const files = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, fixture), "utf8")])),
);
const mended = '{ "wrong": [] }\n';
const mend = `printf '%s' '${mended}' > switches.json`;

/** Longest time that an end or a cancellation may take: far less than any fixer here. */
const soonMs = 20_000;

interface World {
  harness: Harness;
  /** Resolves at the first such fact from now on. */
  heard<Type extends PublishedEvent["type"]>(
    type: Type,
    fits?: (fact: Extract<PublishedEvent, { type: Type }>) => boolean,
  ): Promise<Extract<PublishedEvent, { type: Type }>>;
  worktrees: string;
}

/** A session on a repository, with an environment on the host. */
async function world(t: Test): Promise<World> {
  const { folder, worktrees } = await temporaryWorld(t);
  await makeRepository(folder, files);
  const { createHarness } = await import("../../../src/app/create_harness.ts");
  const harness = await createHarness();
  t.teardown(() => harness.close());
  const heard: World["heard"] = (type, fits = () => true) =>
    new Promise((resolve) => {
      const stop = harness.on((fact) => {
        if (fact.type !== type || !fits(fact as never)) return;
        stop();
        resolve(fact as never);
      });
    });
  await harness.startSession({ target: folder }, { mode: "session" });
  await harness.session().environment.provision({ runtime: "host" });
  return { harness, heard, worktrees };
}

const asking = (fact: Extract<PublishedEvent, { type: "step.started" }>) => fact.phase === "fix";

/** Processes whose command line holds the words. */
async function processesWith(words: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(words));
}

async function within<T>(t: Test, what: string, work: Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work;
  const took = performance.now() - started;
  t.ok(took < soonMs, `${what} took ${Math.round(took)} ms`);
  return result;
}

t.test("a session ends while a fixer is at work: the fixer ends, the loop is answered, nothing is left", async (t) => {
  const { harness, heard, worktrees } = await world(t);
  const mark = `3${Date.now() % 100_000}.25`;
  const atWork = heard("step.started", asking);
  const loop = harness.session().loop.run({ generate: false, fixer: `sleep ${mark}`, maxIterations: 3 });
  await atWork;
  const ended = await within(t, "the end", harness.endSession());
  t.match(await loop, { state: "stopped", reason: "cancelled" });
  t.same(ended.leftBehind, []);
  t.same(await processesWith(mark), [], "the fixer is gone");
  t.same(await readdir(worktrees), []);
});

t.test("a session ends while the loop's tests run", async (t) => {
  const { harness, heard } = await world(t);
  const running = heard("test.started");
  const loop = harness.session().loop.run({ generate: false, fixer: mend });
  await running;
  const ended = await within(t, "the end", harness.endSession());
  t.match(await loop, { reason: "cancelled" });
  t.same(ended.leftBehind, []);
  t.equal(ended.notReported, undefined);
});

t.test("a suite that is under way when the session ends is answered as cancelled, and reported", async (t) => {
  const { harness, heard } = await world(t);
  const session = harness.session();
  await session.plugin.load({});
  const running = heard("test.started");
  const suite = session.tests.runSuite({});
  await running;
  const ended = await within(t, "the end", harness.endSession({ report: true }));
  t.match(await suite, { summary: { skipped: /[1-4]/ } });
  t.match(ended.report, "SESSION-REPORT.md");
});

t.test("a load that is under way when the session ends is answered as interrupted", async (t) => {
  const { harness, heard } = await world(t);
  const installing = heard("step.started");
  const load = harness.session().plugin.load({ build: "sleep 60" });
  const answered = t.rejects(load, { code: "INTERRUPTED" });
  await installing;
  await within(t, "the end", harness.endSession());
  await answered;
});

t.test("what a client changes is refused while the loop works; what it asks is answered", async (t) => {
  const { harness, heard } = await world(t);
  const session = harness.session();
  const atWork = heard("step.started", asking);
  const go = join(await temporaryFolder(t), "go");
  const fixer = `until [ -e '${go}' ]; do sleep 0.1; done; ${mend}`;
  const loop = session.loop.run({ generate: false, fixer, maxIterations: 2 });
  await atWork;
  const fix = { tests: [], title: "too", edits: [{ path: "x.txt", content: "x" }] };
  const refused: [string, () => Promise<unknown>][] = [
    ["apply fix", () => session.fixes.apply(fix)],
    ["reload plugin", () => session.plugin.reload()],
    ["load plugin", () => session.plugin.load({})],
    ["destroy environment", () => session.environment.destroy()],
    ["run suite", () => session.tests.runSuite({})],
    ["create test", () => session.tests.create("name: x\ntool: red\nexpect: { output_equals: x }\n")],
    ["keep the recording", () => session.tests.recordCalls.stop()],
    ["iterate", () => session.loop.run({ generate: false })],
  ];
  for (const [action, request] of refused) {
    await t.rejects(request(), {
      code: "NOT_NOW",
      message: `Cannot ${action}: the loop is under way (iteration 1, fixing)`,
    }, action);
  }
  t.equal(session.loop.status().phase, "fixing");
  t.ok((await session.environment.inspect()).state);
  await writeFile(go, "");
  t.match(await loop, { state: "green" }, "the loop was not disturbed");
  await session.fixes.apply(fix);
  await harness.endSession();
});

t.test("a request that is cancelled after a fix leaves a loop that knows that the plugin is behind", async (t) => {
  const { harness, heard } = await world(t);
  const session = harness.session();
  const stop = new AbortController();
  const committed = heard("fix.committed").then(() => stop.abort());
  const first = await within(
    t,
    "cancelling",
    session.loop.run({ generate: false, fixer: mend }, { signal: stop.signal }),
  );
  await committed;
  t.match(first, { state: "stopped", reason: "cancelled" });
  t.match(
    await session.loop.run({ generate: false, fixer: "false" }),
    { state: "green" },
    "the plugin was reloaded first",
  );
  await harness.endSession();
});

t.test("an iteration that is being recorded when it is cancelled is recorded all the same", async (t) => {
  const { harness, heard } = await world(t);
  const session = harness.session();
  const stop = new AbortController();
  void heard("iteration.phase", ({ phase }) => phase === "recording").then(() => stop.abort());
  await session.loop.run({ generate: false, fixer: mend, maxIterations: 5 }, { signal: stop.signal });
  const numbers = (records: IterationRecord[]) => records.map(({ number }) => number);
  t.same(numbers(session.loop.status().records), [1]);
  await session.loop.run({ generate: false });
  t.same(numbers(session.loop.status().records), [1, 2]);
  await harness.endSession();
});

t.test("wherever a run is cancelled, it is answered at once and the next one goes on", async (t) => {
  const { harness, heard } = await world(t);
  const session = harness.session();
  const phases = ["testing", "diagnosing", "fixing", "reloading", "retesting", "recording"] as const;
  for (const cancelledAt of phases) {
    const broken = { path: "switches.json", content: `{ "wrong": ["blue"], "at": "${cancelledAt}" }\n` };
    await session.fixes.apply({ tests: [], title: `break it for ${cancelledAt}`, edits: [broken] });
    const stop = new AbortController();
    void heard("iteration.phase", ({ phase }) => phase === cancelledAt).then(() => stop.abort());
    const request = session.loop.run({ fixer: mend, generate: false }, { signal: stop.signal });
    const cancelled = await within(t, `cancelling while ${cancelledAt}`, request);
    t.match(cancelled, { state: "stopped", reason: "cancelled" });
    t.equal(session.loop.status().phase, "idle");
    const next = await session.loop.run({ fixer: mend, generate: false });
    t.equal(next.state, "green", `after ${cancelledAt}: ${JSON.stringify(next.standing)}`);
  }
  await harness.endSession();
});

t.test("a search for what broke a test is cut short by the session's end, and leaves nothing", async (t) => {
  const { harness, worktrees } = await world(t);
  const session = harness.session();
  await session.plugin.load({});
  await session.fixes.apply({
    tests: [],
    title: "break it",
    edits: [{ path: "switches.json", content: '{ "wrong": ["blue"] }\n' }],
  });
  let begun = () => {};
  const trying = new Promise<void>((resolve) => begun = resolve);
  const search = session.fixes.bisect({ test: "blue says blue" }, {
    onProgress: ({ phase }) => phase === "bisect" && begun(),
  });
  const cutShort = t.rejects(search, { code: "INTERRUPTED" });
  await trying;
  const ended = await within(t, "the end", harness.endSession());
  await cutShort;
  t.same(ended.leftBehind, []);
  t.same(await readdir(worktrees), []);
});
