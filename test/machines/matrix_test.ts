import t, { type Test } from "tap";
import { type AnyActorRef, createActor, createMachine, fromPromise, sendTo, SimulatedClock } from "xstate";
import { matrixMachine } from "../../machines/mod.ts";
import type { ConfirmStep, EntryTestResult, Provisioned } from "../../machines/matrix_machine.ts";
import type { EnvironmentConfig } from "../../machines/model/environment.ts";
import type { IterationOutcome, IterationRun } from "../../machines/model/iteration.ts";
import type { UnsentRequests } from "../../machines/session/session_requests.ts";
import type { MatrixAnswer, MatrixEnd, MatrixEntry, MatrixRun } from "../../machines/model/matrix.ts";

const entry = (name: string): MatrixEntry => ({ name, distro: name });
const summary = { total: 2, passed: 2, failed: 0, skipped: 0, flaky: 0, durationMs: 1 };

/** What a look at a distribution shows: ids of tests that fail, and the fixes that were made for it. */
function look(failing: string[], fixes: string[] = []): EntryTestResult {
  return {
    outcome: {
      state: failing.length === 0 ? "green" : "awaiting_fixes",
      iteration: 1,
      records: [],
      convergence: { trend: "green", progress: [], totals: [], total: 2, stale: 0, reason: "" },
      standing: {
        total: 2,
        passed: 2 - failing.length,
        skipped: 0,
        failing: failing.map((id) => ({ id, name: id })),
      },
      fixes: fixes.map((commit) => ({
        commit,
        title: commit,
        body: "",
        type: "fix",
        tests: [],
        files: [],
        at: "",
      })),
    },
    look: { results: [], summary, groups: [] },
    ms: 1,
  };
}

interface Script {
  /** By distribution, what its next look shows; without one nothing fails. */
  looks?: Record<string, string[][]>;
  /** What fixing leaves failing, with the commits that it makes. */
  mends?: Record<string, { failing: string[]; fixes: string[] }[]>;
  /** Distributions where the plugin does not load, or where no test runs. */
  unloaded?: string[];
  idle?: string[];
  /** Distributions that cannot be had. */
  broken?: string[];
  /** Distribution whose environment is made only when that is cancelled, the first time; `deaf`: not even then. */
  slow?: string;
  deaf?: boolean;
}

interface Asked {
  type: string;
  config?: Partial<EnvironmentConfig>;
  run?: IterationRun;
  id?: string;
  requestId: string;
  replyTo: AnyActorRef;
}

