/** Lives of the session's tasks: their parent answers each step as a session would, or refuses it. */
import type { AnyActorRef, AnyEventObject, AnyStateMachine } from "xstate";
import {
  agentSessionFake,
  closeFake,
  evalCaseFake,
  evalRunFake,
  fixFake,
  fixtureRunFake,
  hookRunFake,
  installCheckFake,
  loadFake,
  projectTestRunFake,
  replaceFake,
  restoreFake,
  resumeFake,
  someEval,
  testRunFake,
} from "./fakes.ts";
import { cleanRunMachine, revertMachine, stepMachine } from "../../../machines/mod.ts";
import { Ledger } from "./ledger.ts";
import { type Begin, describe, parentOf } from "./run_walk.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

const task = { requestId: "task", caller: "task" };
const output = (random: Random) => ({
  commit: "c",
  type: "fix",
  tools: [],
  results: [],
  lostSnapshot: false,
  ...(random.chance(0.5) ? { snapshot: "s" } : {}),
});

const refusal = (random: Random) =>
  Object.assign(new Error("no"), random.chance(0.5) ? { code: "ROLLBACK_FAILED" } : {});

/** Stands where the session stands: one step is asked for at a time, and answered when the walk says so. */
function asked(world: World, machine: AnyStateMachine, input: (random: Random) => object): Begin {
  return () => {
    const ledger = new Ledger();
    let step: { requestId: string; replyTo: AnyActorRef } | undefined;
    const { root, subject } = parentOf(world, machine, {
      input: () => ({ ...task, ...input(world.random) }),
      hear: (event) => {
        const { type, requestId, replyTo } = event as AnyEventObject & {
          requestId: string;
          replyTo: AnyActorRef;
        };
        if (type.startsWith("eval.")) return;
        if (type.startsWith("agent_test.")) return;
        if (type.startsWith("task.")) ledger.answered(requestId, type);
        else if (type !== "session.cancel_request") step = { requestId, replyTo };
      },
    });
    ledger.asked("task", describe(subject()));
    const answer = (fails: number) => {
      if (step === undefined) return;
      const { requestId, replyTo } = step;
      step = undefined;
      world.journal.push(`answer ${describe(subject())}`);
      replyTo.send(
        world.random.chance(fails)
          ? { type: "request.failed", requestId, error: refusal(world.random) }
          : { type: "request.completed", requestId, result: output(world.random) },
      );
    };
    const cancel = () => {
      world.journal.push("task.cancel");
      subject().send({ type: "task.cancel" });
    };
    const isOver = () => ledger.open.length === 0;
    return {
      root,
      act() {
        if (isOver()) return;
        if (world.random.chance(0.05)) cancel();
        else answer(0.2);
      },
      end: () => answer(1),
      isOver,
      faults: () => ledger.faults(),
    };
  };
}

export const loadLife = (world: World): Begin =>
  asked(world, loadFake(world), (random) => ({
    load: {},
    dependencies: random.chance(0.5),
    reload: random.chance(0.5),
    running: random.chance(0.5),
  }));

export const fixLife = (world: World): Begin =>
  asked(world, fixFake(world), (random) => ({
    request: random.chance(0.5) ? { snapshot: true } : {},
    reload: random.chance(0.5),
    save: random.chance(0.5),
  }));

export const testRunLife = (world: World): Begin =>
  asked(world, testRunFake(world), (random) => ({ suite: random.chance(0.5) ? { coverage: true } : {} }));

export const revertLife = (world: World): Begin =>
  asked(world, revertMachine, (random) => ({
    commit: "c",
    reload: random.chance(0.5),
    wasLoaded: random.chance(0.5),
  }));

export const resumeLife = (world: World): Begin =>
  asked(world, resumeFake(world), (random) => ({ config: {}, withheld: random.chance(0.3) }));

export const closeLife = (world: World): Begin =>
  asked(world, closeFake(world), (random) => ({
    exports: random.chance(0.7) ? { always: false, pullRequest: false } : undefined,
  }));

export const cleanRunLife = (world: World): Begin => asked(world, cleanRunMachine, () => ({ suite: {} }));

export const installCheckLife = (world: World): Begin =>
  asked(world, installCheckFake(world), (random) => ({
    check: { kind: "npm", source: true, suite: random.chance(0.5), timeoutMs: 60_000 },
  }));

