/** The machines with every slot filled by the world of a walk, and plain data to walk with. */
import { type AnyEventObject, fromCallback } from "xstate";
import * as machines from "../../../machines/mod.ts";
import type { HangInspectionInput } from "../../../machines/hang_inspection_machine.ts";
import type { HangInspection } from "../../../machines/model/stuck.ts";
import type { CallInput, StepInput } from "../../../machines/connection_machine.ts";
import type { Operation } from "../../../machines/environment_machine.ts";
import { testOf } from "../../src/testing/observed.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

export const plan = {
  name: "p",
  source: "p",
  folder: "/work/plugin",
  server: { type: "stdio", command: ["x"], env: {}, cwd: "/" },
};
const opened = { server: { name: "s", version: "1" }, pid: 7, tools: [] };
const loss = { reason: "exited", exitCode: 1, signal: null, stderrTail: "", message: "it ended" };
const verdict = { status: "passed", findings: [] };
const failed = { status: "failed", category: "wrong-output", message: "no", findings: [] };
export const environmentInfo = {
  handle: { environmentId: "e" },
  state: {},
  mount: {},
  reason: "",
  config: {},
};
const outcomeOf = (random: Random) => ({
  kind: "result",
  text: "",
  isError: random.chance(0.2),
  violations: [],
  durationMs: 1,
  raw: {},
});
const judged = (random: Random) => random.chance(0.3) ? failed : verdict;

/** Its sampler mostly says what it said before, fails now and then, and some samples never come. */
export const hangInspectionFake = (world: World) =>
  machines.hangInspectionMachine.provide({
    actors: {
      sample: fromCallback<AnyEventObject, HangInspectionInput>(({ sendBack, receive }) => {
        let inspection: HangInspection = { kind: "working", says: "not hung: it works", threads: [] };
        receive(() => {
          const { random } = world;
          if (random.chance(0.05)) return sendBack({ type: "hang.not_sampled", reason: "r" });
          if (random.chance(0.4)) {
            const kind = random.pick(["deadlock", "infinite_loop", "waiting", "working", "gone"] as const);
            inspection = { kind, says: kind, threads: [], ...(kind === "deadlock" ? { certain: true } : {}) };
          }
          if (!random.chance(0.05)) sendBack({ type: "hang.sampled", inspection });
        });
      }),
      captureStacks: world.slot("capture hang stacks", ({ inspection }: { inspection: HangInspection }) =>
        inspection, {
        hangs: 0.1,
      }),
    },
  });

export function connectionFake(world: World) {
  const broke = (callId: string) => ({ type: "call.failed", callId, error: new Error("fake call failed") });
  const progress = (callId: string) => ({ type: "call.progressed", callId });
  return machines.connectionMachine.provide({
    actors: {
      open: world.slot("open", () => opened),
      inspect: hangInspectionFake(world),
      explainOpening: world.slot("explain opening", ({ error }: { error: unknown }) => error, { hangs: 0.1 }),
      watch: world.slot("watch", () => loss, { fails: 0.05, hangs: 0.7 }),
      call: world.channel(
        "call",
        ({ callId }: CallInput, random) =>
          random.chance(0.2)
            ? progress(callId)
            : random.chance(0.2)
            ? broke(callId)
            : { type: "call.completed", callId, outcome: outcomeOf(random) },
        { fails: 0.03, hangs: 0.1 },
      ),
      perform: world.channel(
        "step",
        ({ callId, step }: StepInput, random) =>
          random.chance(0.2) ? progress(callId) : random.chance(0.2) ? broke(callId) : {
            type: "step.performed",
            callId,
            seen: {
              action: step.action,
              outcome: outcomeOf(random),
              unscripted: [],
              unused: { elicitation: 0, sampling: 0 },
            },
          },
        { fails: 0.03, hangs: 0.1 },
      ),
      close: world.slot("close", () => ({ how: "stdin-eof", waitedMs: 1, exitCode: 0, orphans: [] }), {
        hangs: 0.1,
      }),
    },
  });
}

export const poolFake = (world: World) =>
  machines.poolMachine.provide({ actors: { connection: connectionFake(world) } });

