/** Lives of what leases servers: call, test, suite, agent run, performance, each beside a real pool. */
import type { AnyActorRef, AnyEventObject, AnyStateMachine } from "xstate";
import {
  agentRunFake,
  callFake,
  leaseFaults,
  orderFake,
  performanceFake,
  plan,
  poolFake,
  promptTestFake,
  someAgent,
  somePlanned,
  suiteFake,
  teardownFaults,
  testFake,
} from "./fakes.ts";
import { Ledger } from "./ledger.ts";
import { type Begin, describe, parentOf } from "./run_walk.ts";
import type { World } from "./world.ts";

interface Part {
  input: (pool: AnyActorRef) => unknown;
  hear: (fact: AnyEventObject) => void;
  act: (subject: AnyActorRef, send: (event: AnyEventObject) => void) => void;
  /** Asks the subject for its end. */
  end: AnyEventObject;
  faults?: () => string[];
}

/** A machine with its pool beside it, which is closed once the machine has ended. */
function besidePool(world: World, machine: AnyStateMachine, begin: (ledger: Ledger) => Part): Begin {
  const poolMachine = poolFake(world);
  return () => {
    const ledger = new Ledger();
    const part = begin(ledger);
    let left: string[] | undefined;
    const { root, subject, other } = parentOf(world, machine, {
      others: { pool: { machine: poolMachine, input: { plan, size: 2 } } },
      input: ({ pool }) => part.input(pool!),
      hear: (fact) => {
        if (!fact.type.startsWith("pool.")) part.hear(fact);
      },
    });
    const isDone = (actor: AnyActorRef) => actor.getSnapshot().status !== "active";
    const send = (event: AnyEventObject) => {
      world.journal.push(event.type);
      subject().send(event);
    };
    return {
      root,
      act() {
        // Now and then the plugin goes away under whoever uses it.
        if (world.random.chance(0.01)) {
          world.journal.push("pool.close");
          other("pool").send({ type: "pool.close" });
        } else if (!isDone(subject())) part.act(subject(), send);
      },
      end() {
        if (!isDone(subject())) {
          // It may end by itself, but for one whose plugin has gone: the session ends that.
          if (isDone(other("pool")) || world.random.chance(0.3)) send(part.end);
          return;
        }
        left ??= leaseFaults(other("pool"));
        other("pool").send({ type: "pool.close" });
      },
      isOver: () => isDone(subject()) && isDone(other("pool")),
      faults: () => [...ledger.faults(), ...left ?? [], ...teardownFaults(world), ...part.faults?.() ?? []],
    };
  };
}

export const callLife = (world: World): Begin =>
  besidePool(world, callFake(world), (ledger) => {
    ledger.asked("call", "its start");
    return {
      input: (pool) => ({ requestId: "r", tool: "echo", input: {}, limitMs: 1000, pool }),
      hear: ({ type }) => ledger.answered("call", type),
      act: (_subject, send) => {
        if (world.random.chance(0.1)) send({ type: "call.cancel" });
      },
      end: { type: "call.cancel" },
    };
  });

export const testLife = (world: World): Begin =>
  besidePool(world, testFake(world), (ledger) => {
    ledger.asked("test", "its start");
    return {
      input: (pool) => ({
        planned: somePlanned(world.random, "a"),
        rules: { isolation: world.random.pick(["shared", "per_test"]), strict: false },
        pool,
        control: undefined,
      }),
      hear: ({ type }) => {
        if (type === "test.finished") ledger.answered("test", type);
      },
      act: (_subject, send) => {
        if (world.random.chance(0.08)) send({ type: "test.cancel" });
      },
      end: { type: "test.cancel" },
    };
  });

export const promptTestLife = (world: World): Begin =>
  besidePool(world, promptTestFake(world), (ledger) => {
    const { random } = world;
    ledger.asked("test", "its start");
    return {
      input: (pool) => ({
        planned: { ...somePlanned(random, "a") as object, agent: someAgent(random) },
        pool,
      }),
      hear: ({ type }) => {
        if (type === "test.finished") ledger.answered("test", type);
      },
      act: (_subject, send) => {
        if (random.chance(0.04)) send({ type: "test.cancel" });
      },
      end: { type: "test.cancel" },
    };
  });

