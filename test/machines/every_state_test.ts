import t from "tap";
import type { AnyStateMachine } from "xstate";
import * as machines from "../../machines/mod.ts";
import { done, event, failed, restingStates, visitedStates, type Walk } from "./walk.ts";
import { testOf } from "../src/testing/observed.ts";

const plan = {
  name: "p",
  source: "p",
  folder: "/work/plugin",
  server: { type: "stdio", command: ["x"], env: {}, cwd: "/" },
};
const opened = { server: { name: "s", version: "1" }, pid: 7, tools: [] };
const outcome = { kind: "result", text: "", isError: false, violations: [], durationMs: 1, raw: {} };
const refused = { ...outcome, isError: true };
const loss = { reason: "exited", exitCode: 1, signal: null, stderrTail: "", message: "" };
const environment = { handle: { environmentId: "e" }, state: {}, mount: {}, reason: "", config: {} };
const needy = { ...environment, config: { dependencyPlugins: [{ source: "/d", name: "d" }] } };
const ref = { send() {}, id: "ref" };
const test = testOf({ input: {} });
const full = {
  ...test,
  control: { input: {} },
  verify: [{ exec: "true", expect: {} }],
  setup: [{ exec: "true" }],
  teardown: [{ exec: "true" }],
};
const verdict = { status: "passed", findings: [] };
const call = { kind: "call", tool: "echo", input: {} };
const step = { action: call, expect: {}, capture: {}, verify: [] };
const seen = { action: call, outcome, unscripted: [], unused: { elicitation: 0, sampling: 0 } };
const planned = (changes: object, more: object = {}) => ({
  planned: { test: { ...test, ...changes }, timeoutMs: 10, extendable: true, openEnded: true, ...more },
  rules: { isolation: "shared", strict: false },
  pool: ref,
  control: undefined,
});
const granted = event("lease.granted", { leaseId: "t", connectionId: "c", connection: ref, pid: 7 });

const standing = (...failing: string[]) => ({
  total: 2,
  passed: 1,
  skipped: 0,
  failing: failing.map((id) => ({ id, name: id })),
});

const entry = (name: string) => ({ name, distro: name });
const matrixRun = (run: object = {}) => ({
  primary: entry("a"),
  others: [entry("b")],
  run,
  primaryFirst: false,
});
const looked = (state: string, ...failing: string[]) => ({
  outcome: { state, standing: standing(...failing), fixes: [] },
  look: { results: [], summary: { passed: 1, flaky: 0, failed: failing.length }, groups: [] },
  ms: 1,
});

const sighting = { kind: "waiting", says: "hung: calls nothing", threads: [] };

const testEvents = [
  granted,
  event("lease.refused", { leaseId: "t", error: new Error("none") }),
  event("connection.lost", { connectionId: "c", loss }),
  event("call.completed", { callId: "t", outcome }),
  event("call.completed", { callId: "t", outcome: refused }),
  event("call.failed", { callId: "t", error: new Error("no") }),
  event("call.progressed", { callId: "t" }),
  event("xstate.after.limit.test.running.clock.ticking"),
  event("xstate.after.limit.test.running.clock.lastWait"),
  event("hang.inspected", { inspection: sighting }),
  event("xstate.after.ceiling.test.running.clock"),
  done("0.test.endingRetained"),
  event("pool.vacated"),
  done("0.test.checking", verdict),
  failed("0.test.checking"),
  done("0.test.running.clock.checkingLife", true),
  done("0.test.running.clock.checkingLife", false),
  done("0.test.running.work.preparing"),
  failed("0.test.running.work.preparing"),
  done("0.test.running.work.verifying", []),
  event("step.performed", { callId: "t", seen }),
  done("0.test.running.work.stepping.verifying", []),
  failed("0.test.running.work.stepping.verifying"),
  done("0.test.running.work.stepping.weighing", { ...seen, commands: [], captured: {}, verdict }),
  failed("0.test.running.work.stepping.weighing"),
  done("0.test.timingOut", true),
  failed("0.test.timingOut"),
  done("0.test.judging", verdict),
  failed("0.test.judging"),
  done("0.test.cleaningUp"),
];

