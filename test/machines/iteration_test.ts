import t from "tap";
import { createActor, createMachine, fromPromise } from "xstate";
import { iterationMachine } from "../../machines/mod.ts";
import type {
  IterationDiagnosed,
  IterationFixed,
  IterationReloaded,
  IterationTested,
} from "../../machines/iteration/iteration_state.ts";
import type { FixRequest } from "../../machines/model/fix.ts";
import type {
  IterationOutcome,
  IterationRecord,
  IterationRun,
  TestStatuses,
  TestStatusSummary,
} from "../../machines/model/iteration.ts";
import type {
  FixStep,
  IterationFact,
  RecordStep,
  ReloadStep,
  RunTestsStep,
} from "../../machines/iteration_machine.ts";

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
  fixes?: (step: FixStep) => number;
  loadError?: string;
  /** Retests run what the fix affects alone. */
  byImpact?: boolean;
}

/** The loop with slots that act out a story; `log` tells the steps. */
function loopOf({ standings, fixes = () => 1, loadError, byImpact = false }: World) {
  const log: string[] = [];
  let runs = 0;
  const machine = iterationMachine.provide({
    actors: {
      test: fromPromise<IterationTested, RunTestsStep>(({ input }) => {
        log.push(`${input.phase} ${input.phase === "confirming" ? "all" : input.run.scope ?? "all"}`);
        // Which tests a fix affects is known to the step, and told with its outcome.
        const partial = byImpact && input.phase === "retesting" && input.commits?.length === 1;
        const standing = standings[Math.min(runs++, standings.length - 1)]!;
        const statuses = statusesOf(standing);
        return Promise.resolve({ standing, statuses, ms: 1, ...(partial ? { partial } : {}) });
      }),
      diagnose: fromPromise<IterationDiagnosed, { number: number }>(() => {
        log.push("diagnosing");
        return Promise.resolve({ diagnosis, ms: 1 });
      }),
      fix: fromPromise<IterationFixed, FixStep>(({ input }) => {
        const made = Array.from({ length: fixes(input) }, () => commit);
        log.push(`fixing ${made.length}`);
        return Promise.resolve({ fixes: made, refused: [], ms: 1 });
      }),
      reload: fromPromise<IterationReloaded, ReloadStep>(() => {
        log.push("reloading");
        return Promise.resolve({ newTests: 0, ms: 1, ...(loadError === undefined ? {} : { loadError }) });
      }),
      record: fromPromise<IterationRecord, RecordStep>(({ input: { draft } }) => {
        log.push(`recording ${draft.number}`);
        return Promise.resolve({ ...draft, at: "", health: [] });
      }),
    },
  });
  const facts: Exclude<IterationFact, { type: "iteration.phase" }>[] = [];
  const phases: string[] = [];
  let heard = () => {};
  const parent = createActor(
    createMachine({
      invoke: { src: machine, id: "loop", input: { records: [], last: 0 } },
      on: {
        "*": {
          actions: ({ event }) => {
            const fact = event as unknown as IterationFact;
            if (fact.type === "iteration.phase") return void phases.push(`${fact.iteration} ${fact.phase}`);
            facts.push(fact);
            heard();
          },
        },
      },
    }),
  );
  parent.start();
  return {
    log,
    /** Told to the session, as "1 testing". */
    phases,
    async run(run: IterationRun, now: TestStatusSummary = untested): Promise<IterationOutcome> {
      const answer = new Promise<void>((resolve) => heard = resolve);
      parent.getSnapshot().children["loop"]!.send({
        type: "iteration.run",
        run,
        standing: now,
        statuses: statusesOf(now),
      });
      await answer;
      const fact = facts.at(-1)!;
      if (fact.type === "iteration.failed") throw fact.error;
      return fact.outcome;
    },
  };
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