export const pluginFake = (world: World) =>
  machines.pluginMachine.provide({
    actors: {
      plan: world.slot("plan", () => plan),
      install: world.slot("install", () => plan),
      build: world.slot("build", () => plan),
      pool: poolFake(world),
    },
  });

export const dependenciesFake = (world: World) =>
  machines.dependenciesMachine.provide({ actors: { plugin: pluginFake(world) } });

/** @param info Of an environment that was provisioned */
export const environmentFake = (world: World, info: (random: Random) => object = () => environmentInfo) =>
  machines.environmentMachine.provide({
    actors: {
      provision: world.slot(
        "provision",
        (_input, random) => ({ environment: info(random), tierAsked: false }),
      ),
      perform: world.channel(
        "operation",
        ({ operation }: { operation: Operation }, random) =>
          random.chance(0.2)
            ? { type: "operation.failed", requestId: operation.requestId, error: new Error("no") }
            : { type: "operation.completed", requestId: operation.requestId, output: 1 },
        {
          fails: 0.05,
          hangs: 0.1,
        },
      ),
      snapshot: world.slot("snapshot", () => "snapshot", { hangs: 0.1 }),
      rollback: world.slot(
        "rollback",
        (_input, random) => info(random),
        { hangs: 0.1 },
      ),
      destroy: world.slot("destroy", () => undefined, { hangs: 0.1 }),
    },
  });

export const testFake = (world: World) =>
  machines.testMachine.provide({
    actors: {
      check: world.slot("check", (_input, random) => judged(random)),
      endRetained: world.slot("end retained", () => undefined, { hangs: 0.1 }),
      prepare: world.slot("prepare", () => undefined, { hangs: 0.1 }),
      verify: world.slot("verify", () => []),
      judgeStep: world.slot("judge step", ({ seen }: { seen: object }, random) => ({
        ...seen,
        commands: [],
        captured: {},
        verdict: judged(random),
      })),
      ping: world.slot("ping", (_input, random) => random.chance(0.5)),
      captureStacks: world.slot("capture server stacks", ({ inspection }: { inspection: unknown }) =>
        inspection),
      inspect: hangInspectionFake(world),
      judge: world.slot("judge", (_input, random) =>
        judged(random), { hangs: 0.05 }),
      cleanUp: world.slot("clean up", (_input, random) => random.chance(0.2) ? "no" : undefined, {
        hangs: 0.1,
      }),
    },
  });

export const orderFake = (world: World) =>
  machines.orderMachine.provide({ actors: { test: testFake(world) } });

export const suiteFake = (world: World) =>
  machines.suiteMachine.provide({
    actors: {
      test: testFake(world),
      promptTest: promptTestFake(world),
      order: orderFake(world),
      measurePace: world.slot(
        "measure pace",
        (_input, random) => ({ elapsedMs: 100, ownMs: random.below(100) }),
      ),
    },
  });

export const promptTestFake = (world: World) =>
  machines.promptTestMachine.provide({
    actors: {
      session: agentSessionFake(world),
      prepare: world.slot("prepare", () => undefined, { hangs: 0.1 }),
      verify: world.slot("verify", () => [], { hangs: 0.1 }),
      judge: world.slot("judge", (_input, random) => judged(random), { hangs: 0.05 }),
      cleanUp: world.slot("clean up", () => undefined, { hangs: 0.1 }),
    },
  });

export const agentRunFake = (world: World) =>
  machines.agentRunMachine.provide({
    actors: {
      prepare: world.slot("prepare", () => undefined, { hangs: 0.1 }),
      verify: world.slot("verify", () => [], { hangs: 0.1 }),
      judge: world.slot("judge", (_input, random) => judged(random)),
      cleanUp: world.slot("clean up", () => undefined, { hangs: 0.1 }),
    },
  });

export const callFake = (world: World) =>
  machines.callMachine.provide({
    actors: {
      explainLoss: world.slot("explain loss", () => new Error("lost"), { hangs: 0.1 }),
      explainSilence: world.slot("explain silence", (_input, random) => ({
        error: new Error("silent"),
        hangs: random.chance(0.5),
      }), { hangs: 0.1 }),
      inspect: hangInspectionFake(world),
    },
  });

