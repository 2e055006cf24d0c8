import t from "tap";
import { type AnyActorRef, createActor, createMachine, fromPromise, SimulatedClock } from "xstate";
import { iterationMachine } from "../../machines/mod.ts";
import type { IterationDiagnosed, IterationReloaded } from "../../machines/iteration/iteration_state.ts";
import type {
  ChooseTestsStep,
  ChosenTests,
  IterationFact,
  IterationSummary,
  LoadStepRequest,
  Proposed,
  ProposeStep,
  RecordStep,
  SettleLoadStep,
} from "../../machines/iteration/iteration_setup.ts";
import type { FixRequest } from "../../machines/model/fix.ts";
import type {
  IterationOutcome,
  IterationRun,
  TestStatuses,
  TestStatusSummary,
} from "../../machines/model/iteration.ts";

const total = 4;
const standing = (...failing: string[]): TestStatusSummary => ({
  total,
  passed: total - failing.length,
  skipped: 0,
  failing: failing.map((id) => ({ id, name: id })),
});
const statusesOf = ({ passed, failing }: TestStatusSummary): TestStatuses => {
  const failed = new Set(failing.map(({ id }) => id));
  const rest = passed === 0 ? undefined : "passed" as const;
  return Object.fromEntries(["a", "b", "c", "d"].map((id) => [id, failed.has(id) ? "failed" : rest]));
};
const untested: TestStatusSummary = { total, passed: 0, skipped: 0, failing: [] };
const diagnosis = { groups: [], diagnoses: [] };
const fix: FixRequest = { tests: [], title: "mend it", edits: [{ path: "x", content: "y" }] };
const commit = {
  commit: "c".repeat(40),
  title: "mend it",
  body: "",
  type: "fix",
  tests: [],
  files: ["x"],
  at: "",
};

interface World {
  /** What the runs of the tests come to, one after the other; the last one stays. */
  standings: TestStatusSummary[];
  fixes?: (step: ProposeStep) => number;
  /** Errors of the fixes that are applied, one after the other; undefined: it is committed. */
  refusals?: (Error | undefined)[];
  loadError?: string;
  /** The plugin was never loaded. */
  unloaded?: boolean;
  /** Retests run what the fix affects alone. */
  byImpact?: boolean;
  /** Requests that the session answers only when they are cancelled, or never where `deaf` is true. */
  slow?: string;
  deaf?: boolean;
}

interface Asked {
  type: string;
  kind?: string;
  id?: string;
  requestId: string;
  replyTo: AnyActorRef;
}

type TestedFact = Exclude<IterationFact, { type: "iteration.phase" }>;