const sessionEvents = [
  done("0.session.preparing", { sessionId: "s", notes: [] }),
  failed("0.session.preparing"),
  event("session.provision", { requestId: "1", config: {} }),
  event("environment.provisioned", { environment: needy, tierAsked: false }),
  event("session.rollback", { requestId: "1r", snapshot: "a" }),
  event("environment.rolled_back", { environment: needy }),
  event("environment.rollback_failed"),
  event("session.start_dependencies", { requestId: "8" }),
  event("session.cancel_dependencies"),
  event("dependencies.started"),
  event("dependencies.failed", { error: new Error("no") }),
  event("dependencies.stopped"),
  event("session.stop_dependencies", { requestId: "9" }),
  event("session.cancel_provision"),
  event("environment.provisioned", { environment, tierAsked: false }),
  event("environment.provision_failed", { error: new Error("no") }),
  event("environment.destroyed"),
  event("session.destroy_environment", { requestId: "2" }),
  event("environment.destroy_failed", { error: new Error("no") }),
  event("session.abandon_environment", { requestId: "2a" }),
  event("session.load", { requestId: "3", load: {} }),
  event("session.cancel_load"),
  event("plugin.started", { plan, pool: ref, ...opened }),
  event("plugin.failed", { error: new Error("no") }),
  event("session.reload", { requestId: "4" }),
  event("plugin.reloaded", { plan, pool: ref, closed: [], before: opened.tools, ...opened }),
  event("plugin.reload_failed", { error: new Error("no"), serverRuns: true, before: [] }),
  event("plugin.reload_failed", { error: new Error("no"), serverRuns: false, before: [] }),
  event("session.unload", { requestId: "5" }),
  event("plugin.stopped", { closed: [] }),
  event("session.run_suite", { requestId: "6", tests: [], workers: 1, rules: {}, bail: undefined }),
  event("suite.finished", { ran: 0, reason: "complete" }),
  event("session.measure_performance", { requestId: "6p", request: {}, known: {} }),
  event("session.cancel_performance"),
  event("performance.finished", { report: {} }),
  event("performance.failed", { error: new Error("no") }),
  event("session.begin_agent_run", { requestId: "6a", runId: "r", test: planned({}).planned }),
  event("agent_run.began", { runId: "r", connectionId: "c", pid: 7 }),
  event("session.agent_call", { requestId: "6b", tool: "echo", input: {} }),
  event("agent_run.answered", { outcome }),
  event("agent_run.call_failed", { error: new Error("no") }),
  event("session.close_agent_run", { requestId: "6c", checklist: [] }),
  event("session.cancel_agent_call"),
  event("session.abandon_agent_run", { reason: "cannot" }),
  event("agent_run.finished", { runId: "r", testId: "t", verdict, work: { calls: [], commands: [] } }),
  event("session.work", { requestId: "7", kind: "diff", args: {} }),
  event("session.cancel_work", { requestId: "7" }),
  event("work.completed", { output: 1 }),
  event("work.failed", { error: new Error("no") }),
  event("session.iterate", {
    requestId: "8",
    run: {},
    standing: standing("a"),
    history: { records: [], last: 0 },
  }),
  event("iteration.ended", { outcome: {} }),
  event("iteration.phase", { iteration: 1, phase: "testing" }),
  event("iteration.failed", { error: new Error("no") }),
  event("session.cancel_iteration"),
  event("session.end", { keep: false }),
  event("session.end", { keep: true }),
  done("0.session.ending.releasing", { branchKept: false, commits: 0, leftBehind: [], kept: [] }),
  failed("0.session.ending.releasing"),
];

/** On their own: beside all the other regions there would be too many states to walk. */
const matrixEvents = [
  ...sessionEvents.slice(0, 1),
  event("session.provision", { requestId: "1", config: {} }),
  event("environment.provisioned", { environment, tierAsked: false }),
  event("session.run_matrix", { requestId: "9v", run: matrixRun() }),
  event("session.answer_matrix", { requestId: "9a", answer: { skip: true } }),
  event("matrix.ended", { outcome: {} }),
  event("matrix.phase", { entry: "debian13", phase: "verifying" }),
  event("matrix.failed", { error: new Error("no") }),
  event("session.cancel_matrix"),
  event("session.stop_work", { requestId: "9s" }),
];

const task = { requestId: "1", caller: "1" };
const loadEvents = [
  event("task.cancel"),
  done("step", ["A"]),
  failed("step"),
];

const plannedEval = {
  case: { name: "e", folder: "evals/e" },
  by: "pth",
  runs: 1,
  sessions: { work: {}, judges: [{}] },
};