export const performanceFake = (world: World) =>
  machines.performanceMachine.provide({
    actors: {
      prepare: world.slot("plan", (_input, random) => ({
        tools: Array.from(
          { length: random.below(3) },
          (_, at) => ({ tool: `t${at}`, inputs: [{}], calls: 1 }),
        ),
        unmeasured: [],
      })),
      measure: world.slot("measure", ({ planned }: { planned: { tool: string } }, random) =>
        random.chance(0.3)
          ? { tool: planned.tool, reason: "refused" }
          : { tool: planned.tool, input: {}, measured: { responseMs: {} }, notes: [] }),
      assess: world.slot("assess", () => ({})),
    },
  });

/** Of each kind of work: what a check of a revert answers fits all. */
export const workFake = (world: World) =>
  world.channel(
    "work",
    (_input, random) =>
      random.chance(0.2) ? { type: "work.failed", error: new Error("no") } : {
        type: "work.completed",
        output: {
          commit: "c",
          type: "fix",
          ...(random.chance(0.5) ? { snapshot: "s" } : {}),
          lostSnapshot: false,
        },
      },
    { fails: 0.05 },
  );

export const loadFake = (world: World) =>
  machines.loadMachine.provide({
    actors: {
      observe: world.slot("observe"),
      prepare: world.slot("prepare load"),
      // Whoever is asked seldom has an answer that helps.
      askConfig: world.slot("ask config", () => ["A"], { fails: 0.7 }),
      settle: world.slot("settle", () => ({ plugin: { ...opened, plan } })),
      readFailure: world.slot("read failure", () => ({
        error: new Error("told"),
        failure: new Error("noted"),
      })),
    },
  });

export const fixFake = (world: World) =>
  machines.fixMachine.provide({ actors: { summarize: world.slot("summarize", () => ({})) } });

export const resumeFake = (world: World) =>
  machines.resumeMachine.provide({ actors: { generate: world.slot("generate") } });

export const closeFake = (world: World) =>
  machines.closeMachine.provide({ actors: { gather: world.slot("gather export", () => ({})) } });

/** Finds a framework mostly; commands end, crash, or hang until their limit. */
export const projectTestRunFake = (world: World) => {
  const plan = () => ({
    plan: 0,
    preparation: [{ argv: ["make"] }],
    runs: [{ argv: ["a"] }, { argv: ["b"] }],
  });
  return machines.projectTestRunMachine.provide({
    actors: {
      open: world.slot("open project", undefined, { hangs: 0.1 }),
      detect: world.slot(
        "detect framework",
        (_input, random) => ({
          found: random.chance(0.8) ? [{ framework: "x", confidence: 1, reason: "" }] : [],
        }),
        { hangs: 0.1 },
      ),
      plan: world.slot("plan tests", plan, { hangs: 0.1 }),
      prepare: world.slot("prepare tests", (_input, random) => random.chance(0.8), { hangs: 0.1 }),
      runTests: world.slot(
        "run tests",
        (_input, random) => ({ unfinished: random.chance(0.4) ? [{ name: "a" }, { name: "b" }] : [] }),
        { hangs: 0.2 },
      ),
      capture: world.slot("capture stuck tests", () => ({ running: [], elapsedMs: 1 }), { hangs: 0.2 }),
      endCommand: world.slot("end tests", undefined, { hangs: 0.2 }),
      report: world.slot("report tests", () => ({ framework: "x", summary: null }), { hangs: 0.1 }),
      clear: world.slot("clear tests", undefined, { hangs: 0.1 }),
    },
  });
};

export const hookRunFake = (world: World) =>
  machines.hookRunMachine.provide({
    actors: {
      prepare: world.slot("prepare hooks", () => ({ before: {} }), { hangs: 0.1 }),
      work: world.slot("run hooks", () => ({ payload: {}, runs: [] }), { hangs: 0.1 }),
      collect: world.slot("collect changes", () => [], { hangs: 0.1 }),
    },
  });

