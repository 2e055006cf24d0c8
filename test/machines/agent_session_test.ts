import t from "tap";
import {
  type AnyEventObject,
  createActor,
  createMachine,
  fromCallback,
  fromPromise,
  SimulatedClock,
} from "xstate";
import { agentSessionMachine } from "../../machines/mod.ts";
import type { AgentSessionEvent } from "../../machines/playbook/agent_session_event.ts";
import type { HangInspection } from "../../machines/model/stuck.ts";
import type { CheckOutcome } from "../../machines/model/agent_fixture.ts";
import type {
  AgentSessionRequest,
  AgentSessionResult,
  CollectedSession,
  PreparedAgent,
} from "../../machines/model/agent_session.ts";

const prepared: PreparedAgent = {
  folder: "/a",
  words: ["x"],
  env: {},
  cwd: "/a",
  url: "http://127.0.0.1:7",
  version: "1.2.3",
  notes: [],
  before: {},
};
const trace: CollectedSession["trace"] = {
  format: "pth-agent-trace/1",
  timeline: [],
  changes: [],
  warnings: [],
};
const exit = (code: number, stderr = "") => ({
  type: "agent.ended" as const,
  exit: { code, signal: null, stderr },
});
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A session whose model and process the test plays. */
function open(
  { timeoutMs = 300_000, inspection, ...slots }: {
    timeoutMs?: number;
    /** Finding about its processes shortly before a limit. */
    inspection?: HangInspection;
    setUp?: () => Promise<void>;
    prepare?: () => Promise<PreparedAgent>;
    collect?: () => Promise<CollectedSession>;
    check?: () => Promise<Record<string, CheckOutcome>>;
    tearDown?: () => Promise<string[]>;
  } = {},
  more: Partial<AgentSessionRequest> = {},
) {
  const done: string[] = [];
  const did = <Result>(name: string, work: () => Promise<Result>) =>
    fromPromise<Result, never>(() => {
      done.push(name);
      return work();
    }) as never;
  const clock = new SimulatedClock();
  const facts: AnyEventObject[] = [];
  const heard: AnyEventObject[] = [];
  const senders: Record<string, (event: AgentSessionEvent) => void> = {};
  const channel = (name: string) =>
    fromCallback<AnyEventObject, never, AgentSessionEvent>(({ sendBack, receive }) => {
      senders[name] = sendBack;
      receive((event) => void heard.push(event));
      return () => void heard.push({ type: `${name} stopped` });
    }) as never;
  const machine = agentSessionMachine.provide({
    actors: {
      serve: channel("serve"),
      work: channel("work"),
      inspect: fromCallback(({ sendBack }) => {
        if (inspection !== undefined) sendBack({ type: "hang.inspected", inspection });
      }) as never,
      prepare: fromPromise<PreparedAgent, never>(slots.prepare ?? (() => Promise.resolve(prepared))) as never,
      setUp: did("setUp", slots.setUp ?? (() => Promise.resolve())),
      collect: did("collect", slots.collect ?? (() => Promise.resolve({ trace, drift: [] }))),
      check: did("check", slots.check ?? (() => Promise.resolve({}))),
      tearDown: did("tearDown", slots.tearDown ?? (() => Promise.resolve([]))),
    },
  });
  const run = {
    agent: "claude",
    prompt: "p",
    playbook: { lanes: [{ name: "main", turns: [{ text: "a" }] }] },
    timeoutMs,
    ...more,
  };
  const parent = createActor(
    createMachine({
      invoke: { id: "session", src: machine, input: { requestId: "1", caller: "1", run } },
      on: { "task.*": { actions: ({ event }) => void facts.push(event) } },
    }),
    { clock },
  );
  parent.start();
  const child = parent.getSnapshot().children["session"]!;
  return {
    clock,
    /** Names of the steps that were taken in the project. */
    done,
    heard: () => heard.map(({ type }) => type),
    model: (event: AgentSessionEvent) => senders["serve"]!(event),
    agent: (event: AgentSessionEvent) => senders["work"]!(event),
    cancel: () => child.send({ type: "task.cancel" }),
    ask: (requestId = "1") =>
      senders["serve"]!({
        type: "model.requested",
        request: { requestId, lanes: [], holds: [], summary: "a request" },
      }),
    async start() {
      senders["serve"]!({ type: "model.listening", url: "http://127.0.0.1:1" });
      await settle();
    },
    async end(): Promise<AgentSessionResult> {
      await settle();
      t.equal(facts.length, 1, "it is answered once");
      t.ok(heard.some(({ type }) => type === "serve stopped"), "the model is not served any more");
      if (facts[0]!.type === "task.failed") throw facts[0]!["error"];
      return facts[0]!["result"] as AgentSessionResult;
    },
  };
}

