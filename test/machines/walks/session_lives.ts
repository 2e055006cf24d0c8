/** Lives of a whole session, all its machines below it, and of the harness that it is started by. */
import { type AnyActorRef, type AnyEventObject, createActor } from "xstate";
import { harnessMachine, sessionMachine } from "../../../machines/mod.ts";
import { isLoopUnderWay } from "../../../machines/session/is_permitted.ts";
import type { SessionContext } from "../../../machines/session/session_model.ts";
import {
  agentRunFake,
  callFake,
  closeFake,
  dependenciesFake,
  environmentFake,
  environmentInfo,
  evalRunFake,
  fixFake,
  fixtureRunFake,
  iterationFake,
  loadFake,
  matrixFake,
  performanceFake,
  pluginFake,
  projectTestRunFake,
  replaceFake,
  restoreFake,
  resumeFake,
  somePlanned,
  standing,
  suiteFake,
  teardownFaults,
  tested,
  testRunFake,
  workFake,
} from "./fakes.ts";
import { Ledger } from "./ledger.ts";
import type { Random } from "./random.ts";
import { type Begin, describe } from "./run_walk.ts";
import type { World } from "./world.ts";

const withDependencies = { ...environmentInfo, config: { dependencyPlugins: [{ source: "/d", name: "d" }] } };

const sessionFake = (world: World) =>
  sessionMachine.provide({
    actors: {
      prepareSource: world.slot("prepare source", () => ({ sessionId: "s", notes: [] }), { fails: 0.05 }),
      release: world.slot("release", () => ({ branchKept: false, commits: 0, leftBehind: [], kept: [] }), {
        hangs: 0.1,
      }),
      work: workFake(world),
      environment: environmentFake(
        world,
        (random) => random.chance(0.3) ? withDependencies : environmentInfo,
      ),
      dependencies: dependenciesFake(world),
      plugin: pluginFake(world),
      suite: suiteFake(world),
      performance: performanceFake(world),
      agentRun: agentRunFake(world),
      call: callFake(world),
      iteration: iterationFake(world),
      matrix: matrixFake(world),
      loadTask: loadFake(world),
      fixTask: fixFake(world),
      fixtureTask: fixtureRunFake(world),
      resumeTask: resumeFake(world),
      closeTask: closeFake(world),
      testRunTask: testRunFake(world),
      evalsTask: evalRunFake(world),
      replaceTask: replaceFake(world),
      restoreTask: restoreFake(world),
    },
  });