/** Its model and its agent tell events for as long as they live. */
export const agentSessionFake = (world: World) => {
  const request = { requestId: "1", lanes: [], holds: [], summary: "a request" };
  return machines.agentSessionMachine.provide({
    actors: {
      serve: world.channel("serve model", (_input, random) =>
        random.pick([
          { type: "model.listening", url: "http://127.0.0.1:1" },
          { type: "model.requested", request },
          { type: "model.requested", request },
          { type: "model.used", usage: random.chance(0.1) ? undefined : { input_tokens: 10 } },
          { type: "model.contradicted", message: "no" },
          { type: random.chance(0.1) ? "model.broke" : "model.contradicted", message: "no" },
          { type: random.chance(0.1) ? "model.failed" : "model.spawned", spawn: { type: "t", prompt: "p" } },
        ])),
      setUp: world.slot("set up project", () => undefined, { hangs: 0.1 }),
      prepare: world.slot("prepare agent", () => ({ version: "1" }), { hangs: 0.1 }),
      work: world.channel(
        "run agent",
        (_input, random) =>
          random.chance(0.3)
            ? { type: "agent.ended", exit: { code: 0, signal: null, stderr: "" } }
            : random.chance(0.2)
            ? { type: "agent.failed", error: new Error("no") }
            : random.pick([
              { type: "agent.concluded" },
              { type: "agent.asked", dialog: { kind: "login", words: "Log in:" } },
              { type: "agent.went_on" },
            ]),
        { hangs: 0.3 },
      ),
      inspect: hangInspectionFake(world),
      collect: world.slot("collect trace", () => ({ trace: { timeline: [], changes: [] }, drift: [] }), {
        hangs: 0.1,
      }),
      check: world.slot("check project", () => ({ c: { code: 0, stdout: "", stderr: "" } }), { hangs: 0.1 }),
      tearDown: world.slot("tear down project", (_input, random) => random.chance(0.2) ? ["no"] : [], {
        hangs: 0.1,
      }),
    },
  });
};

/** Its sessions begin side by side; judges are asked now and then. */
export const evalCaseFake = (world: World) =>
  machines.evalCaseMachine.provide({
    actors: {
      session: agentSessionFake(world),
      grade: world.slot("grade eval", (_input, random) =>
        random.chance(0.4)
          ? { ask: "Is it?" }
          : { graders: [{ name: "g", weight: 1, passed: random.chance(0.5) }], problems: [], warnings: [] }, {
        hangs: 0.1,
      }),
      cleanUp: world.slot("remove folders", () =>
        undefined, { hangs: 0.1 }),
    },
  });

/** A case that is run, or refused. */
export function someEval(random: Random, name: string) {
  const session = {
    agent: "claude",
    prompt: "p",
    playbook: { lanes: [{ name: "main", turns: [{ text: "a" }] }] },
    timeoutMs: 60_000,
  };
  const judges = Array.from({ length: random.below(3) }, () => session);
  return {
    case: { name, folder: `evals/${name}` },
    by: "pth",
    runs: 1 + random.below(3),
    sessions: random.chance(0.1) ? { refused: ["no"] } : { work: session, judges },
  };
}

export const evalRunFake = (world: World) =>
  machines.evalRunMachine.provide({
    actors: {
      plan: world.slot("plan evals", (_input, random) => ({
        cases: Array.from({ length: 1 + random.below(3) }, (_, at) => someEval(random, `e${at}`)),
        warnings: [],
      })),
      evalCase: evalCaseFake(world),
    },
  });

export const fixtureRunFake = (world: World) =>
  machines.fixtureRunMachine.provide({
    actors: {
      plan: world.slot("plan agent test", () => ({ request: {}, startedAt: 0 })),
      judge: world.slot("judge agent test", (input, random) => ({
        id: (input as { test: { id: string } }).test.id,
        judgement: { status: random.pick(["pass", "partial", "fail"]), expectations: [] },
        startedAt: 0,
        durationMs: 1,
        attempts: 1,
      })),
    },
  });

