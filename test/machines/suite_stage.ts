/** A suite over a real pool, whose servers act as a test says. */
import { assign, createActor, fromCallback, fromPromise, setup, SimulatedClock, waitFor } from "xstate";
import { connectionMachine } from "../../machines/connection_machine.ts";
import type { CallInput } from "../../machines/connection_machine.ts";
import type { PlannedTest } from "../../machines/model/observation.ts";
import type { ConnectionLoss } from "../../machines/model/plugin.ts";
import type { PoolRef } from "../../machines/plugin_machine.ts";
import { parentRef } from "../../machines/parent_ref.ts";
import { orderMachine } from "../../machines/order_machine.ts";
import { poolMachine } from "../../machines/pool_machine.ts";
import type { PaceSample } from "../../machines/suite/pace.ts";
import { suiteMachine } from "../../machines/suite_machine.ts";
import { type CheckInput, type JudgeInput, testMachine } from "../../machines/test_machine.ts";
import { isOpenEnded } from "../../src/testing/judge/assertion_table.ts";
import { testOf } from "../src/testing/observed.ts";
import type { Finding, Verdict } from "../../machines/model/verdict.ts";

/** What a server does with a call: an answer's text, "silence", or "crash". */
export type Act = (call: CallInput) => string;

export function planned(id: string, changes: object = {}): PlannedTest {
  const test = testOf({ id, name: id, input: { text: id }, ...changes });
  return { test, timeoutMs: 1000, extendable: false, openEnded: isOpenEnded(test) };
}

