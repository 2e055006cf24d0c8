/** Tests of several steps over a real pool with real connections; only the slots that would do I/O are filled by hand. */
import t from "tap";
import { createActor, fromCallback, fromPromise, setup, SimulatedClock, waitFor } from "xstate";
import {
  connectionMachine,
  type OpenedConnection,
  type OpenInput,
  type StepInput,
} from "../../machines/connection_machine.ts";
import type { CommandObservation, PlannedTest, StepObservation } from "../../machines/model/observation.ts";
import type { ClientCapability, CloseReport, ConnectionLoss } from "../../machines/model/plugin.ts";
import type { TestStep } from "../../machines/model/test_case.ts";
import type { PoolRef } from "../../machines/plugin_machine.ts";
import { poolMachine } from "../../machines/pool_machine.ts";
import { suiteMachine } from "../../machines/suite_machine.ts";
import { type JudgeInput, type JudgeStepInput, testMachine } from "../../machines/test_machine.ts";
import { testOf } from "../src/testing/observed.ts";
import type { Verdict } from "../../machines/model/verdict.ts";

/** What comes of a call of the tool of this name: "wrong" fails its step, "crash" and "silence" do what they say. */
const step = (tool: string, more: Partial<TestStep> = {}): TestStep => ({
  action: { kind: "call", tool, input: {} },
  expect: {},
  capture: {},
  verify: [],
  ...more,
});

function scenario(id: string, steps: TestStep[], more: object = {}): PlannedTest {
  const { tool: _tool, input: _input, ...test } = testOf({ id, name: id, tier: 2 });
  return { test: { ...test, steps, ...more }, timeoutMs: 1000, extendable: false, openEnded: false };
}
const single = (id: string): PlannedTest => ({
  test: testOf({ id, name: id, tool: id }),
  timeoutMs: 1000,
  extendable: false,
  openEnded: false,
});
const offering = (planned: PlannedTest, ...abilities: ClientCapability[]): PlannedTest => ({
  ...planned,
  abilities,
});

const loss: ConnectionLoss = { reason: "exited", exitCode: 3, signal: null, stderrTail: "", message: "" };
const outcome = {
  kind: "result" as const,
  raw: {},
  text: "hi",
  isError: false,
  violations: [],
  durationMs: 1,
};

function stage(tests: PlannedTest[], workers = 1) {
  const crashes = new Map<string, (loss: ConnectionLoss) => void>();
  const opened: Record<string, readonly ClientCapability[]> = {};
  const performed: (Omit<StepInput, "callId" | "step"> & { tool: string })[] = [];
  const verified: (number | undefined)[] = [];
  const cleaned: string[] = [];
  const ends: Record<string, JudgeInput> = {};

  const connection = connectionMachine.provide({
    actors: {
      open: fromPromise<OpenedConnection, OpenInput>(({ input: { connectionId, abilities = [] } }) => {
        opened[connectionId] = abilities;
        const server = { name: "s", version: "1", protocolVersion: "x", capabilities: {} };
        return Promise.resolve({ server, pid: 1, tools: [] });
      }),
      watch: fromPromise(({ input }) =>
        new Promise<ConnectionLoss>((resolve) => crashes.set(input.connectionId, resolve))
      ),
      call: fromCallback(({ input: { callId }, sendBack }) => {
        setTimeout(() => sendBack({ type: "call.completed", callId, outcome }), 1);
      }),
      perform: fromCallback(({ input: { callId, step: { action }, ...more }, sendBack }) => {
        const tool = action.kind === "call" ? action.tool : "";
        performed.push({ tool, ...more });
        if (tool === "crash") crashes.get(more.connectionId)!(loss);
        else if (tool !== "silence") {
          const seen = { action, outcome, unscripted: [], unused: { elicitation: 0, sampling: 0 } };
          setTimeout(() => sendBack({ type: "step.performed", callId, seen }), 1);
        }
      }),
      close: fromPromise<CloseReport, { connectionId: string }>(() =>
        Promise.resolve({ how: "stdin-eof", waitedMs: 0, exitCode: 0, orphans: [] })
      ),
    },
  });
  const test = testMachine.provide({
    actors: {
      ping: fromPromise(() => Promise.resolve(false)),
      verify: fromPromise<CommandObservation[], { planned: PlannedTest; step?: number }>(({ input }) => {
        verified.push(input.step);
        return Promise.resolve([]);
      }),
      judgeStep: fromPromise<StepObservation, JudgeStepInput>(({ input: { index, seen, commands } }) => {
        const wrong = seen.action.kind === "call" && seen.action.tool === "wrong";
        const verdict: Verdict = { status: wrong ? "failed" : "passed", findings: [] };
        return Promise.resolve({ ...seen, commands, captured: { [`v${index}`]: index }, verdict });
      }),
      judge: fromPromise<Verdict, JudgeInput>(({ input }) => {
        ends[input.planned.test.id] = input;
        const { loss, timedOut, callError, steps = [] } = input.observation;
        const failed = loss || timedOut || callError ||
          steps.some(({ verdict }) => verdict.status === "failed");
        return Promise.resolve({ status: failed ? "failed" : "passed", findings: [] });
      }),
      cleanUp: fromPromise(({ input }) => {
        cleaned.push(input.planned.test.id);
        return Promise.resolve(undefined);
      }),
    },
  });
  const root = setup({
    actors: {
      pool: poolMachine.provide({ actors: { connection } }),
      suite: suiteMachine.provide({ actors: { test } }),
    },
    types: {} as { context: { pool: PoolRef } },
  }).createMachine({
    context: ({ spawn }) => ({ pool: spawn("pool", { id: "pool", input: { plan: {} as never } }) }),
    invoke: {
      src: "suite",
      input: ({ context }) => ({
        pool: context.pool,
        tests,
        workers,
        rules: { isolation: "shared" as const, strict: false },
        bail: undefined,
      }),
    },
    initial: "on",
    states: { on: { on: { "suite.finished": "over" } }, over: {} },
  });
  const clock = new SimulatedClock();
  const actor = createActor(root, { clock });
  actor.start();
  const finished = waitFor(actor, (snapshot) => snapshot.matches("over"), { timeout: 5000 });
  return { opened, performed, verified, cleaned, ends, clock, finished };
}