export const testRunFake = (world: World) =>
  machines.testRunMachine.provide({
    actors: {
      instrument: world.slot("instrument", (_input, random) => random.chance(0.5)),
      measure: world.slot("measure"),
      plan: world.slot("plan suite", (_input, random) => ({
        suite: {
          type: "session.run_suite",
          tests: Array.from({ length: 1 + random.below(3) }, (_, at) => somePlanned(random, `t${at}`)),
          workers: 2,
          rules: { isolation: "shared", strict: false, retries: 1 },
          bail: undefined,
        },
        ...(random.chance(0.4)
          ? { own: Array.from({ length: 1 + random.below(2) }, () => ({ projectRoot: "." })) }
          : {}),
      })),
      collect: world.slot("collect", () => ({ summary: {}, results: [] })),
      readCoverage: world.slot("read coverage"),
      abandon: world.slot("abandon"),
    },
  });

export const installCheckFake = (world: World) =>
  machines.installCheckMachine.provide({
    actors: {
      survey: world.slot("survey", (_input, random) => ({
        name: "p",
        servers: random.pick([[], [{ name: "" }], [{ name: "a" }, { name: "b" }]]),
        ...(random.chance(0.2) ? { archive: "/p.tgz" } : {}),
      }), { hangs: 0.05 }),
      pack: world.slot("pack", (_input, random) => ({
        path: "/p",
        notes: [],
        ...(random.chance(0.1) ? { fault: {} } : {}),
      }), { hangs: 0.05 }),
      install: world.slot("install package", (_input, random) => ({
        root: "/r",
        servers: random.pick([[], [{ name: "", command: ["s"] }]]),
        programs: [],
        notes: [],
        ...(random.chance(0.1) ? { fault: {} } : {}),
      }), { hangs: 0.05 }),
      tryPrograms: world.slot("try programs", () => [], { hangs: 0.05 }),
      compare: world.slot("compare package", () => ({ faults: [], notes: [] }), { hangs: 0.05 }),
    },
  });

export const replaceFake = (world: World) =>
  machines.replaceMachine.provide({
    actors: {
      prepare: world.slot("prepare replacement", () => ({})),
      noteAbandoned: world.slot("note abandoned"),
    },
  });

export const restoreFake = (world: World) =>
  machines.restoreMachine.provide({ actors: { noteRecovery: world.slot("note recovery") } });

export const standing = (...failing: string[]) => ({
  total: 2,
  passed: 2 - failing.length,
  skipped: 0,
  failing: failing.map((id) => ({ id, name: id })),
});
/** The standing, and the statuses that give it. */
export const tested = (given: ReturnType<typeof standing>) => ({
  standing: given,
  statuses: { a: given.failing.length > 0 ? "failed" : "passed", b: "passed" },
});
const someStanding = (random: Random) => random.chance(0.4) ? standing() : standing("a");

const status = (random: Random) => ({ ...tested(someStanding(random)), ms: 1 });

export const iterationFake = (world: World) =>
  machines.iterationMachine.provide({
    actors: {
      inspect: world.slot("inspect", ({ changed }: { changed: boolean }, random) =>
        changed || random.chance(0.3)
          ? { type: random.pick(["session.load_plugin", "session.reload_plugin"]) }
          : undefined),
      settleLoad: world.slot("settle load", ({ failure }: { failure: unknown }) => ({
        newTests: 0,
        ms: 1,
        ...(failure === undefined ? {} : { loadError: "no" }),
      })),
      chooseTests: world.slot("choose tests", (_input, random) => ({
        suite: {},
        partial: random.chance(0.3),
      })),
      readStatus: world.slot("read status", (_input, random) =>
        status(random)),
      diagnose: world.slot("diagnose", () => ({ diagnosis: { groups: [], diagnoses: [] }, ms: 1 })),
      propose: world.slot("propose", ({ index }: { index: number }, random) =>
        index < 3 && random.chance(0.6)
          ? { proposal: { title: "t" }, ms: 0 }
          : index < 3 && random.chance(0.4)
          ? { refused: { title: "t", reason: "no" }, ms: 0 }
          : { ms: 1 }),
      summarize: world.slot("summarize", ({ draft }: { draft: { number: number } }, random) => ({
        record: {
          number: draft.number,
          before: standing("a"),
          after: someStanding(random),
          broken: [],
          mended: [],
          fixes: [],
        },
        checkpoint: {},
      })),
    },
  });