/** The loop with slots, and a session above it, that act out a story; `log` tells the steps. */
function loopOf(
  { standings, fixes = () => 1, refusals = [], loadError, unloaded, byImpact = false, slow, deaf }: World,
) {
  const log: string[] = [];
  let runs = 0;
  let made = 0;
  const machine = iterationMachine.provide({
    actors: {
      inspect: fromPromise<LoadStepRequest | undefined, { run: IterationRun; changed: boolean }>((
        { input },
      ) =>
        Promise.resolve(
          input.changed
            ? { type: "session.reload_plugin" }
            : unloaded
            ? { type: "session.load_plugin" }
            : undefined,
        )
      ),
      settleLoad: fromPromise<IterationReloaded, SettleLoadStep>(({ input }) =>
        Promise.resolve({
          newTests: 0,
          ms: 1,
          ...(input.failure === undefined ? {} : { loadError: (input.failure as Error).message }),
        })
      ),
      chooseTests: fromPromise<ChosenTests, ChooseTestsStep>(({ input }) => {
        log.push(`${input.phase} ${input.phase === "confirming" ? "all" : input.run.scope ?? "all"}`);
        // Which tests a fix affects is known to the step, and told with its outcome.
        const partial = byImpact && input.phase === "retesting" && input.commits.length === 1;
        return Promise.resolve({ suite: {}, partial });
      }),
      readStatus: fromPromise(() => {
        const standing = standings[Math.min(runs++, standings.length - 1)]!;
        return Promise.resolve({ standing, statuses: statusesOf(standing), ms: 1 });
      }),
      diagnose: fromPromise<IterationDiagnosed, void>(() => {
        log.push("diagnosing");
        return Promise.resolve({ diagnosis, ms: 1 });
      }),
      propose: fromPromise<Proposed, ProposeStep>(({ input }) => {
        const { index } = input;
        if (index === 0) made = fixes(input);
        if (index < made) return Promise.resolve({ proposal: { ...fix, title: `fix ${index}` }, ms: 0 });
        log.push(`fixing ${made}`);
        return Promise.resolve({ ms: 1 });
      }),
      summarize: fromPromise<IterationSummary, RecordStep>(({ input: { draft } }) => {
        log.push(`recording ${draft.number}`);
        return Promise.resolve({ record: { ...draft, at: "", health: [] }, checkpoint: {} as never });
      }),
    },
  });
  /** Requests of the steps, as the session gets them. */
  const asked: string[] = [];
  let waiting: Asked | undefined;
  const answer = ({ requestId, replyTo }: Asked, result: unknown) =>
    replyTo.send({ type: "request.completed", requestId, result });
  const refuse = ({ requestId, replyTo }: Asked, error: Error) =>
    replyTo.send({ type: "request.failed", requestId, error });
  const session = (event: Asked) => {
    if (event.type === "session.expect_answer") return;
    if (event.type === "session.cancel_request") {
      asked.push(`cancel ${waiting?.requestId === event.id ? "it" : event.id}`);
      if (waiting !== undefined && !deaf) refuse(waiting, new Error("cancelled"));
      return;
    }
    const what = event.kind ?? event.type;
    asked.push(what);
    if (what === "session.reload_plugin") log.push("reloading");
    if (what === slow) return void (waiting = event);
    if (what === "session.reload_plugin" && loadError !== undefined) {
      return refuse(event, new Error(loadError));
    }
    if (what === "session.load_plugin") return answer(event, { tools: [] });
    if (what !== "session.apply_fix") return answer(event, {});
    const refusal = refusals.shift();
    if (refusal === undefined) answer(event, { fix: commit });
    else refuse(event, refusal);
  };
  const facts: TestedFact[] = [];
  const phases: string[] = [];
  let heard = () => {};
  const clock = new SimulatedClock();
  const parent = createActor(
    createMachine({
      invoke: { src: machine, id: "loop", input: { records: [], last: 0 } },
      on: {
        "*": {
          actions: ({ event }) => {
            if (event.type.startsWith("session.")) return session(event as unknown as Asked);
            const fact = event as unknown as IterationFact;
            if (fact.type === "iteration.phase") return void phases.push(`${fact.iteration} ${fact.phase}`);
            facts.push(fact);
            if (fact.type === "iteration.ended" || fact.type === "iteration.failed") heard();
          },
        },
      },
    }),
    { clock },
  );
  parent.start();
  const loop = () => parent.getSnapshot().children["loop"]! as AnyActorRef;
  return {
    log,
    asked,
    clock,
    /** Told to the session, as "1 testing". */
    phases,
    /** What else the session was told, by its type. */
    told: <Type extends TestedFact["type"]>(type: Type) =>
      facts.filter((fact): fact is Extract<TestedFact, { type: Type }> => fact.type === type),
    state: () => (loop().getSnapshot() as { value: unknown }).value,
    save: () => answer(waiting!, {}),
    cancel: () => loop().send({ type: "iteration.cancel" }),
    async run(run: IterationRun, now: TestStatusSummary = untested): Promise<IterationOutcome> {
      const answer = new Promise<void>((resolve) => heard = resolve);
      loop().send({ type: "iteration.run", run, standing: now, statuses: statusesOf(now), caller: "caller" });
      await answer;
      const fact = facts.at(-1)!;
      if (fact.type === "iteration.failed") throw fact.error;
      if (fact.type !== "iteration.ended") throw new Error(`told ${fact.type} last`);
      return fact.outcome;
    },
  };
}

/** Waits until the loop has asked for this. */
async function until(asked: readonly string[], what: string): Promise<void> {
  while (!asked.includes(what)) await new Promise((resolve) => setTimeout(resolve, 1));
}

t.test("without fixes and fixer an iteration ends with the diagnosis, and fixes go on from there", async (t) => {
  const loop = loopOf({ standings: [standing("a"), standing()] });
  const awaiting = await loop.run({});
  t.equal(awaiting.state, "awaiting_fixes");
  t.same(awaiting.diagnosis, diagnosis);
  t.same(awaiting.records, []);
  const outcome = await loop.run({ fixes: [fix] }, awaiting.standing);
  t.equal(outcome.state, "green");
  t.equal(outcome.iteration, 1);
  t.same(outcome.records[0]?.mended, ["a"]);
  t.same(loop.log, [
    "testing all",
    "diagnosing",
    "fixing 1",
    "reloading",
    "retesting all",
    "recording 1",
  ]);
  t.same(loop.phases, [
    "1 testing",
    "1 diagnosing",
    "1 fixing",
    "1 reloading",
    "1 retesting",
    "1 recording",
  ]);
});