/** The machine below a session that does what the script says; its steps are noted. */
function matrixActor(
  t: Test,
  { looks = {}, mends = {}, unloaded = [], idle = [], broken = [], slow, deaf = false }: Script,
) {
  const steps: string[] = [];
  let waiting: Asked | undefined;
  let cancelled = 0;
  /** The latest result of the loop, which the distribution's results are read from. */
  let latest = look([]);
  const child = matrixMachine.provide({
    actors: {
      configure: fromPromise<Partial<EnvironmentConfig>, { entry: MatrixEntry }>(({ input }) =>
        Promise.resolve({ baseImage: input.entry.name })
      ),
      confirm: fromPromise<Provisioned, ConfirmStep>(({ input }) =>
        input.failure === undefined
          ? Promise.resolve({
            environment: { id: `e${steps.length}`, runtime: "r", image: input.entry.name, os: "" },
            ms: 1,
          })
          : Promise.reject(input.failure)
      ),
      prepare: fromPromise<UnsentRequests["session.iterate"], { run: IterationRun }>(({ input: { run } }) =>
        Promise.resolve({ type: "session.iterate", run } as never)
      ),
      readEntry: fromPromise<EntryTestResult, { outcome: IterationOutcome }>(() => Promise.resolve(latest)),
    },
  });
  const answer = ({ requestId, replyTo }: Asked, result: unknown) =>
    replyTo.send({ type: "request.completed", requestId, result });
  const refuse = ({ requestId, replyTo }: Asked, message: string) =>
    replyTo.send({ type: "request.failed", requestId, error: new Error(message) });
  const test = (name: string) => {
    const seen = look(looks[name]?.shift() ?? []);
    const none = { ...summary, total: 0, passed: 0 };
    const error = { code: "START_FAILED", message: "exited with 1", next: [] };
    if (unloaded.includes(name)) seen.look = { ...seen.look, summary: none, error };
    if (idle.includes(name)) seen.look = { ...seen.look, summary: none };
    return seen;
  };
  const mend = (name: string) => {
    const { failing, fixes } = mends[name]?.shift() ?? { failing: [], fixes: [] };
    return look(failing, fixes);
  };
  const session = (event: Asked) => {
    if (event.type === "session.cancel_request") {
      cancelled++;
      t.equal(event.id, waiting?.requestId);
      if (!deaf) refuse(waiting!, "cancelled");
    } else if (event.type === "session.replace_environment") {
      const name = event.config!.baseImage!;
      steps.push(`provision ${name}`);
      if (name === slow && waiting === undefined) waiting = event;
      else if (broken.includes(name)) refuse(event, "no such image");
      else answer(event, {});
    } else if (event.type === "session.iterate") {
      const { distro, fixes, fixer, distroOnly, scope } = event.run!;
      const fixing = fixes !== undefined || fixer !== undefined;
      const phase = distroOnly === false ? "reverifying" : "verifying";
      steps.push(fixing ? `fixEntry ${distro} ${phase}` : `testEntry ${distro}${scope ? " again" : ""}`);
      latest = fixing ? mend(distro!) : test(distro!);
      answer(event, latest.outcome);
    }
  };
  const phases: string[] = [];
  const clock = new SimulatedClock();
  let heard: (end: MatrixEnd) => void = () => {};
  const parent = createActor(
    createMachine({
      types: {} as {
        events: { type: string; outcome?: MatrixEnd; send?: object; entry?: string; phase?: string };
      },
      invoke: { src: child, id: "matrix" },
      on: {
        "matrix.ended": { actions: ({ event }) => heard(event.outcome!) },
        "matrix.phase": { actions: ({ event }) => phases.push(`${event.entry} ${event.phase}`) },
        "matrix.failed": { actions: () => t.fail("it failed") },
        "session.*": { actions: ({ event }) => session(event as unknown as Asked) },
        tell: { actions: sendTo("matrix", ({ event }) => event.send as never) },
      },
    }),
    { clock },
  );
  parent.start();
  t.teardown(() => parent.stop());
  const ask = (send: object) =>
    new Promise<MatrixEnd>((resolve) => {
      heard = resolve;
      parent.send({ type: "tell", send });
    });
  return {
    steps,
    phases,
    run: (run: Partial<MatrixRun> = {}) =>
      ask({
        type: "matrix.run",
        run: { primary: entry("a"), others: [entry("b"), entry("c")], run: {}, primaryFirst: false, ...run },
        caller: "caller",
      }),
    answer: (answer: MatrixAnswer) => ask({ type: "matrix.answer", answer, caller: "caller" }),
    cancel: () => ask({ type: "matrix.cancel" }),
    clock,
    cancelled: () => cancelled,
  };
}

const states = ({ entries }: MatrixEnd) =>
  Object.fromEntries(entries.map(({ report }) => [report.name, report.state]));

t.test("each distribution is visited once, and the primary one last", async (t) => {
  const { run, steps, phases } = matrixActor(t, {});
  const end = await run();
  t.equal(end.state, "complete");
  t.equal(end.primaryVerified, true);
  t.same(steps, ["provision b", "testEntry b", "provision c", "testEntry c", "provision a", "testEntry a"]);
  t.same(phases, ["b verifying", "c verifying", "a reverifying"]);
  t.same(end.entries.map(({ report }) => report.name), ["a", "b", "c"], "the primary one stands first");
});

t.test("where the primary one is not known to pass it comes first, too", async (t) => {
  const { run, steps } = matrixActor(t, {});
  await run({ primaryFirst: true, others: [entry("b")] });
  t.same(steps.filter((step) => step.startsWith("testEntry")), ["testEntry a", "testEntry b", "testEntry a"]);
});

t.test("a fixer mends where tests fail, and its fixes are tested on those that come after", async (t) => {
  const { run, steps } = matrixActor(t, {
    looks: { b: [["x"]] },
    mends: { b: [{ failing: [], fixes: ["f1"] }] },
  });
  const end = await run({ run: { fixer: "mend" } });
  t.equal(end.state, "complete");
  t.same(steps, [
    "provision b",
    "testEntry b",
    "fixEntry b verifying",
    "provision c",
    "testEntry c",
    "provision a",
    "testEntry a",
  ]);
  t.same(end.fixes.map(({ commit }) => commit), ["f1"]);
  t.match(end.entries.find(({ report }) => report.name === "b"), {
    report: { state: "passed", failedFirst: ["x"], fixes: [{ commit: "f1" }], untestedFixes: 0 },
  });
});

t.test("one that passed before a later fix was made says so", async (t) => {
  const { run } = matrixActor(t, { looks: { c: [["x"]] }, mends: { c: [{ failing: [], fixes: ["f1"] }] } });
  const end = await run({ run: { fixer: "mend" } });
  const untested = Object.fromEntries(end.entries.map(({ report }) => [report.name, report.untestedFixes]));
  t.same(untested, { a: 0, b: 1, c: 0 }, "the primary one was verified again");
});