t.test("an agent that takes its turns and ends with 0 has passed", async (t) => {
  const session = open();
  await session.start();
  session.ask();
  t.match(session.heard(), ["playbook.chose"]);
  session.agent({ type: "agent.concluded" });
  session.agent(exit(0));
  t.match(await session.end(), {
    agent: "claude",
    version: "1.2.3",
    failures: [],
    played: 1,
    stopped: undefined,
  });
});

t.test("an agent that ends with an error, or leaves turns, has failed with the reasons", async (t) => {
  const session = open();
  await session.start();
  session.agent(exit(3, "first\nInvalid API key\n"));
  t.strictSame((await session.end()).failures, [
    "playbook: lane main: turn 1 not played",
    "claude ended with exit code 3: first\nInvalid API key",
  ]);
});

t.test("an agent that never asks the model is stopped after a minute", async (t) => {
  const session = open();
  await session.start();
  session.clock.increment(60_000);
  t.ok(session.heard().includes("agent.stop"));
  session.agent(exit(143));
  const { stopped, failures } = await session.end();
  t.equal(stopped, "silent");
  t.match(
    failures.join("\n"),
    "for anything within 60 s; it may wait for a login, a permission or its servers",
  );
});

t.test("what an agent waited for before its limit is a part of the failure, and of the result", async (t) => {
  const inspection: HangInspection = {
    kind: "waiting",
    says: "hung: calls nothing: sh (7) waits for the end of sleep (8)",
    threads: [{ pid: 7, tid: 7, waits: "sh (7) waits for the end of sleep (8)" }],
  };
  for (
    const [asks, wholeMs, limitMs] of [[false, 300_000, 60_000], [false, 5000, 5000], [
      true,
      5000,
      5000,
    ]] as const
  ) {
    const session = open({ inspection, timeoutMs: wholeMs });
    await session.start();
    if (asks) session.ask();
    session.clock.increment(limitMs);
    session.agent(exit(143));
    const result = await session.end();
    t.strictSame(result.inspection, inspection);
    t.match(
      result.failures.at(-1),
      /stopped: .* s; hung: calls nothing: sh \(7\) waits for the end of sleep \(8\)$/,
    );
  }
  const early = open({ inspection });
  await early.start();
  early.clock.increment(59_000);
  early.ask();
  early.agent(exit(0));
  t.notHas(await early.end(), { inspection: {} }, "an agent that goes on was not hung");
});

t.test("where the whole time is shorter, what the agent was waiting for is told all the same", async (t) => {
  const silent = open({ timeoutMs: 5000 });
  await silent.start();
  silent.clock.increment(5000);
  silent.agent(exit(143));
  t.match(await silent.end(), { stopped: "silent", failures: [/not played/, /for anything within 5 s;/] });
  for (const works of [false, true]) {
    const asking = open({ timeoutMs: 5000 });
    await asking.start();
    if (works) asking.ask();
    asking.agent({ type: "agent.asked", dialog });
    asking.clock.increment(5000);
    asking.agent(exit(143));
    t.equal((await asking.end()).stopped, "asking");
  }
});

t.test("hooks that had not ended when the agent was stopped are named", async (t) => {
  const pendingHooks = ["PreToolUse:Bash"];
  const collect = () => Promise.resolve({ trace, drift: [], pendingHooks });
  const failures = async (ask: boolean, whole: number) => {
    const session = open({ collect, timeoutMs: whole });
    await session.start();
    if (ask) session.ask();
    session.clock.increment(whole);
    session.agent(exit(143));
    const result = await session.end();
    t.strictSame(result.pendingHooks, pendingHooks);
    return result.failures.at(-1);
  };
  t.equal(
    await failures(true, 7000),
    "claude was stopped: it ran for more than 7 s; its hooks had not ended: PreToolUse:Bash",
  );
  t.match(await failures(false, 7000), "within 7 s; its hooks had not ended: PreToolUse:Bash");
});