/** Requests that are asked for more often stand there more often. */
function someRequest(random: Random): AnyEventObject {
  const entry = { name: "a", distro: "a" };
  const tests = () => Array.from({ length: 1 + random.below(3) }, (_, at) => somePlanned(random, `t${at}`));
  const perform = { type: "session.perform", kind: "exec", args: {} };
  const call = { type: "session.call", tool: "x", input: {}, limitMs: 1000 };
  const load = { type: "session.load", load: {} };
  return random.pick<() => AnyEventObject>([
    () => ({ type: "session.provision", config: {} }),
    () => ({ type: "session.provision", config: {} }),
    () => ({ type: "session.destroy_environment" }),
    () => ({ type: "session.abandon_environment" }),
    () => perform,
    () => perform,
    () => perform,
    () => ({ type: "session.snapshot", tag: "t" }),
    () => ({ type: "session.rollback", snapshot: "s" }),
    () => ({ type: "session.start_dependencies" }),
    () => ({ type: "session.stop_dependencies" }),
    () => load,
    () => load,
    () => load,
    () => ({ type: "session.reload" }),
    () => ({ type: "session.unload" }),
    () => call,
    () => call,
    () => ({
      type: "session.run_suite",
      tests: tests(),
      workers: 2,
      rules: { isolation: "shared", strict: false, retries: 1 },
      bail: undefined,
    }),
    () => ({ type: "session.measure_performance", request: {}, known: {} }),
    () => ({ type: "session.begin_agent_run", runId: "r", test: somePlanned(random, "a") }),
    () => ({ type: "session.agent_call", tool: "x", input: {} }),
    () => ({ type: "session.close_agent_run", checklist: [] }),
    () => ({ type: "session.work", kind: "x", args: {} }),
    () => ({ type: "session.work", kind: "x", args: {} }),
    () => ({ type: "session.load_plugin" }),
    () => ({ type: "session.reload_plugin" }),
    () => ({
      type: "session.apply_fix",
      request: random.chance(0.5) ? { snapshot: true } : {},
      reload: random.chance(0.5),
      save: random.chance(0.5),
    }),
    () => ({ type: "session.resume", config: {}, withheld: random.chance(0.3) }),
    () => ({ type: "session.stop_work" }),
    () => ({ type: "session.close", always: false, pullRequest: false }),
    () => ({ type: "session.run_clean", suite: {} }),
    () => ({ type: "session.run_tests", suite: random.chance(0.3) ? { coverage: true } : {} }),
    () => ({ type: "session.run_evals", evals: { agent: { agent: "claude" }, by: "pth", workers: 2 } }),
    () => ({ type: "session.run_project_tests", run: { projectRoot: "" } }),
    () => ({ type: "session.replace_environment", config: {} }),
    () => ({ type: "session.restore_snapshot", snapshot: "s", recover: random.chance(0.5) }),
    () => ({ type: "session.revert_fix", commit: "c", reload: random.chance(0.5) }),
    () => ({
      type: "session.iterate",
      run: random.chance(0.5) ? {} : { maxIterations: 2, fixer: "mend" },
      ...tested(standing("a")),
      history: { records: [], last: 0 },
    }),
    () => ({
      type: "session.run_matrix",
      run: { primary: entry, others: [], run: {}, primaryFirst: true },
    }),
    () => ({ type: "session.answer_matrix", answer: { skip: true } }),
  ])();
}

function someCancel(random: Random, open: readonly string[]): AnyEventObject {
  const id = random.pick(["unknown", ...open]);
  return random.pick<AnyEventObject>([
    { type: "session.cancel_suite" },
    { type: "session.cancel_provision" },
    { type: "session.cancel_load" },
    { type: "session.cancel_dependencies" },
    { type: "session.cancel_iteration" },
    { type: "session.cancel_matrix" },
    { type: "session.cancel_performance" },
    { type: "session.cancel_agent_call" },
    { type: "session.abandon_agent_run", reason: "enough" },
    { type: "session.cancel_operation", operationId: id },
    { type: "session.cancel_call", callId: id },
    { type: "session.cancel_work", requestId: id },
    { type: "session.cancel_request", id },
  ]);
}

type Session = AnyActorRef & {
  on(type: "*", listener: (fact: AnyEventObject) => void): void;
  getSnapshot(): {
    status: string;
    value: unknown;
    context: Pick<SessionContext, "pending">;
    can(event: AnyEventObject): boolean;
  };
};

/** Requests that the outside may make while the loop is under way; others change what it works on. */
const beside = new Set([
  "session.perform",
  "session.snapshot",
  "session.call",
  "session.work",
  "session.agent_call",
  "session.close_agent_run",
  "session.close",
  "session.stop_work",
]);

/** Asks a session at random, and keeps the books. */
function visitor(world: World, session: () => Session | undefined, ledger: Ledger) {
  let requests = 0;
  let heard: Session | undefined;
  const listen = (actor: Session) => {
    if (heard === actor) return;
    heard = actor;
    actor.on("*", (fact) => {
      if (fact.type === "request.completed" || fact.type === "request.failed") {
        ledger.answered(fact["requestId"] as string, fact.type);
      }
    });
  };
  return {
    act() {
      const actor = session();
      if (actor === undefined || actor.getSnapshot().status !== "active") return;
      listen(actor);
      if (world.random.chance(0.15)) {
        const cancel = someCancel(world.random, ledger.open);
        world.journal.push(cancel.type);
        return actor.send(cancel);
      }
      const asked = { ...someRequest(world.random), requestId: `r${requests++}` };
      if (!actor.getSnapshot().can(asked)) return;
      if (isLoopUnderWay(actor.getSnapshot().context) && !beside.has(asked.type)) {
        ledger.wrong(`${asked.type} of the outside was accepted while a loop is under way`);
      }
      world.journal.push(`${asked.type} ${asked.requestId}`);
      ledger.asked(asked.requestId, `${asked.type} in ${describe(actor)}`);
      actor.send(asked);
    },
  };
}