export const suiteLife = (world: World): Begin =>
  besidePool(world, suiteFake(world), (ledger) => {
    const { random } = world;
    const tests = Array.from({ length: random.below(6) }, (_, at) => somePlanned(random, `t${at}`));
    const begun = new Set<string>();
    const told: string[] = [];
    ledger.asked("suite", "its start");
    return {
      input: (pool) => ({
        pool,
        tests,
        workers: 1 + random.below(3),
        rules: {
          isolation: random.pick(["shared", "per_test"]),
          strict: false,
          retries: random.below(3),
          opensAhead: random.below(4),
          coverage: random.chance(0.2),
          checksOrder: random.chance(0.6),
          ...(random.chance(0.5) ? { startMs: random.below(200) } : {}),
        },
        bail: random.chance(0.3) ? 1 : undefined,
      }),
      hear: (fact) => {
        const { type } = fact;
        if (type === "suite.finished") return ledger.answered("suite", type);
        const id = fact["testId"] as string;
        if (told.includes(id)) begun.add(`${id} goes on after its end`);
        if (type === "test.finished") told.push(id);
        if (type === "test.started" || type === "test.retried") begun.add(id);
      },
      act: (_subject, send) => {
        if (random.chance(0.04)) send({ type: "suite.cancel" });
      },
      end: { type: "suite.cancel" },
      faults: () => [
        ...told.filter((id, at) => told.indexOf(id) !== at).map((id) => `${id} ended twice`),
        ...[...begun].filter((id) => id.includes(" ")),
      ],
    };
  });

export const orderLife = (world: World): Begin =>
  besidePool(world, orderFake(world), (ledger) => {
    const { random } = world;
    let looks = 0;
    const entry = (at: number) => ({
      planned: { ...somePlanned(random, `${looks}.${at}`) as object, group: "g" },
      verdict: { status: random.pick(["passed", "failed", "skipped"]), findings: [] },
      observation: { outcome: { durationMs: random.pick([1, 1000]) } },
    });
    return {
      input: (pool) => ({ pool, rules: { isolation: "shared", strict: false } }),
      hear: ({ type }) => ledger.answered(`look ${looks}`, type),
      act: (subject, send) => {
        if (random.chance(0.02)) return send({ type: "order.cancel" });
        // The suite asks for one group at a time.
        if (!(subject.getSnapshot() as { matches(value: string): boolean }).matches("idle")) return;
        ledger.asked(`look ${++looks}`, describe(subject));
        send({ type: "order.check", entries: Array.from({ length: random.below(5) }, (_, at) => entry(at)) });
      },
      end: { type: "order.cancel" },
    };
  });

export const agentRunLife = (world: World): Begin =>
  besidePool(world, agentRunFake(world), (ledger) => {
    let calls = 0;
    ledger.asked("run", "its start");
    return {
      input: (pool) => ({ runId: "r", planned: somePlanned(world.random, "a"), pool }),
      hear: ({ type }) => {
        if (type === "agent_run.answered" || type === "agent_run.call_failed") {
          ledger.answered(`call ${calls}`, type);
        }
        if (type === "agent_run.finished") {
          ledger.forgiven(`call ${calls}`);
          ledger.answered("run", type);
        }
      },
      act: (subject, send) => {
        const lot = world.random.below(20);
        if (lot === 0) send({ type: "agent_run.abandon", reason: "enough" });
        else if (lot === 1) send({ type: "agent_run.close", checklist: [] });
        else if (lot < 4) send({ type: "agent_run.cancel_call" });
        else if (lot < 12 && !ledger.open.some((id) => id.startsWith("call"))) {
          // The session asks only from when the run has begun.
          if (!(subject.getSnapshot() as { matches(value: string): boolean }).matches("working")) return;
          ledger.asked(`call ${++calls}`, describe(subject));
          send({ type: "agent_run.call", callId: `${calls}`, tool: "echo", input: {} });
        }
      },
      end: { type: "agent_run.abandon", reason: "the end" },
    };
  });

export const performanceLife = (world: World): Begin =>
  besidePool(world, performanceFake(world), (ledger) => {
    ledger.asked("measuring", "its start");
    return {
      input: (pool) => ({ request: {}, known: {}, pool }),
      hear: ({ type }) => ledger.answered("measuring", type),
      act: (_subject, send) => {
        if (world.random.chance(0.05)) send({ type: "performance.cancel" });
      },
      end: { type: "performance.cancel" },
    };
  });