t.test("steps follow each other on one server; each gets what those before it captured", async (t) => {
  const roots = [{ uri: "file:///a" }];
  const verify = [{ exec: "true", expect: {} }];
  const { performed, verified, ends, finished } = stage([
    scenario("a", [step("one"), step("two", { verify, replies: { roots } }), step("three")], { verify }),
  ]);
  await finished;
  t.match(performed, [
    { tool: "one", connectionId: "connection-1", variables: {}, begins: { roots } },
    { tool: "two", connectionId: "connection-1", variables: { v0: 0 } },
    { tool: "three", connectionId: "connection-1", variables: { v0: 0, v1: 1 } },
  ]);
  t.notOk(performed[1]!.begins, "a test begins once");
  t.same(verified, [1, undefined], "the step's own commands, at the end the test's");
  t.equal(ends["a"]!.observation.steps?.length, 3);
});

t.test("the first step that fails is the last one; what tidies up runs all the same", async (t) => {
  const teardown = [{ exec: "true" }];
  const { performed, cleaned, verified, ends, finished } = stage([
    scenario("a", [step("one"), step("wrong"), step("never")], {
      teardown,
      verify: [{ exec: "x", expect: {} }],
    }),
    scenario("b", [step("other")]),
  ]);
  await finished;
  t.same(performed.map(({ tool }) => tool), ["one", "wrong", "other"]);
  t.same(verified, [], "a test that failed is not verified");
  t.same(cleaned, ["a"]);
  t.equal(ends["a"]!.observation.steps?.length, 2);
  t.same(performed[2]!.variables, {}, "variables are the test's own");
});

t.test("a server that ends in the middle of a test is replaced for the next", async (t) => {
  const { performed, ends, finished } = stage([
    scenario("a", [step("one"), step("crash"), step("never")]),
    scenario("b", [step("other")]),
  ]);
  await finished;
  t.match(ends["a"]!.observation, { loss: { exitCode: 3 } });
  t.equal(ends["a"]!.observation.steps?.length, 1);
  t.same(performed.map(({ tool, connectionId }) => `${tool} ${connectionId}`), [
    "one connection-1",
    "crash connection-1",
    "other connection-2",
  ]);
});

t.test("the limit is that of all steps together", async (t) => {
  const { performed, ends, clock, finished } = stage([scenario("a", [step("one"), step("silence")])]);
  while (performed.length < 1) await new Promise((resolve) => setTimeout(resolve, 1));
  clock.increment(600);
  while (performed.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  clock.increment(399);
  t.notOk(ends["a"]);
  clock.increment(1);
  await finished;
  t.match(ends["a"]!.observation, { timedOut: { afterMs: 1000 } });
});

t.test("tests of steps run one by one on one of the servers, after those that ran side by side", async (t) => {
  const singles = ["p", "q", "r", "s"].map(single);
  const { opened, performed, finished } = stage([
    ...singles,
    scenario("a", [step("one"), step("two")]),
    scenario("b", [step("three")]),
  ], 3);
  await finished;
  t.equal(Object.keys(opened).length, 3);
  t.equal(new Set(performed.map(({ connectionId }) => connectionId)).size, 1);
});

t.test("a test gets a server whose client offers just what the test scripts", async (t) => {
  const { opened, performed, finished } = stage([
    single("plain"),
    offering(scenario("asks", [step("one")]), "elicitation"),
    offering(scenario("asks again", [step("two")]), "elicitation"),
    scenario("asks nothing", [step("three")]),
  ]);
  await finished;
  t.same(opened, { "connection-1": [], "connection-2": ["elicitation"], "connection-3": [] });
  t.same(performed.map(({ connectionId }) => connectionId), ["connection-2", "connection-2", "connection-3"]);
});
