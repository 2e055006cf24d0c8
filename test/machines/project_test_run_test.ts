/** Paths of a run of a project's own tests; its slots answer as each test says. */
import t from "tap";
import { type AnyActorRef, fromCallback, fromPromise, SimulatedClock } from "xstate";
import { projectTestRunMachine } from "../../machines/mod.ts";
import type {
  PlannedTests,
  PlanTestsInput,
  ProjectTestAnswer,
  ProjectTestRun,
  ReportTestsInput,
  StuckRun,
  TestCommandInput,
} from "../../machines/model/project_test_run.ts";
import type { StuckFact } from "../../machines/model/stuck.ts";
import { parentRef } from "../../machines/parent_ref.ts";
import { answeredTask } from "./task_session.ts";

const deadlock = (certain: boolean) => ({
  kind: "deadlock" as const,
  certain,
  threads: [1, 2],
  cycle: [1, 2],
  detail: "d",
});
const stacks = { threads: [], method: "m", notes: [] };
const never = () => new Promise<never>(() => {});

interface Script {
  open?: () => Promise<void>;
  found?: string[];
  preparation?: string[];
  prepare?: () => Promise<boolean>;
  runs?: string[];
  /** The end of a command, by its word. */
  run?: (word: string, input: TestCommandInput) => Promise<{ unfinished: { name: string }[] }>;
  plan?: (run: ProjectTestRun) => void;
  capture?: () => Promise<Omit<StuckRun, "reason">>;
  clear?: () => Promise<void>;
}