/** Outcome of a run of the loop. */
export const someOutcome = (random: Random) => ({
  state: random.pick(["green", "awaiting_fixes", "stopped"]),
  ...(random.chance(0.1) ? { reason: "cancelled" } : {}),
  standing: someStanding(random),
  fixes: [],
});

export const matrixFake = (world: World) =>
  machines.matrixMachine.provide({
    actors: {
      configure: world.slot("configure", () => ({})),
      confirm: world.slot("confirm", () => ({ environment: {}, ms: 1 })),
      prepare: world.slot("prepare iteration", ({ run }: { run: object }) => ({
        type: "session.iterate",
        run,
        ...tested(standing("a")),
        history: { records: [], last: 0 },
      })),
      readEntry: world.slot("read entry", ({ outcome }: { outcome: object }) => ({
        outcome,
        look: { results: [], summary: {}, groups: [] },
        ms: 1,
      })),
    },
  });

const call = { kind: "call", tool: "echo", input: {} };
const command = [{ exec: "true", expect: {} }];

/** Sessions of an agent that works on a test, or the reason why there are none. */
export function someAgent(random: Random) {
  if (random.chance(0.1)) return { problem: "there is no playbook" };
  const playbook = { lanes: [{ name: "main", turns: [{ text: "a", repeat: { until: {}, at_most: 20 } }] }] };
  const work = {
    agent: "claude",
    prompt: "p",
    playbook,
    timeoutMs: 60_000,
    ...(random.chance(0.3) ? { upstream: { url: "u" }, budget: { tokens: 100 } } : {}),
  };
  return {
    work,
    ...(random.chance(0.7) ? { judge: work } : {}),
    startsServer: random.chance(0.5),
  };
}

/** A test of any kind, with or without what comes before and after it. */
export function somePlanned(random: Random, id: string) {
  const some = <Value>(value: Value, nothing: Value) => random.chance(0.5) ? value : nothing;
  const step = { action: call, expect: {}, capture: {}, verify: some(command, []) };
  const kind = random.below(10);
  const test = {
    ...testOf({ id, name: id, input: {} }),
    verify: some(command, []),
    setup: some(command, []),
    teardown: some(command, []),
    ...(kind === 0 ? { check: "ends_on_eof" } : {}),
    ...(kind > 6 ? { tier: 2, steps: [step, step] } : {}),
    ...(kind > 3 && kind < 6 ? { control: { input: {} } } : {}),
  };
  return {
    test,
    timeoutMs: random.pick([10, 1000, 60_000]),
    extendable: random.chance(0.5),
    openEnded: random.chance(0.5),
    ...(kind === 1 ? { skip: "not now" } : {}),
    ...(kind === 9 ? { abilities: ["roots"] } : {}),
    ...(kind === 0 && random.chance(0.5) ? { callsTools: true } : {}),
    ...(kind === 8 ? { agent: someAgent(random) } : {}),
    ...(kind > 1 && kind < 7 && random.chance(0.5) ? { group: random.pick(["a", "b"]) } : {}),
  } as never;
}

/** What must hold of tests that ran: what was set up is torn down, where the test says how. */
export function teardownFaults(world: World): string[] {
  const ids = (name: string) =>
    (world.begun(name) as { planned: { test: { id: string; teardown: unknown[] } } }[])
      .flatMap(({ planned: { test } }) => test.teardown.length > 0 ? [test.id] : []);
  const tornDown = ids("clean up");
  return [...new Set(ids("prepare"))]
    .filter((id) => !tornDown.includes(id))
    .map((id) => `${id} was set up and not torn down`);
}

/** What must hold of a pool that nobody uses any more. */
export function leaseFaults(pool: { getSnapshot(): unknown }): string[] {
  const { members, waiting } = (pool.getSnapshot() as {
    context: {
      members: Record<string, { state: string; lease?: { leaseId: string } }>;
      waiting: { leaseId: string }[];
    };
  }).context;
  return [
    ...Object.values(members).flatMap(({ state, lease }) =>
      state === "leased" ? [`lease ${lease?.leaseId} did not return`] : []
    ),
    ...waiting.map(({ leaseId }) => `lease ${leaseId} is still waited for`),
  ];
}