export const agentSessionLife = (world: World): Begin =>
  asked(world, agentSessionFake(world), (random) => ({
    run: {
      agent: "claude",
      prompt: "p",
      playbook: { lanes: [{ name: "main", turns: [{ text: "a" }] }] },
      timeoutMs: 60_000,
      ...(random.chance(0.5)
        ? {
          start: { root: "/f", files: [], git: false, commands: [] },
          checks: random.chance(0.5) ? [{ name: "c", script: "true", timeoutMs: 1000 }] : [],
          teardown: random.chance(0.5) ? ["true"] : [],
        }
        : {}),
    },
  }));

export const fixtureRunLife = (world: World): Begin =>
  asked(world, fixtureRunFake(world), (random) => ({
    run: {
      fixture: { name: "f" },
      tests: Array.from({ length: 1 + random.below(4) }, (_, at) => ({
        id: `t${at}`,
        name: `t${at}`,
        ...(random.chance(0.2) ? { skip: "not now" } : {}),
      })),
      retries: random.below(3),
      ...(random.chance(0.3) ? { bail: 1 } : {}),
    },
  }));

export const hookRunLife = (world: World): Begin =>
  asked(world, hookRunFake(world), () => ({
    run: {
      event: "Stop",
      hooks: [{ id: 0, limitMs: 60_000, type: "command", command: "x" }],
      payload: {},
      env: {},
      plugin: "p",
    },
  }));

export const projectTestRunLife = (world: World): Begin =>
  asked(world, projectTestRunFake(world), (random) => ({
    run: { projectRoot: "/p", ...(random.chance(0.5) ? { timeoutMs: 500 } : {}) },
  }));

export const evalRunLife = (world: World): Begin =>
  asked(world, evalRunFake(world), (random) => ({
    evals: { agent: { agent: "claude" }, by: "pth", workers: 1 + random.below(3) },
  }));

/** Whatever folders its sessions had are removed once, at its end. */
export const evalCaseLife = (world: World): Begin => {
  const machine = evalCaseFake(world);
  return () => {
    const ledger = new Ledger();
    const { root, subject } = parentOf(world, machine, {
      input: () => ({ requestId: "r", planned: someEval(world.random, "e"), place: 0, run: 1 }),
      hear: ({ type }) => ledger.answered("case", type),
    });
    ledger.asked("case", "its start");
    const isOver = () => ledger.open.length === 0;
    const cancel = () => {
      world.journal.push("eval_case.cancel");
      subject().send({ type: "eval_case.cancel" });
    };
    return {
      root,
      act: () => !isOver() && world.random.chance(0.05) ? cancel() : undefined,
      end: () => isOver() ? undefined : cancel(),
      isOver,
      faults() {
        const removed = (world.begun("remove folders") as { folders: string[] }[]).flatMap(({ folders }) =>
          folders
        );
        const served = world.begun("serve model") as { run: { folder: string } }[];
        const left = served.filter(({ run: { folder } }) => !removed.includes(folder));
        return [
          ...ledger.faults(),
          ...left.map(({ run }) => `${run.folder} was not removed`),
          ...(new Set(removed).size === removed.length ? [] : ["a folder was removed twice"]),
        ];
      },
    };
  };
};

export const replaceLife = (world: World): Begin =>
  asked(world, replaceFake(world), (random) => ({
    config: {},
    present: random.chance(0.7),
    running: random.chance(0.5),
    dependencies: random.chance(0.5),
    wasLoaded: random.chance(0.5),
  }));

export const restoreLife = (world: World): Begin =>
  asked(world, restoreFake(world), (random) => ({
    snapshot: "s",
    recover: random.chance(0.5),
    wasLoaded: random.chance(0.5),
  }));

/** It ends with its answer; that it fails with a refusal is walked in the tasks. */
export const stepLife = (world: World): Begin => () => {
  const ledger = new Ledger();
  let asked: { requestId: string; replyTo: AnyActorRef } | undefined;
  const { root, subject } = parentOf(world, stepMachine, {
    input: () => ({ request: { type: "session.reload" }, cancelled: false }),
    hear: (event) => {
      if (event.type !== "session.reload") return;
      asked = event as unknown as { requestId: string; replyTo: AnyActorRef };
      ledger.asked("step", describe(subject()));
    },
  });
  const answer = () => {
    if (asked === undefined || ledger.open.length === 0) return;
    const { requestId, replyTo } = asked;
    replyTo.send({ type: "request.completed", requestId, result: 1 });
    ledger.answered("step", describe(subject()));
  };
  return {
    root,
    act: () => world.random.chance(0.5) ? subject().send({ type: "task.cancel" }) : answer(),
    end: answer,
    isOver: () => asked !== undefined && ledger.open.length === 0,
    faults: () => [
      ...ledger.faults(),
      ...(subject().getSnapshot().status === "done" ? [] : ["it did not end with its answer"]),
    ],
  };
};