t.test("fixes for a plugin that was never tested are applied after a first test", async (t) => {
  const loop = loopOf({ standings: [standing("a", "b"), standing("a")] });
  const outcome = await loop.run({ fixes: [fix] });
  t.equal(outcome.state, "stopped");
  t.equal(outcome.reason, "max_iterations");
  t.same(loop.log.slice(0, 2), ["testing all", "fixing 1"]);
  t.same(outcome.records[0]?.before.failing.length, 2);
});

t.test("the loop stops when green, without testing again what was just tested", async (t) => {
  const loop = loopOf({ standings: [standing("a", "b"), standing("a"), standing()] });
  const outcome = await loop.run({ fixer: "mend", maxIterations: 10 });
  t.equal(outcome.state, "green");
  t.equal(outcome.records.length, 2);
  t.equal(outcome.fixes.length, 2);
  t.equal(loop.log.filter((step) => step.startsWith("testing")).length, 1);
});

t.test("the loop gives up after three iterations without progress, or as many as asked", async (t) => {
  const stuck = () => loopOf({ standings: [standing("a")] });
  const outcome = await stuck().run({ fixer: "mend", maxIterations: 10 });
  t.equal(outcome.reason, "no_progress");
  t.equal(outcome.records.length, 3);
  t.equal(outcome.convergence.trend, "plateau");
  const patient = await stuck().run({ fixer: "mend", maxIterations: 10, patience: 5 });
  t.equal(patient.records.length, 5);
  const short = await stuck().run({ fixer: "mend", maxIterations: 2 });
  t.equal(short.reason, "max_iterations");
});

t.test("a new run has patience again", async (t) => {
  const loop = loopOf({ standings: [standing("a")] });
  await loop.run({ fixer: "mend", maxIterations: 10 });
  const again = await loop.run({ fixer: "mend", maxIterations: 10 });
  t.equal(again.records.length, 3);
  t.equal(again.iteration, 6);
});

t.test("with a part of the tests green, all run once more before the loop says so", async (t) => {
  const loop = loopOf({ standings: [standing("a"), standing(), standing("b"), standing()] });
  const outcome = await loop.run({ fixer: "mend", maxIterations: 5, scope: "failing" });
  t.equal(outcome.state, "green");
  t.same(
    loop.log.filter((step) => /test|confirm/.test(step)),
    [
      "testing failing",
      "retesting failing",
      "confirming all",
      "retesting failing",
    ].concat("confirming all"),
  );
  t.same(outcome.records[0]?.broken, ["b"]);
});

t.test("what a fix affects is retested, and all run once more before the loop says green", async (t) => {
  const loop = loopOf({ standings: [standing("a", "b"), standing("b"), standing()], byImpact: true });
  const outcome = await loop.run({ fixer: "mend", maxIterations: 5 });
  t.equal(outcome.state, "green");
  t.same(
    loop.log.filter((step) => /test|confirm/.test(step)),
    ["testing all", "retesting all", "retesting all", "confirming all"],
    "one that still fails confirms nothing",
  );
});

t.test("when no fix is made nothing is reloaded, and the iteration counts as one without progress", async (t) => {
  const loop = loopOf({ standings: [standing("a")], fixes: () => 0 });
  const outcome = await loop.run({ fixer: "mend", maxIterations: 10 });
  t.equal(outcome.reason, "no_progress");
  t.notOk(loop.log.includes("reloading"));
});

t.test("a plugin that does not load with the fixes is not tested, and that is its standing", async (t) => {
  const loop = loopOf({ standings: [standing("a")], loadError: "Cannot build plugin" });
  const outcome = await loop.run({ fixer: "mend" });
  t.equal(outcome.standing.loadError, "Cannot build plugin");
  t.equal(outcome.convergence.trend, "regressing");
  t.notOk(loop.log.some((step) => step.startsWith("retesting")));
});

t.test("a step that cannot do its work fails the request, and the next one begins anew", async (t) => {
  let broken = true;
  const loop = loopOf({
    standings: [standing("a"), standing()],
    fixes: () => {
      if (broken) throw new Error("no disk");
      return 1;
    },
  });
  await t.rejects(loop.run({ fixer: "mend" }), { message: "no disk" });
  broken = false;
  const outcome = await loop.run({ fixer: "mend" });
  t.equal(outcome.state, "green");
});