const walks: Record<string, Walk[]> = {
  harness: [{
    events: [
      event("harness.start", { session: { sessionId: "s", target: {}, mode: "run", force: false } }),
      event("harness.session_opened"),
      event("harness.session_ended", { end: undefined, error: undefined }),
      event("harness.end", { keep: false }),
    ],
  }],
  session: [{
    input: { sessionId: "s", target: {}, mode: "run", force: false },
    events: sessionEvents,
    distinguish: (context: { environment: unknown; dependencies: unknown; plugin: unknown }) => [
      context.environment !== undefined,
      context.dependencies !== undefined,
      context.plugin !== undefined,
    ],
  }, {
    input: { sessionId: "s", target: {}, mode: "run", force: false },
    events: matrixEvents,
  }],
  environment: [{
    input: { config: {} },
    events: [
      event("environment.provision"),
      done("0.environment.provisioning", { environment, tierAsked: false }),
      failed("0.environment.provisioning"),
      event("environment.snapshot", { requestId: "1", tag: "a" }),
      done("0.environment.snapshotting", "a"),
      failed("0.environment.snapshotting"),
      event("environment.rollback", { requestId: "2", snapshot: "a" }),
      done("0.environment.rollingBack", environment),
      failed("0.environment.rollingBack"),
      event("environment.perform", { requestId: "3", kind: "exec", args: {} }),
      event("environment.destroy"),
      done("0.environment.destroying"),
      failed("0.environment.destroying"),
    ],
  }],
  dependencies: [{
    input: { environment: environment.handle, names: ["a", "b"] },
    events: [
      event("plugin.started", { plan, pool: ref, ...opened }),
      event("plugin.failed", { error: new Error("no") }),
      event("plugin.stopped", { closed: [] }),
      event("dependencies.restart", { environment: environment.handle }),
      event("dependencies.rest"),
      event("dependencies.wake"),
      event("dependencies.stop"),
    ],
    distinguish: ({ running }: { running: unknown[] }) => running.length,
  }],
  plugin: [{
    input: { environment: environment.handle, load: {} },
    events: [
      ...["loading", "reloading"].flatMap((load) =>
        ["planning", "installing", "building"].flatMap((step) => [
          done(`0.plugin.${load}.${step}`, plan),
          failed(`0.plugin.${load}.${step}`),
        ])
      ),
      event("pool.opened", opened),
      event("pool.failed", { error: new Error("no") }),
      event("pool.closed", { reports: [] }),
      event("plugin.reload"),
      event("plugin.cancel_reload"),
      event("plugin.rest"),
      event("plugin.wake"),
      event("plugin.stop"),
    ],
    distinguish: ({ pool }: { pool: unknown }) => pool !== undefined,
  }],
  pool: [{
    input: { plan, size: 2 },
    events: [
      event("connection.opened", { connectionId: "connection-1", ...opened }),
      event("connection.open_failed", { connectionId: "connection-1", error: new Error("no") }),
      event("connection.closed", { connectionId: "connection-1", report: undefined }),
      event("connection.lost", { connectionId: "connection-1", loss }),
      event("lease.requested", { leaseId: "a", holder: ref }),
      event("lease.released", { leaseId: "a", restart: true }),
      event("pool.rest"),
      event("pool.wake"),
      event("pool.vacate", { asker: ref }),
      event("pool.close"),
    ],
    distinguish: ({ members, opened }: { members: Record<string, { state: string }>; opened: number }) =>
      opened > 3 ? "many" : Object.values(members).map(({ state }) => state),
  }],
  connection: [{
    input: { connectionId: "c", instance: 0, plan },
    events: [
      event("connection.starting", { limitMs: 60_000 }),
      event("xstate.after.calm.connection.connecting.starting"),
      event("hang.inspected", { inspection: sighting }),
      done("0.connection.explaining", new Error("no")),
      failed("0.connection.explaining"),
      done("0.connection.connecting", opened),
      failed("0.connection.connecting"),
      done("0.connection.open", loss),
      event("connection.call", { callId: "1", tool: "echo", input: {}, caller: ref }),
      event("call.completed", { callId: "1", outcome }),
      event("connection.perform", { callId: "1", step, variables: {}, caller: ref }),
      event("step.performed", { callId: "1", seen }),
      event("connection.cancel_call"),
      event("connection.close"),
      done("0.connection.closing", { how: "stdin-eof", waitedMs: 1, exitCode: 0, orphans: [] }),
      failed("0.connection.closing"),
    ],
    distinguish: ({ opening: { inspection } }: { opening: { inspection?: object } }) =>
      inspection !== undefined,
  }],
  suite: [{
    input: {
      pool: ref,
      tests: [planned({}).planned, planned({ id: "u" }).planned],
      workers: 1,
      rules: { isolation: "shared", strict: false },
      bail: undefined,
    },
    events: [
      event("test.finished", { testId: "t", verdict, observation: { commands: [], outcome } }),
      event("test.finished", { testId: "u", verdict, observation: { commands: [] } }),
      event("suite.cancel"),
    ],
    distinguish: ({ finished }: { finished: number }) => finished,
  }, {
    input: {
      pool: ref,
      tests: Array.from({ length: 9 }, (_, at) => planned({ id: `${at}` }).planned),
      workers: 3,
      rules: { isolation: "shared", strict: false, startMs: 10 },
      bail: undefined,
    },
    events: [
      done("0.suite.running.fewServers", { elapsedMs: 25, ownMs: 1 }),
      failed("0.suite.running.fewServers"),
      event("suite.cancel"),
    ],
    distinguish: ({ pace: { servers } }: { pace: { servers: number } }) => servers,
  }],
  order: [{
    input: { pool: ref, rules: { isolation: "shared", strict: false } },
    events: [
      event("order.check", {
        entries: [{
          planned: planned({}, { group: "g" }).planned,
          verdict,
          observation: { commands: [], outcome },
        }],
      }),
      event("test.finished", {
        testId: "t",
        verdict: { status: "failed", findings: [] },
        observation: { commands: [] },
        connectionId: "c",
      }),
      event("test.finished", { testId: "t", verdict, observation: { commands: [] }, connectionId: "c" }),
      event("order.cancel"),
      event("xstate.after.looking.order.looking"),
    ],
    distinguish: ({ suspects, search }: { suspects: unknown[]; search: unknown }) =>
      `${suspects.length} ${search === undefined}`,
  }],
  test: [
    { input: planned({}, { skip: "why" }), events: testEvents },
    { input: planned({ check: "ends_on_eof" }), events: testEvents },
    { input: { ...planned({}), alone: true }, events: testEvents },
    { input: planned({}), events: testEvents },
    { input: planned(full), events: testEvents },
    {
      input: planned({ ...full, steps: [step, { ...step, verify: full.verify }] }),
      events: testEvents,
      distinguish: ({ step }: { step: { index: number } }) => step.index,
    },
  ],
  agentRun: [{
    input: { runId: "r", planned: planned({ verify: [{ exec: "true", expect: {} }] }).planned, pool: ref },
    events: [
      granted,
      event("lease.refused", { leaseId: "r", error: new Error("none") }),
      done("0.agentRun.preparing"),
      failed("0.agentRun.preparing"),
      event("agent_run.call", { callId: "1", tool: "echo", input: {} }),
      event("call.completed", { callId: "1", outcome }),
      event("call.failed", { callId: "1", error: new Error("no") }),
      event("agent_run.cancel_call"),
      event("connection.lost", { connectionId: "c", loss }),
      event("agent_run.abandon", { reason: "cannot" }),
      event("agent_run.close", { checklist: [] }),
      event("xstate.after.limit.agentRun.preparing"),
      event("xstate.after.limit.agentRun.working"),
      event("xstate.after.limit.agentRun.verifying"),
      done("0.agentRun.verifying", []),
      failed("0.agentRun.verifying"),
      done("0.agentRun.judging", verdict),
      failed("0.agentRun.judging"),
      done("0.agentRun.cleaningUp"),
      event("xstate.after.teardown.agentRun.cleaningUp"),
    ],
    distinguish: ({ work }: { work: { calls: unknown[] } }) => work.calls.length > 0,
  }],
  promptTest: [{
    input: {
      planned: planned(full, { agent: { work: {}, judge: {}, startsServer: true } }).planned,
      pool: ref,
    },
    events: [
      event("pool.vacated"),
      event("test.cancel"),
      done("0.promptTest.preparing"),
      failed("0.promptTest.preparing"),
      event("task.completed", {
        requestId: "t",
        result: { failures: [], trace: { timeline: [], changes: [] } },
      }),
      event("task.failed", { requestId: "t", error: new Error("no") }),
      event("xstate.after.limit.promptTest.acting"),
      event("xstate.after.lost.promptTest.acting"),
      done("0.promptTest.acting.verifying", []),
      failed("0.promptTest.acting.verifying"),
      done("0.promptTest.judging", verdict),
      failed("0.promptTest.judging"),
      done("0.promptTest.cleaningUp"),
      event("xstate.after.teardown.promptTest.cleaningUp"),
    ],
    distinguish: (
      { work, cancelled }: { work: object; cancelled: boolean },
    ) => [Object.keys(work), cancelled],
  }],
  agentSession: [{
    input: {
      ...task,
      run: {
        agent: "claude",
        playbook: { lanes: [{ name: "main", turns: [{ text: "a" }] }] },
        timeoutMs: 1,
        start: { root: "/f", files: [], git: false, commands: [] },
        checks: [{ name: "c", script: "true", timeoutMs: 1 }],
        teardown: ["true"],
      },
    },
    events: [
      event("model.listening", { url: "u" }),
      event("model.failed", { error: new Error("no") }),
      event("model.requested", { request: { requestId: "1", lanes: [], holds: [], summary: "s" } }),
      event("playbook.refused", { requestId: "1", message: "no" }),
      event("playbook.ended", { failures: [], played: 1 }),
      done("0.agentSession.serving.settingUp"),
      failed("0.agentSession.serving.settingUp"),
      done("0.agentSession.serving.preparing", { version: "1" }),
      failed("0.agentSession.serving.preparing"),
      event("hang.inspected", { inspection: sighting }),
      event("agent.concluded"),
      event("agent.asked", { dialog: { kind: "login", words: "Log in:" } }),
      event("agent.went_on"),
      event("model.used", { usage: { input_tokens: 1 } }),
      event("agent.ended", { exit: { code: 0, signal: null, stderr: "" } }),
      event("task.cancel"),
      event("xstate.after.whole.agentSession.serving.running"),
      done("0.agentSession.serving.collecting", { drift: [] }),
      failed("0.agentSession.serving.collecting"),
      done("0.agentSession.serving.checking", {}),
      failed("0.agentSession.serving.checking"),
      done("0.agentSession.serving.tearingDown", []),
      failed("0.agentSession.serving.tearingDown"),
    ],
    distinguish: (
      { error, ended, cancelled }: { error: unknown; ended: { collected?: object }; cancelled: boolean },
    ) => [error !== undefined, ended.collected !== undefined, cancelled],
  }],
  fixtureRun: [{
    input: {
      ...task,
      run: {
        fixture: { name: "f" },
        tests: [{ id: "a", name: "a" }, { id: "b", name: "b", skip: "not now" }],
        retries: 1,
      },
    },
    events: [
      ...["pass", "fail"].map((status) =>
        done("step", {
          request: {},
          startedAt: 0,
          id: "a",
          judgement: { status, expectations: [] },
          attempts: 1,
        })
      ),
      failed("step"),
      event("task.cancel"),
    ],
    distinguish: ({ next, attempt, cancelled }: { next: number; attempt: number; cancelled: boolean }) => [
      next,
      attempt,
      cancelled,
    ],
  }],
  hangInspection: [
    sighting,
    { ...sighting, kind: "deadlock", certain: true },
    { ...sighting, kind: "gone" },
  ].map((inspection) => ({
    input: { of: { connectionId: "c" }, leftMs: 2000 },
    events: [
      event("hang.sampled", { inspection }),
      event("hang.not_sampled", { reason: "r" }),
      failed("sampler"),
      event("xstate.after.pause.hangInspection.pausing"),
      event("xstate.after.left.hangInspection"),
      event("xstate.after.capture.hangInspection.capturing"),
      done("0.hangInspection.capturing", inspection),
      failed("0.hangInspection.capturing"),
    ],
    distinguish: ({ samples, hits }: { samples: number; hits: number }) => [samples, hits],
  })),
  stuckDetector: [
    { kind: "working" },
    { kind: "gone" },
    { kind: "deadlock", certain: true, threads: [1, 2], cycle: [], detail: "d" },
    { kind: "deadlock", certain: false, threads: [1, 2], cycle: [], detail: "d" },
    { kind: "infinite_loop", certain: false, threads: [1], alone: true, detail: "d" },
  ].map((judgement) => ({
    input: { pid: 1, deadlineAt: 1 },
    events: [
      ...Array.from({ length: 12 }, (_, at) => event("sample.taken", { number: at, judgement, costMs: 1 })),
      event("output"),
      event("watch.end"),
      event("sampler.failed", { reason: "r" }),
      failed("sampler"),
      event("xstate.after.silence.stuckDetector.watching.quiet"),
      event("xstate.after.sampling.stuckDetector.watching.sampling"),
      event("xstate.after.pause.stuckDetector.watching.pausing"),
      event("xstate.after.proof.stuckDetector.watching.proving"),
      event("xstate.after.capture.stuckDetector.watching.examining"),
      event("xstate.after.capture.stuckDetector.capturing"),
      ...[true, false].map((proven) => done("0.stuckDetector.watching.proving", { proven, detail: "d" })),
      failed("0.stuckDetector.watching.proving"),
      done("0.stuckDetector.watching.examining", { threads: [], method: "m", notes: [] }),
      done("0.stuckDetector.watching.examining", { threads: [], method: "m", notes: [], cycle: ["a"] }),
      failed("0.stuckDetector.watching.examining"),
      done("0.stuckDetector.capturing", { threads: [], method: "m", notes: [] }),
      failed("0.stuckDetector.capturing"),
    ],
    distinguish: ({ hits, told, asked }: { hits: number; told: boolean; asked: number }) =>
      asked < 12 ? [hits, told, asked] : "late",
  })),
  hookRun: [{
    input: {
      ...task,
      run: {
        event: "Stop",
        hooks: [{ id: 0, limitMs: 1, type: "command", command: "x" }],
        payload: {},
        env: {},
        plugin: "p",
      },
    },
    events: [
      done("0.hookRun.preparing", { before: {} }),
      failed("0.hookRun.preparing"),
      event("xstate.after.preparation.hookRun.preparing"),
      done("0.hookRun.running", { payload: {}, runs: [] }),
      failed("0.hookRun.running"),
      event("xstate.after.running.hookRun.running"),
      done("0.hookRun.collecting", []),
      failed("0.hookRun.collecting"),
      event("xstate.after.collection.hookRun.collecting"),
      event("task.cancel"),
    ],
    distinguish: ({ cancelled }: { cancelled: boolean }) => cancelled,
  }],
  projectTestRun: [{
    input: { ...task, run: { projectRoot: "/p" } },
    events: [
      done("0.projectTestRun.opening"),
      failed("0.projectTestRun.opening"),
      done("0.projectTestRun.detecting", { found: [{ framework: "x", confidence: 1, reason: "" }] }),
      done("0.projectTestRun.detecting", { found: [] }),
      failed("0.projectTestRun.detecting"),
      done("0.projectTestRun.planning", {
        plan: 0,
        preparation: [{ argv: ["make"] }],
        runs: [{ argv: ["a"] }],
      }),
      failed("0.projectTestRun.planning"),
      done("0.projectTestRun.preparing", true),
      done("0.projectTestRun.preparing", false),
      failed("0.projectTestRun.preparing"),
      done("0.projectTestRun.testing.running", { unfinished: [] }),
      done("0.projectTestRun.testing.running", { unfinished: [{ name: "a" }, { name: "b" }] }),
      failed("0.projectTestRun.testing.running"),
      event("run.started", { pid: 1, deadlineAt: 1 }),
      event("stuck.certain", { judgement: { kind: "working" } }),
      event("stuck.not_watched", { reason: "r" }),
      event("xstate.after.whole.projectTestRun.testing"),
      done("0.projectTestRun.testing.running.capturing", { running: [], elapsedMs: 1 }),
      failed("0.projectTestRun.testing.running.ending"),
      done("0.projectTestRun.testing.planningSuspect", { plan: 1, preparation: [], runs: [{ argv: ["a"] }] }),
      done("0.projectTestRun.reporting", { framework: "x", summary: null }),
      failed("0.projectTestRun.reporting"),
      done("0.projectTestRun.clearing"),
      failed("0.projectTestRun.clearing"),
      event("task.cancel"),
    ],
    distinguish: ({ planned, watch: { isOverdue }, error, answer }: {
      planned: { ended: object } | undefined;
      watch: { isOverdue: boolean };
      error: unknown;
      answer: unknown;
    }) => [planned?.ended, isOverdue, error === undefined, answer === undefined],
  }],
  evalCase: [{
    input: { requestId: "1", planned: plannedEval, place: 0, run: 1 },
    events: [
      event("eval_case.cancel"),
      event("task.completed", { requestId: "1", result: { failures: [] } }),
      event("task.failed", { requestId: "1", error: new Error("no") }),
      done("0.evalCase.grading", { ask: "Is it?" }),
      done("0.evalCase.grading", { graders: [], problems: [], warnings: [] }),
      failed("0.evalCase.grading"),
      event("xstate.after.grading.evalCase.grading"),
      done("0.evalCase.tearingDown"),
      failed("0.evalCase.tearingDown"),
      event("xstate.after.teardown.evalCase.tearingDown"),
    ],
    distinguish: (
      { judgements, cancelled }: { judgements: unknown[]; cancelled: boolean },
    ) => [judgements.length, cancelled],
  }],
  evalRun: [{
    input: { ...task, evals: { agent: { agent: "claude" }, by: "pth", workers: 1 } },
    events: [
      event("task.cancel"),
      done("0.evalRun.planning", { cases: [plannedEval], warnings: [] }),
      failed("0.evalRun.planning"),
      ...[undefined, Object.assign(new Error("gone"), { code: "ENVIRONMENT_LOST" })].map((error) =>
        event("eval_case.finished", {
          place: 0,
          run: 1,
          result: { status: "passed", score: 1, graders: [], problems: [], warnings: [] },
          error,
        })
      ),
    ],
    distinguish: ({ done }: { done: number }) => done,
  }],
  playbook: [{
    input: { playbook: { lanes: [{ name: "main", turns: [{ text: "a" }] }] } },
    events: [
      event("playbook.requested", {
        request: { requestId: "1", lanes: [], holds: [], summary: "a request" },
      }),
      event("playbook.broke", { message: "no" }),
      event("playbook.end"),
    ],
    distinguish: ({ played }: { played: number }) => played,
  }, {
    input: { playbook: { lanes: [] }, upstream: true },
    events: [
      event("playbook.requested", {
        request: { requestId: "1", lanes: [], holds: [], summary: "a request" },
      }),
      event("playbook.broke", { message: "no", upstream: true }),
      event("playbook.end"),
    ],
    distinguish: () => 0,
  }],
  performance: [{
    input: { request: {}, known: {}, pool: ref },
    events: [
      done("0.performance.preparing", { tools: [{ tool: "echo", inputs: [{}], calls: 1 }], unmeasured: [] }),
      failed("0.performance.preparing"),
      granted,
      event("lease.refused", { leaseId: "p", error: new Error("none") }),
      event("connection.lost", { connectionId: "c", loss }),
      done("0.performance.measuring", { tool: "echo", input: {}, measured: { responseMs: {} }, notes: [] }),
      failed("0.performance.measuring"),
      done("0.performance.assessing", {}),
      failed("0.performance.assessing"),
      event("performance.cancel"),
    ],
    distinguish: ({ step, next }: { step: string; next: number }) => [step, next],
  }],
  iteration: [{
    input: { records: [], last: 0 },
    events: [
      event("iteration.run", {
        run: { maxIterations: 2, fixer: "mend" },
        standing: standing(),
        statuses: {},
        caller: "1",
      }),
      event("iteration.run", { run: { scope: "failing" }, standing: standing(), statuses: {}, caller: "1" }),
      event("iteration.run", { run: { fixes: [] }, standing: standing("a"), statuses: {}, caller: "1" }),
      event("iteration.cancel"),
      event("iteration.give_up"),
      done("step", { fix: { commit: "c", title: "t", files: [] } }),
      failed("step"),
      failed("step", { code: "EDIT_FAILED" }),
      ...["testing", "retesting", "confirming"].flatMap((phase) => [
        done(`0.iteration.working.${phase}.choosing`, { suite: {}, partial: phase === "retesting" }),
        failed(`0.iteration.working.${phase}.choosing`),
        done(`0.iteration.working.${phase}.reading`, { standing: standing(), statuses: {}, ms: 1 }),
        done(`0.iteration.working.${phase}.reading`, { standing: standing("a"), statuses: {}, ms: 1 }),
        failed(`0.iteration.working.${phase}.reading`),
      ]),
      ...["testing", "reloading"].flatMap((phase) => [
        done(`0.iteration.working.${phase}.inspecting`, undefined),
        done(`0.iteration.working.${phase}.inspecting`, { type: "session.reload_plugin" }),
        failed(`0.iteration.working.${phase}.inspecting`),
        done(`0.iteration.working.${phase}.settling`, { newTests: 0, ms: 1 }),
        done(`0.iteration.working.${phase}.settling`, { newTests: 0, ms: 1, loadError: "no" }),
        failed(`0.iteration.working.${phase}.settling`),
      ]),
      done("0.iteration.working.diagnosing", { diagnosis: { groups: [], diagnoses: [] }, ms: 1 }),
      done("0.iteration.working.fixing.proposing", { ms: 1 }),
      done("0.iteration.working.fixing.proposing", { proposal: { title: "t" }, ms: 1 }),
      done("0.iteration.working.fixing.proposing", { refused: { title: "t", reason: "no" }, ms: 1 }),
      done("0.iteration.working.recording.summarizing", {
        record: {
          number: 1,
          before: standing("a"),
          after: standing("a"),
          broken: [],
          mended: [],
          fixes: [],
        },
        checkpoint: {},
      }),
      failed("0.iteration.working.recording.summarizing"),
    ],
    // How often the loop went round tells nothing new after the second time.
    distinguish: (
      { run, records, turn }: {
        run: object;
        records: unknown[];
        turn: { fixed?: { fixes: unknown[] } } | undefined;
      },
    ) => [
      Object.keys(run),
      Math.min(records.length, 2),
      (turn?.fixed?.fixes.length ?? 0) > 0,
    ],
  }],
  matrix: [{
    events: [
      event("matrix.run", { run: matrixRun(), caller: "1" }),
      event("matrix.run", { run: matrixRun({ fixer: "mend" }), caller: "1" }),
      event("matrix.answer", { answer: { fixes: [] }, caller: "1" }),
      event("matrix.answer", { answer: { skip: true }, caller: "1" }),
      event("matrix.cancel"),
      event("matrix.give_up"),
      done("step", {}),
      failed("step"),
      done("0.matrix.visiting.provisioning.configuring", {}),
      failed("0.matrix.visiting.provisioning.configuring"),
      done("0.matrix.visiting.provisioning.confirming", { environment: {}, ms: 1 }),
      failed("0.matrix.visiting.provisioning.confirming"),
      ...["testing", "fixing"].flatMap((phase) => [
        done(`0.matrix.visiting.${phase}.preparing`, { type: "session.iterate" }),
        failed(`0.matrix.visiting.${phase}.preparing`),
        done(`0.matrix.visiting.${phase}.reading`, looked("green")),
        done(`0.matrix.visiting.${phase}.reading`, looked("awaiting_fixes", "a")),
        failed(`0.matrix.visiting.${phase}.reading`),
      ]),
    ],
    distinguish: (
      { request, index, seen }: {
        request: { run: object } | undefined;
        index: number;
        seen: { report: { state: string } }[];
      },
    ) => [Object.keys(request?.run ?? {}), index, seen.map(({ report }) => report.state)],
  }],
  step: [{
    input: { request: { type: "session.reload" }, cancelled: false },
    events: [
      event("request.completed", { requestId: "1", result: 1 }),
      event("request.failed", { requestId: "1", error: new Error("no") }),
      event("task.cancel"),
    ],
  }],
  load: [
    { input: { ...task, load: {}, reload: false, running: true, dependencies: true }, events: loadEvents },
    { input: { ...task, load: {}, reload: true, running: true, dependencies: true }, events: loadEvents },
  ],
  fix: [{
    input: { ...task, request: { snapshot: true }, reload: true, save: true },
    events: [event("task.cancel"), done("step", "s1"), failed("step")],
    distinguish: ({ snapshot }: { snapshot: unknown }) => snapshot !== undefined,
  }],
  testRun: [{
    input: { ...task, suite: { coverage: true } },
    events: [
      event("task.cancel"),
      done("step", true),
      done("step", { suite: {}, own: [{ projectRoot: "." }, { projectRoot: "." }] }),
      done("step", { reason: "complete" }),
      failed("step"),
    ],
    distinguish: ({ planned }: { planned?: { own?: unknown } }) => planned?.own !== undefined,
  }],
  revert: [
    {
      input: { ...task, commit: "c", reload: true, wasLoaded: true },
      events: [
        event("task.cancel"),
        done("step", { commit: "c", snapshot: "s1", lostSnapshot: false }),
        failed("step"),
      ],
      distinguish: ({ checked }: { checked: unknown }) => checked !== undefined,
    },
  ],
  replace: [{
    input: { ...task, config: {}, present: true, running: true, dependencies: true, wasLoaded: true },
    events: [event("task.cancel"), done("step", {}), failed("step")],
  }],
  resume: [{
    input: { ...task, config: {}, withheld: false },
    events: [event("task.cancel"), done("step", {}), failed("step")],
  }],
  close: [{
    input: { ...task, exports: { always: false, pullRequest: false } },
    events: [
      event("task.cancel"),
      done("step", {}),
      failed("step"),
      event("xstate.after.exporting.close.exporting.working"),
      event("xstate.after.cancelling.close.exporting.cancelling"),
    ],
  }],
  cleanRun: [{
    input: { ...task, suite: {} },
    events: [event("task.cancel"), done("step", {}), failed("step")],
  }],
  installCheck: [{
    input: { ...task, check: { kind: "npm", source: true, suite: true, timeoutMs: 1000 } },
    events: [
      event("task.cancel"),
      event("xstate.after.whole.installCheck"),
      done("0.installCheck.surveying", { name: "p", servers: [{ name: "" }] }),
      failed("0.installCheck.surveying"),
      done("step", { tools: [], summary: {}, results: [] }),
      failed("step"),
      done("0.installCheck.packing", { path: "/p", notes: [] }),
      failed("0.installCheck.packing"),
      done("0.installCheck.installing", { servers: [{ name: "", command: [] }], programs: [], notes: [] }),
      failed("0.installCheck.installing"),
      done("0.installCheck.trying", []),
      failed("0.installCheck.trying"),
      done("0.installCheck.comparing", { faults: [], notes: [] }),
      failed("0.installCheck.comparing"),
    ],
    distinguish: ({ starts }: { starts: { source: unknown[]; installed: unknown[] } }) => [
      starts.source.length,
      starts.installed.length,
    ],
  }],
  restore: [{
    input: { ...task, snapshot: "s", recover: true, wasLoaded: true },
    events: [event("task.cancel"), done("step"), failed("step"), failed("step", { code: "ROLLBACK_FAILED" })],
  }],
  call: [{
    input: { requestId: "1", tool: "echo", input: {}, limitMs: 1000, pool: ref },
    events: [
      ...testEvents,
      event("call.cancel"),
      event("xstate.after.limit.call.calling.waiting"),
      event("xstate.after.calm.call.calling.waiting.calm"),
      done("0.call.calling.explainingSilence", { error: new Error("no"), hangs: true }),
      done("0.call.explainingLoss", new Error("no")),
    ],
  }],
};

for (const [name, walk] of Object.entries(walks)) {
  t.test(`every state of the ${name} machine can be reached, and with the events it is documented to hear`, (t) => {
    const machine = machines[`${name}Machine` as keyof typeof machines] as unknown as AnyStateMachine;
    const visited = visitedStates(machine, walk);
    t.ok(restingStates(machine).length > 2, "there are states to reach");
    const missed = restingStates(machine).filter((id) => !visited.has(id));
    t.same(missed, []);
    t.end();
  });
}

t.test("every machine is walked", (t) => {
  t.same(Object.keys(walks).map((name) => `${name}Machine`).sort(), Object.keys(machines).sort());
  t.end();
});