t.test("a fixer that cannot mend one distribution does not keep the others from being verified", async (t) => {
  const { run, steps } = matrixActor(t, {
    looks: { b: [["x"]] },
    mends: { b: [{ failing: ["x"], fixes: [] }] },
  });
  const end = await run({ run: { fixer: "mend" } });
  t.equal(end.state, "failed");
  t.same(states(end), { a: "passed", b: "failed", c: "passed" });
  t.equal(steps.at(-1), "testEntry a");
});

t.test("without a fixer fixes are awaited; what they do not mend is looked at again, and awaited again", async (t) => {
  const { run, answer, steps } = matrixActor(t, {
    looks: { b: [["x", "y"], ["y"]] },
    mends: { b: [{ failing: ["y"], fixes: ["f1"] }, { failing: [], fixes: ["f2"] }] },
  });
  const first = await run();
  t.equal(first.state, "awaiting_fixes");
  t.equal(first.at, "b");
  t.equal(first.primaryVerified, undefined);
  t.same(states(first), { b: "failed", a: "cancelled", c: "cancelled" }, "those not reached are told");
  t.same(first.awaited?.standing.failing.map(({ id }) => id), ["x", "y"]);
  const fixes = [{ tests: ["x"], title: "t", edits: [] }];
  const second = await answer({ fixes });
  t.equal(second.state, "awaiting_fixes");
  t.equal(steps.at(-1), "testEntry b again");
  const end = await answer({ fixes });
  t.equal(end.state, "complete");
  t.same(end.fixes.map(({ commit }) => commit), ["f1", "f2"]);
  t.same(end.entries.find(({ report }) => report.name === "b")?.report.failedFirst, ["x", "y"]);
});

t.test("what is skipped stays failed, and the verification is not complete", async (t) => {
  const { run, answer } = matrixActor(t, { looks: { b: [["x"]] } });
  await run();
  const end = await answer({ skip: true });
  t.equal(end.state, "failed");
  t.same(states(end), { a: "passed", b: "failed", c: "passed" });
});

t.test("a distribution that cannot be had is told, and the others are verified", async (t) => {
  const { run } = matrixActor(t, { broken: ["b"] });
  const end = await run();
  t.equal(end.state, "failed");
  t.same(states(end), { a: "passed", b: "broken", c: "passed" });
  t.match(end.entries.find(({ report }) => report.name === "b")?.report.error?.message, "no such image");
});

t.test("one where the plugin does not load, or no test ran, has not passed and shows no other's results", async (t) => {
  const { run } = matrixActor(t, { unloaded: ["b"], idle: ["c"] });
  const end = await run();
  t.equal(end.state, "failed");
  t.same(states(end), { a: "passed", b: "broken", c: "failed" });
  const b = end.entries.find(({ report }) => report.name === "b")?.report;
  t.equal(b?.summary, undefined);
  t.match(b?.error, { code: "START_FAILED", message: "exited with 1" });
});

t.test("a fix that harms the primary one is found at the end, and awaits another", async (t) => {
  const { run, answer, steps } = matrixActor(t, {
    looks: { b: [["x"]], a: [["y"]] },
    mends: { b: [{ failing: [], fixes: ["f1"] }] },
  });
  await run();
  const harmed = await answer({ fixes: [{ tests: ["x"], title: "t", edits: [] }] });
  t.equal(harmed.state, "awaiting_fixes");
  t.equal(harmed.at, "a");
  const left = await answer({ skip: true });
  t.equal(left.state, "failed", "complete only when the primary one passes");
  t.equal(left.primaryVerified, false);
  t.equal(steps.at(-1), "testEntry a");
});

t.test("a cancelled one says how far it came and cancels its step; the next begins anew", async (t) => {
  const { run, cancel, cancelled, steps } = matrixActor(t, { slow: "c" });
  const first = run();
  await new Promise((resolve) => setTimeout(resolve, 10));
  t.equal(steps.at(-1), "provision c");
  const end = await cancel();
  t.equal(end.state, "cancelled");
  t.equal(end.at, "c");
  t.equal(cancelled(), 1);
  t.match(states(end), { b: "passed" });
  t.equal(end.primaryVerified, undefined);
  void first; // the cancellation has answered it
  t.equal((await run()).state, "complete");
  t.same(steps.slice(3), [
    "provision b",
    "testEntry b",
    "provision c",
    "testEntry c",
    "provision a",
    "testEntry a",
  ]);
});

t.test("one whose step does not answer its cancel is answered without it", async (t) => {
  const { run, cancel, clock } = matrixActor(t, { slow: "c", deaf: true });
  void run();
  await new Promise((resolve) => setTimeout(resolve, 10));
  const end = cancel();
  clock.increment(4100);
  t.equal((await end).state, "cancelled");
});