t.test("a fix that is refused is told, and the next one is applied", async (t) => {
  const edit = Object.assign(new Error("it does not apply"), { code: "EDIT_FAILED" });
  const loop = loopOf({ standings: [standing("a"), standing()], fixes: () => 2, refusals: [edit] });
  const outcome = await loop.run({ fixer: "mend" });
  t.equal(outcome.state, "green");
  t.same(outcome.records[0]?.refused, [{ title: "fix 0", reason: "it does not apply" }]);
  t.same(outcome.fixes, [commit]);
  t.same(loop.told("fix.refused"), [
    { type: "fix.refused", iteration: 1, title: "fix 0", reason: "it does not apply" },
  ]);
  t.same(loop.told("fix.committed"), [{ type: "fix.committed", iteration: 1, fix: commit }]);
  t.match(loop.told("iteration.recorded"), [{ record: { number: 1 }, convergence: { trend: "green" } }]);
  t.equal(loop.told("iteration.reloaded").length, 1);
});

t.test("an error that says that no fix can be made now fails the request", async (t) => {
  const full = Object.assign(new Error("no disk"), { code: "COMMIT_FAILED" });
  const loop = loopOf({ standings: [standing("a")], fixes: () => 2, refusals: [full] });
  await t.rejects(loop.run({ fixer: "mend" }), { message: "no disk" });
  t.equal(loop.asked.filter((what) => what === "session.apply_fix").length, 1);
});

t.test("a plugin that was never loaded is loaded first, which is not told as a reload", async (t) => {
  const loop = loopOf({ standings: [standing()], unloaded: true });
  t.match(await loop.run({}), { state: "green" });
  t.same(loop.asked.slice(0, 2), ["session.load_plugin", "session.run_tests"]);
  t.same(loop.told("iteration.reloaded"), []);
});

t.test("each request to the session is a step; snapshots are dropped once all tests pass", async (t) => {
  const loop = loopOf({ standings: [standing("a", "b"), standing("a"), standing()] });
  await loop.run({ fixer: "mend", maxIterations: 2 });
  const turn = ["session.apply_fix", "session.reload_plugin", "session.run_tests"];
  t.same(loop.asked, [
    "session.run_tests",
    ...turn,
    "checkpoint",
    ...turn,
    "drop_fix_snapshots",
    "checkpoint",
  ]);
});

for (const slow of ["session.run_tests", "session.apply_fix", "session.reload_plugin"]) {
  t.test(`a cancel goes to ${slow}, whose answer the run waits for`, async (t) => {
    const loop = loopOf({ standings: [standing("a")], slow });
    const run = loop.run({ fixer: "mend" });
    await until(loop.asked, slow);
    loop.cancel();
    t.match(await run, { state: "stopped", reason: "cancelled" });
    t.equal(loop.asked.at(-1), "cancel it");
    t.equal(loop.state(), "idle");
  });
}

t.test("a run whose step does not answer its cancel is answered without it", async (t) => {
  const loop = loopOf({ standings: [standing("a")], slow: "session.reload_plugin", deaf: true });
  const run = loop.run({ fixer: "mend" });
  await until(loop.asked, "session.reload_plugin");
  loop.cancel();
  loop.clock.increment(2900);
  t.match(loop.state(), { working: { reloading: "loading" } });
  loop.clock.increment(200);
  t.match(await run, { state: "stopped", reason: "cancelled", fixes: [commit] }, "its fix is told");
  t.equal(loop.told("iteration.ended").length, 1);
});

t.test("a cancel that comes again does not reach into the next run", async (t) => {
  const loop = loopOf({ standings: [standing("a")], slow: "session.reload_plugin", deaf: true });
  const first = loop.run({ fixer: "mend" });
  await until(loop.asked, "session.reload_plugin");
  loop.cancel();
  loop.clock.increment(1000);
  loop.cancel();
  t.equal(loop.asked.filter((what) => what === "cancel it").length, 1);
  loop.clock.increment(2100);
  t.match(await first, { reason: "cancelled" });
  loop.asked.length = 0;
  const second = loop.run({ fixer: "mend" });
  await until(loop.asked, "session.reload_plugin");
  loop.clock.increment(2000);
  t.match(loop.state(), { working: { reloading: "loading" } }, "no limit is left of the first");
  loop.save();
  t.match(await second, { reason: "max_iterations" });
});

t.test("a cancel while an iteration is recorded waits until it is saved", async (t) => {
  const loop = loopOf({ standings: [standing("a")], slow: "checkpoint", deaf: true });
  const run = loop.run({ fixer: "mend", maxIterations: 5 });
  await until(loop.asked, "checkpoint");
  loop.cancel();
  loop.clock.increment(60_000);
  t.match(loop.state(), { working: { recording: "checkpointing" } });
  loop.save();
  const { reason, records } = await run;
  t.equal(reason, "cancelled");
  t.same(records.map(({ number }) => number), [1]);
  t.notOk(loop.asked.some((what) => what.startsWith("cancel")));
});