const sessionInput = { sessionId: "s", target: {}, mode: "session", force: false } as never;

export function sessionLife(world: World): Begin {
  const machine = sessionFake(world);
  return () => {
    const ledger = new Ledger();
    const root = createActor(machine, {
      input: sessionInput,
      clock: world.clock,
      inspect: world.inspect,
    }) as unknown as Session;
    let ends = 0;
    root.on("*", ({ type }) => {
      if (type === "session.ended") ends++;
    });
    const { act } = visitor(world, () => root, ledger);
    const end = () => {
      world.journal.push("session.end");
      root.send({ type: "session.end", keep: false });
    };
    return {
      root,
      act: () => world.random.chance(0.01) ? end() : act(),
      end,
      isOver: () => root.getSnapshot().status !== "active",
      faults: () => [
        ...ledger.faults(),
        ...teardownFaults(world),
        ...(ends === 1 ? [] : [`it told its end ${ends} times`]),
      ],
    };
  };
}

export function harnessLife(world: World): Begin {
  const machine = harnessMachine.provide({
    actors: { session: sessionFake(world), projectTests: projectTestRunFake(world) },
  });
  return () => {
    let runs = 0;
    const ledger = new Ledger();
    let starts = 0;
    let ended = false;
    const root = createActor(machine, { clock: world.clock, inspect: world.inspect }) as unknown as Session;
    const state = () => root.getSnapshot().value;
    root.on("*", ({ type, requestId }) => {
      if (type.startsWith("task.")) ledger.answered(`run ${requestId}`, type);
      if (type === "harness.activated") ledger.answered(`activation ${starts}`, type);
      if (type !== "harness.deactivated") return;
      // A session that fails to start is told once, as an end.
      ledger.forgiven(`activation ${starts}`);
      ledger.answered(`start ${starts}`, type);
    });
    const session = () =>
      (root.getSnapshot() as unknown as { context: { session: Session | undefined } }).context.session;
    const { act } = visitor(world, session, ledger);
    const underWay = () =>
      Object.keys(
        (root.getSnapshot() as unknown as { context: { projectTests: object } }).context.projectTests,
      );
    const send = (event: AnyEventObject) => {
      world.journal.push(event.type);
      root.send(event);
    };
    return {
      root,
      act() {
        if (world.random.chance(0.03)) {
          ledger.asked(`run ${++runs}`, String(state()));
          send({ type: "harness.run_project_tests", requestId: String(runs), run: { projectRoot: "/p" } });
        } else if (world.random.chance(0.02)) {
          send({ type: "harness.cancel_project_tests", requestId: String(1 + world.random.below(runs + 1)) });
        } else if (state() === "dormant") {
          starts++;
          ledger.asked(`start ${starts}`, "dormant");
          ledger.asked(`activation ${starts}`, "dormant");
          send({ type: "harness.start", session: sessionInput });
        } else if (world.random.chance(0.05)) send({ type: "harness.end", keep: world.random.chance(0.2) });
        else act();
      },
      end() {
        ended = true;
        for (const requestId of underWay()) send({ type: "harness.cancel_project_tests", requestId });
        send({ type: "harness.end", keep: false });
      },
      isOver: () => ended && state() === "dormant" && underWay().length === 0,
      faults: () => ledger.faults(),
    };
  };
}