/** A suite over a real pool with real connections; only the slots that would do I/O are filled by hand. */
export function stage(
  act: Act,
  options: {
    tests: PlannedTest[];
    workers?: number;
    bail?: number;
    openFails?: number;
    retries?: number;
    alive?: boolean;
    rules?: object;
    /** An instance, also one of a check, does not start beside another; checks then end by themselves. */
    exclusive?: boolean;
    /** Measures the pace of a suite whose rules say how long a start takes. */
    measurePace?: () => Promise<PaceSample>;
  },
) {
  const running = new Set<string>();
  const refuses = (id: string) => {
    if (!options.exclusive) return false;
    if (running.size > 0) return true;
    running.add(id);
    return false;
  };
  const crashes = new Map<string, (loss: ConnectionLoss) => void>();
  const log = {
    opened: [] as string[],
    closed: [] as string[],
    most: 0,
    calls: [] as string[],
    retried: [] as string[],
    cleaned: [] as string[],
    checks: [] as CheckInput[],
  };
  const checked: (() => void)[] = [];
  let tellEnding = () => {};
  const cleanings: (() => void)[] = [];
  let openings = 0;
  let busy = 0;
  const loss: ConnectionLoss = { reason: "exited", exitCode: 3, signal: null, stderrTail: "oh", message: "" };
  const connection = connectionMachine.provide({
    actors: {
      open: fromPromise(({ input }) => {
        log.opened.push(input.connectionId);
        if (openings++ > 0 && openings <= (options.openFails ?? 0) + 1) {
          return Promise.reject(new Error("no"));
        }
        if (refuses(input.connectionId)) return Promise.reject(new Error("locked"));
        const server = { name: "s", version: "1", protocolVersion: "x", capabilities: {} };
        return Promise.resolve({ server, pid: openings, tools: [] });
      }),
      watch: fromPromise(({ input }) =>
        new Promise<ConnectionLoss>((resolve) => crashes.set(input.connectionId, resolve))
      ),
      call: fromCallback(({ input, sendBack }) => {
        log.most = Math.max(log.most, ++busy);
        log.calls.push(input.callId);
        const answer = act(input);
        if (answer === "crash") crashes.get(input.connectionId)!(loss);
        else if (answer !== "silence") {
          const outcome = {
            kind: "result",
            raw: {},
            text: answer,
            isError: answer === "refused",
            violations: [],
            durationMs: 1,
          };
          setTimeout(() => sendBack({ type: "call.completed", callId: input.callId, outcome }), 1);
        }
        return () => void busy--;
      }),
      close: fromPromise(({ input }) => {
        log.closed.push(input.connectionId);
        running.delete(input.connectionId);
        return Promise.resolve({ how: "stdin-eof" as const, waitedMs: 0, exitCode: 0, orphans: [] });
      }),
    },
  });
  const pool = poolMachine.provide({ actors: { connection } });
  const judge = fromPromise<Verdict, JudgeInput>(({ input }) => {
    const { loss, timedOut, callError, outcome, control } = input.observation;
    const isBad = loss || timedOut || callError || outcome?.text === "bad";
    const status = isBad ? "failed" as const : "passed" as const;
    const message = loss
      ? `exit ${loss.exitCode}`
      : timedOut
      ? `timeout ${timedOut.afterMs}`
      : outcome?.text ?? "";
    const note = control?.isError ? "inconclusive" : undefined;
    return Promise.resolve({
      status,
      message,
      findings: [],
      ...(timedOut ? { category: "timeout" } : {}),
      ...(note ? { note } : {}),
    });
  });
  const test = testMachine.provide({
    actors: {
      judge,
      check: fromPromise<Verdict, CheckInput>(({ input, self }) => {
        log.checks.push(input);
        tellEnding = () => parentRef({ self }).send({ type: "check.ending" });
        if (options.exclusive) {
          const { id } = input.planned.test;
          if (refuses(id)) return Promise.reject(new Error("locked"));
          running.delete(id);
          return Promise.resolve({ status: "passed", findings: [] });
        }
        return new Promise((resolve) => checked.push(() => resolve({ status: "passed", findings: [] })));
      }),
      endRetained: fromPromise<void, object>(() => {
        running.delete("retained");
        return Promise.resolve();
      }),
      ping: fromPromise(() => Promise.resolve(options.alive ?? false)),
      /** Never done by itself. */
      cleanUp: fromPromise<string | undefined, { planned: PlannedTest }>(({ signal }) => {
        log.cleaned.push("begun");
        return new Promise((resolve) => {
          const done = () => {
            signal.removeEventListener("abort", abort);
            resolve(undefined);
          };
          const abort = () => void log.cleaned.push("ended");
          signal.addEventListener("abort", abort);
          cleanings.push(done);
        });
      }),
    },
  });
  const measurePace = fromPromise<PaceSample, { ms: number }>(() => options.measurePace!());
  const order = orderMachine.provide({ actors: { test } });
  const suite = suiteMachine.provide({ actors: { test, order, measurePace } });
  const verdicts: Record<
    string,
    { status: string; message?: string; note?: string; findings?: Finding[]; pid?: number }
  > = {};
  // Stands where the session stands: it hears the tests' facts.
  const root = setup({
    actors: { pool, suite },
    types: {} as { context: { end: string; pool: PoolRef } },
  }).createMachine({
    context: ({ spawn }) => ({ end: "", pool: spawn("pool", { id: "pool", input: { plan: {} as never } }) }),
    invoke: {
      id: "suite",
      src: "suite",
      input: ({ context }) => ({
        pool: context.pool,
        tests: options.tests,
        workers: options.workers ?? 1,
        rules: {
          isolation: "shared" as const,
          strict: false,
          retries: options.retries ?? 0,
          ...options.rules,
        },
        bail: options.bail,
      }),
    },
    initial: "on",
    states: {
      on: {
        on: {
          "test.finished": {
            actions: ({ event }) => {
              verdicts[event["testId"]] = { ...event["verdict"], pid: event["pid"] };
            },
          },
          "test.retried": {
            actions: ({ event }) => void log.retried.push(`${event["testId"]} ${event["attempt"]}`),
          },
          "suite.finished": { target: "over", actions: assign({ end: ({ event }) => event["reason"] }) },
        },
      },
      over: {},
    },
  });
  const clock = new SimulatedClock();
  const actor = createActor(root, { clock });
  actor.start();
  const finished = waitFor(actor, (snapshot) => snapshot.matches("over"), { timeout: 5000 });
  const cancel = () => actor.getSnapshot().children["suite"]!.send({ type: "suite.cancel" });
  const cleaned = () => cleanings.splice(0).forEach((done) => done());
  const check = () => checked.splice(0).forEach((done) => done());
  /** The latest check only waits for the end of its server. */
  const checkEnds = () => tellEnding();
  /** A check has left an instance for the next one. */
  const retain = () => running.add("retained");
  return { log, verdicts, retain, clock, finished, actor, cancel, cleaned, check, checkEnds };
}