const dialog = { kind: "login" as const, words: "Select login method:" };

t.test("an agent that shows a dialog is stopped after 10 s, and the dialog is named", async (t) => {
  const session = open();
  await session.start();
  session.agent({ type: "agent.asked", dialog });
  session.clock.increment(10_000);
  t.ok(session.heard().includes("agent.stop"));
  session.agent(exit(143));
  const { stopped, failures } = await session.end();
  t.equal(stopped, "asking");
  t.match(failures.join("\n"), 'waits for a person (login): "Select login method:"; PTH starts it so that');
});

t.test("a dialog that the agent leaves by itself counts for nothing", async (t) => {
  const session = open();
  await session.start();
  session.agent({ type: "agent.asked", dialog });
  session.agent({ type: "agent.went_on" });
  session.clock.increment(20_000);
  session.agent({ type: "agent.asked", dialog });
  session.ask();
  session.agent({ type: "agent.asked", dialog: { kind: "permission", words: "Allow? [y/n]" } });
  session.clock.increment(29_000);
  session.agent({ type: "agent.went_on" });
  session.clock.increment(40_000);
  t.notOk(session.heard().includes("agent.stop"));
  session.agent({ type: "agent.asked", dialog: { kind: "permission", words: "Allow? [y/n]" } });
  session.clock.increment(30_000);
  session.agent(exit(143));
  t.match(await session.end(), { stopped: "asking", played: 1, failures: [/permission.*Allow/] });
});

t.test("a version that does not know an option is named with the way out", async (t) => {
  const session = open();
  await session.start();
  session.agent(exit(1, "error: unknown option '--include-hook-events'\n"));
  t.match((await session.end()).failures, [
    /not played/,
    /unknown option .*; version 1\.2\.3 does not know an option .*take another version/,
  ]);
});

t.test("on a slow machine the first request is waited for longer", async (t) => {
  const session = open({ prepare: () => Promise.resolve({ ...prepared, slowness: 2 }) });
  await session.start();
  session.clock.increment(119_000);
  t.notOk(session.heard().includes("agent.stop"));
  session.clock.increment(1000);
  t.ok(session.heard().includes("agent.stop"));
  session.agent(exit(143));
  t.equal((await session.end()).stopped, "silent");
});

t.test("an agent that goes on after a refusal is stopped", async (t) => {
  const session = open();
  await session.start();
  session.ask("1");
  session.ask("2");
  session.ask("3");
  t.strictSame(session.heard(), ["playbook.chose", "playbook.refused", "playbook.refused"]);
  session.clock.increment(30_000);
  session.agent(exit(143));
  const { stopped, failures } = await session.end();
  t.equal(stopped, "repeating");
  t.match(failures[0], "lane main has played its turn, and is asked for one more");
});

t.test("an agent that does not end after its last word is stopped; what it did still counts", async (t) => {
  const session = open();
  await session.start();
  session.ask();
  session.agent({ type: "agent.concluded" });
  session.clock.increment(30_000);
  session.agent(exit(143));
  t.match(await session.end(), { stopped: "lingering", played: 1 });
});

t.test("an agent that cannot be stopped is given up as lost, with its trace", async (t) => {
  const session = open();
  await session.start();
  session.ask();
  session.clock.increment(300_000);
  session.clock.increment(30_000);
  const { failures, exit, trace } = await session.end();
  t.equal(exit, undefined);
  t.equal(trace.format, "pth-agent-trace/1");
  t.strictSame(failures, ["claude was stopped: it ran for more than 300 s", "claude could not be stopped"]);
});

t.test("a cancel stops the agent, and is the error, wherever it comes", async (t) => {
  const running = open();
  await running.start();
  running.ask();
  running.cancel();
  t.ok(running.heard().includes("agent.stop"));
  running.agent(exit(143));
  await t.rejects(running.end(), { name: "AbortError" });
  const starting = open();
  starting.cancel();
  await t.rejects(starting.end(), { name: "AbortError" });
  const preparing = open({ prepare: () => new Promise(() => {}) });
  await preparing.start();
  preparing.cancel();
  await t.rejects(preparing.end(), { name: "AbortError" });
});