/** Words of what the slots were asked for, in order. */
function scripted(script: Script) {
  const did: string[] = [];
  const reported: ReportTestsInput[] = [];
  let endRun: (() => void) | undefined;
  let plans = 0;
  /** Facts that the detector tells of the first command. */
  let facts: StuckFact[] = [];
  const words = (names: string[] = []) => names.map((word) => ({ argv: [word] }));
  const machine = projectTestRunMachine.provide({
    actors: {
      open: fromPromise(() => script.open?.() ?? Promise.resolve()),
      detect: fromPromise(() =>
        Promise.resolve({
          found: (script.found ?? ["x"]).map((framework) => ({ framework, confidence: 1, reason: "" })),
        })
      ),
      plan: fromPromise<PlannedTests, PlanTestsInput>(({ input }) => {
        did.push(`plan ${input.run.test ?? "all"}`);
        script.plan?.(input.run);
        return Promise.resolve({
          plan: plans++,
          preparation: words(script.preparation),
          runs: words(script.runs ?? ["a"]),
        });
      }),
      prepare: fromPromise(({ input }: { input: TestCommandInput }) => {
        did.push(`prepare ${input.command.argv[0]}`);
        return script.prepare?.() ?? Promise.resolve(true);
      }),
      detector: fromCallback(({ sendBack }) => {
        for (const fact of facts.splice(0)) sendBack(fact);
      }) as never,
      runTests: fromPromise(({ input, self }: { input: TestCommandInput; self: AnyActorRef }) => {
        parentRef({ self }).send({ type: "run.started", pid: 7, deadlineAt: 0 });
        const word = input.command.argv[0]!;
        did.push(`run ${word}${input.suspect === undefined ? "" : ` for ${input.suspect.name}`}`);
        const ended = new Promise<{ unfinished: [] }>((resolve) =>
          endRun = () => resolve({ unfinished: [] })
        );
        return Promise.race([ended, script.run?.(word, input) ?? Promise.resolve({ unfinished: [] })]);
      }),
      capture: fromPromise(() => {
        did.push("capture");
        return script.capture?.() ?? Promise.resolve({ running: [{ name: "slow" }], elapsedMs: 5 });
      }),
      endCommand: fromPromise(() => {
        did.push("end");
        endRun?.();
        return Promise.resolve();
      }),
      report: fromPromise<ProjectTestAnswer, ReportTestsInput>(({ input }) => {
        did.push("report");
        reported.push(input);
        return Promise.resolve({ framework: "x", summary: null });
      }),
      clear: fromPromise(() => {
        did.push("clear");
        return script.clear?.() ?? Promise.resolve();
      }),
    },
  });
  const clock = new SimulatedClock();
  const begin = (run: Partial<ProjectTestRun> = {}) =>
    answeredTask(machine, { run: { projectRoot: "/p", ...run } }, () => undefined, clock);
  return { did, reported, clock, begin, detects: (told: StuckFact[]) => void (facts = told) };
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

t.test("commands are prepared, then run one after the other, and all is cleared before the answer", async (t) => {
  const { did, begin } = scripted({ preparation: ["make"], runs: ["a", "b"] });
  t.match(await begin().ended, { type: "task.completed", result: { framework: "x" } });
  t.strictSame(did, ["plan all", "prepare make", "run a", "run b", "report", "clear"]);
});

t.test("a preparation that failed is reported, and no test runs", async (t) => {
  const { did, begin } = scripted({ preparation: ["make", "more"], prepare: () => Promise.resolve(false) });
  t.match(await begin().ended, { type: "task.completed" });
  t.strictSame(did, ["plan all", "prepare make", "report", "clear"]);
});

t.test("a project that cannot be brought to its place fails, and what was begun is cleared", async (t) => {
  const { did, begin } = scripted({ open: () => Promise.reject(new Error("no install")) });
  t.match(await begin().ended, { type: "task.failed", error: { message: "no install" } });
  t.strictSame(did, ["clear"]);
});

t.test("where no framework fits, only the report is made", async (t) => {
  const { did, begin } = scripted({ found: [] });
  t.match(await begin().ended, { type: "task.completed" });
  t.strictSame(did, ["report", "clear"]);
});

t.test("each of several tests that ran when the process ended runs once more alone, after all commands", async (t) => {
  const { did, begin } = scripted({
    runs: ["a", "b"],
    run: (word, { suspect }) =>
      Promise.resolve({
        unfinished: word === "a" && suspect === undefined ? [{ name: "one" }, { name: "two" }] : [],
      }),
  });
  await begin().ended;
  t.strictSame(did, [
    "plan all",
    "run a",
    "run b",
    "plan one",
    "run a for one",
    "run b for one",
    "plan two",
    "run a for two",
    "run b for two",
    "report",
    "clear",
  ]);
});

t.test("a test that ended its process alone is known, and does not run again", async (t) => {
  const { did, begin } = scripted({ run: () => Promise.resolve({ unfinished: [{ name: "one" }] }) });
  await begin().ended;
  t.strictSame(did, ["plan all", "run a", "report", "clear"]);
});

t.test("a framework that cannot run a single test leaves its suspects as they are", async (t) => {
  const { did, begin } = scripted({
    run: () => Promise.resolve({ unfinished: [{ name: "one" }, { name: "two" }] }),
    plan: ({ test }) => {
      if (test !== undefined) throw new Error("no single tests");
    },
  });
  t.match(await begin().ended, { type: "task.completed" });
  t.strictSame(did, ["plan all", "run a", "plan one", "report", "clear"]);
});

t.test("at the limit the command is looked at while it runs, then ended; no other one starts", async (t) => {
  const { did, reported, clock, begin } = scripted({ runs: ["a", "b"], run: never });
  const task = begin({ level: "unit" });
  await turns();
  clock.increment(29_999);
  await turns();
  t.strictSame(did, ["plan all", "run a"]);
  clock.increment(1);
  t.match(await task.ended, { type: "task.completed" });
  t.strictSame(did, ["plan all", "run a", "capture", "end", "report", "clear"]);
  t.strictSame(reported[0]?.stuck, [{ reason: "limit", running: [{ name: "slow" }], elapsedMs: 5 }]);
});

t.test("a command that is proven stuck is ended at once, with its judgement; the next one runs", async (t) => {
  const { did, reported, begin, detects } = scripted({
    runs: ["a", "b"],
    run: (word) => word === "a" ? never() : Promise.resolve({ unfinished: [] }),
  });
  detects([{ type: "stuck.suspected", judgement: deadlock(false) }, { type: "stuck.cleared" }, {
    type: "stuck.certain",
    judgement: deadlock(true),
    stacks,
  }]);
  t.match(await begin().ended, { type: "task.completed" });
  t.strictSame(did, ["plan all", "run a", "capture", "end", "run b", "report", "clear"]);
  t.match(reported[0]?.stuck, [{ reason: "stuck", judgement: deadlock(true), stacks }]);
});

t.test("what is only suspected is not ended, and told with the limit", async (t) => {
  const { did, reported, clock, begin, detects } = scripted({ run: never });
  detects([{ type: "stuck.suspected", judgement: deadlock(false) }]);
  const task = begin({ timeoutMs: 1000 });
  await turns();
  t.notOk(did.includes("end"));
  clock.increment(1000);
  await task.ended;
  t.match(reported[0]?.stuck, [{ reason: "limit", judgement: deadlock(false) }]);
});

t.test("the reason why a command could not be watched is reported", async (t) => {
  const { reported, begin, detects } = scripted({ run: () => turns().then(() => ({ unfinished: [] })) });
  detects([{ type: "stuck.not_watched", reason: "no Node" }]);
  t.match(await begin().ended, { type: "task.completed" });
  t.match(reported, [{ stuck: [], unwatched: "no Node" }]);
});

t.test("the limit is that of the request, else of its level, else the longest", async (t) => {
  for (
    const [run, limit] of [
      [{ timeoutMs: 700, level: "unit" }, 700],
      [{ level: "integration" }, 120_000],
      [{}, 300_000],
    ] as const
  ) {
    const { did, clock, begin } = scripted({ run: never });
    const task = begin(run);
    await turns();
    clock.increment(limit - 1);
    await turns();
    t.notOk(did.includes("capture"));
    clock.increment(1);
    await task.ended;
    t.ok(did.includes("capture"));
  }
});

t.test("a command that does not end when it should is given up, and cleared", async (t) => {
  const { did, clock, begin } = scripted({ run: never, capture: never });
  const task = begin({ timeoutMs: 10 });
  await turns();
  clock.increment(10);
  await turns();
  clock.increment(20_000);
  t.match(await task.ended, { type: "task.completed" });
  t.strictSame(did, ["plan all", "run a", "capture", "end", "report", "clear"]);
});

t.test("a cancel ends the run wherever it is, and what was started is cleared before it is answered", async (t) => {
  for (const script of [{ run: never }, { preparation: ["make"], prepare: never }]) {
    const { did, begin } = scripted(script);
    const task = begin();
    await turns();
    task.cancel();
    t.match(await task.ended, { type: "task.failed", error: { name: "AbortError" } });
    t.equal(did.at(-1), "clear");
  }
});

t.test("what cannot be cleared is an error, also of tests that passed", async (t) => {
  const failing = scripted({ clear: () => Promise.reject(new Error("left behind")) });
  t.match(await failing.begin().ended, { type: "task.failed", error: { message: "left behind" } });
  const hanging = scripted({ clear: never });
  const task = hanging.begin();
  await turns();
  hanging.clock.increment(30_000);
  t.match(await task.ended, { type: "task.failed", error: { message: /end what the tests started/ } });
});