t.test("what cannot be served, prepared, started or collected is the error, as is what takes too long", async (t) => {
  const fails = () => Promise.reject(new Error("it failed"));
  const unserved = open();
  unserved.model({ type: "model.failed", error: new Error("no port") });
  await t.rejects(unserved.end(), { message: "no port" });
  const unprepared = open({ prepare: fails });
  await unprepared.start();
  await t.rejects(unprepared.end(), { message: "it failed" });
  const unstarted = open();
  await unstarted.start();
  unstarted.agent({ type: "agent.failed", error: new Error("no program") });
  await t.rejects(unstarted.end(), { message: "no program" });
  const uncollected = open({ collect: fails });
  await uncollected.start();
  uncollected.agent(exit(0));
  await t.rejects(uncollected.end(), { message: "it failed" });
  const slow = open({ collect: () => new Promise(() => {}) });
  await slow.start();
  slow.agent(exit(0));
  await settle();
  slow.clock.increment(30_000);
  await t.rejects(slow.end(), { message: "Cannot collect the trace: it took too long" });
});

const start = { root: "/f", files: [], git: false, commands: [] };
const staged = {
  start,
  checks: [{ name: "c", script: "true", timeoutMs: 1000 }],
  teardown: ["rm -f x"],
};

t.test("a project is set up before the agent is prepared, checked once it has ended, and torn down", async (t) => {
  const session = open(
    {
      check: () => Promise.resolve({ c: { code: 1, stdout: "", stderr: "" } }),
      tearDown: () => Promise.resolve(["teardown: `rm -f x` exited with 1"]),
    },
    staged,
  );
  await session.start();
  await settle();
  session.ask();
  session.agent(exit(0));
  const { checks, failures } = await session.end();
  t.same(session.done, ["setUp", "collect", "check", "tearDown"]);
  t.same(checks, { c: { code: 1, stdout: "", stderr: "" } }, "a check that fails is an outcome");
  t.same(failures, ["teardown: `rm -f x` exited with 1"]);
});

t.test("a project is torn down however the session goes", async (t) => {
  const broken = () => Promise.reject(new Error("broken"));
  const failed = {
    "its setup fails": open({ setUp: broken }, staged),
    "the agent cannot be prepared": open({ prepare: broken }, staged),
    "the trace cannot be collected": open({ collect: broken }, staged),
    "the checks cannot be run": open({ check: broken }, staged),
    "the model is lost": open({}, staged),
  };
  for (const [when, session] of Object.entries(failed)) {
    await session.start();
    await settle();
    if (when.includes("model")) session.model({ type: "model.failed", error: new Error("broken") });
    else if (/trace|checks/.test(when)) session.agent(exit(0));
    await t.rejects(session.end(), { message: "broken" }, when);
    t.equal(session.done.at(-1), "tearDown", when);
  }
  const cancelled = open({}, staged);
  await cancelled.start();
  await settle();
  cancelled.cancel();
  cancelled.agent(exit(143));
  await t.rejects(cancelled.end(), { name: "AbortError" });
  t.equal(cancelled.done.at(-1), "tearDown");
});

t.test("a teardown that hangs is given up after a minute, and one that throws is told", async (t) => {
  const hanging = open({ tearDown: () => new Promise(() => {}) }, { start, teardown: ["sleep 1000"] });
  await hanging.start();
  await settle();
  hanging.ask();
  hanging.agent(exit(0));
  await settle();
  hanging.clock.increment(60_000);
  t.same((await hanging.end()).failures, ["the teardown took too long"]);
  const throwing = open({ tearDown: () => Promise.reject(new Error("no room")) }, {
    start,
    teardown: ["true"],
  });
  await throwing.start();
  await settle();
  throwing.ask();
  throwing.agent(exit(0));
  t.same((await throwing.end()).failures, ["no room"]);
});

t.test("without a model there is no project yet, and none is torn down", async (t) => {
  const session = open({}, staged);
  session.model({ type: "model.failed", error: new Error("no port") });
  await t.rejects(session.end(), { message: "no port" });
  t.same(session.done, []);
});
