/** The steps of a run of a fixture, answered in the session's place, with slots that are filled by hand. */
import t from "tap";
import { type AnyEventObject, fromPromise } from "xstate";
import {
  fixtureRunMachine,
  type JudgeTestInput,
  type PlannedAgentTest,
  type PlanTestInput,
} from "../../machines/fixture_run_machine.ts";
import type { AgentTestStatus } from "../../machines/model/agent_fixture.ts";
import type { AgentSessionResult } from "../../machines/model/agent_session.ts";
import type { AgentTestResult } from "../../machines/model/fixture_run.ts";
import { answeredTask, type StepAnswer } from "./task_session.ts";

const session = { failures: [], spent: { tokens: 60, cost: 0 } } as unknown as AgentSessionResult;
const answered: StepAnswer = { result: session };

/** The machine, with what its tests come to at each attempt; and the budgets that were planned with. */
function filled(statuses: Record<string, AgentTestStatus[]>) {
  const budgets: unknown[] = [];
  const outcomes: string[] = [];
  const machine = fixtureRunMachine.provide({
    actors: {
      plan: fromPromise<PlannedAgentTest, PlanTestInput>(({ input: { test, real } }) => {
        budgets.push(real?.budget);
        return Promise.resolve({ request: { prompt: test.id } as never, startedAt: 5 });
      }),
      judge: fromPromise<AgentTestResult, JudgeTestInput>(({ input: { test: { id }, outcome, attempt } }) => {
        outcomes.push("error" in outcome ? (outcome.error as Error).message : id);
        const status = statuses[id]![attempt - 1]!;
        const judgement = { status, expectations: [] };
        const seen = "session" in outcome ? { session: outcome.session } : {};
        return Promise.resolve({ id, judgement, ...seen, startedAt: 5, durationMs: 1, attempts: attempt });
      }),
    },
  });
  return { machine, budgets, outcomes };
}

const tests = (...ids: string[]) => ids.map((id) => ({ id, name: id }));
const runOf = (ids: string[], more: object = {}) => ({
  run: { fixture: { name: "herbarium" }, tests: tests(...ids), retries: 0, ...more },
});

t.test("tests run one after the other, each in a session of its own, and are told as they end", async (t) => {
  const { machine } = filled({ a: ["pass"], b: ["partial"] });
  const told: AnyEventObject[] = [];
  const task = answeredTask(machine, runOf(["a", "b"]), () => answered, undefined, {
    hear: (event) => void told.push(event),
  });
  const { result } = await task.ended as AnyEventObject & { result: unknown };
  t.match(task.requests, [{ type: "session.run_agent", run: { prompt: "a" } }, { run: { prompt: "b" } }]);
  t.match(result, {
    results: [{ id: "a", attempts: 1, session }, { id: "b", judgement: { status: "partial" } }],
    notRun: [],
  });
  t.match(told.map(({ type, id }) => `${type} ${id}`), [
    "agent_test.started a",
    "agent_test.finished a",
    "agent_test.started b",
    "agent_test.finished b",
  ]);
  t.notOk("session" in told[1]!["result"], "the whole session comes with the answer alone");
});

t.test("a test that does not pass runs again as often as is allowed, and its last attempt counts", async (t) => {
  const { machine } = filled({ a: ["fail", "partial", "pass"], b: ["fail", "fail", "fail"] });
  const task = answeredTask(machine, runOf(["a", "b"], { retries: 2 }), () => answered);
  t.match(await task.ended, {
    result: {
      results: [{ id: "a", attempts: 3, judgement: { status: "pass" } }, {
        id: "b",
        attempts: 3,
        judgement: { status: "fail" },
      }],
    },
  });
  t.equal(task.requests.length, 6);
});

t.test("a session that cannot run fails its own test, and the next one runs", async (t) => {
  const { machine, outcomes } = filled({ a: ["fail"], b: ["pass"] });
  const task = answeredTask(
    machine,
    runOf(["a", "b"]),
    (request) => request["run"].prompt === "a" ? { error: new Error("the branch has moved") } : answered,
  );
  t.match(await task.ended, { type: "task.completed", result: { results: [{ id: "a" }, { id: "b" }] } });
  t.same(outcomes, ["the branch has moved", "b"]);
});

t.test("after enough failures the rest is told as not run, as are skipped tests with their reasons", async (t) => {
  const { machine } = filled({ a: ["pass"], b: ["fail"] });
  const run = runOf(["s", "a", "b", "c"], { bail: 1 });
  Object.assign(run.run.tests[0]!, { skip: "not today" });
  const task = answeredTask(machine, run, () => answered);
  t.match(await task.ended, {
    result: {
      results: [{ id: "a" }, { id: "b" }],
      notRun: [{ id: "s", reason: "not today" }, { id: "c", reason: "the run was to stop after a failure" }],
    },
  });
});

t.test("the budget is that of the whole run: once it is spent nothing runs any more", async (t) => {
  const { machine, budgets } = filled({ a: ["pass"], b: ["fail"], c: ["pass"] });
  const real = { upstream: { url: "http://127.0.0.1:1" }, budget: { tokens: 100 } };
  const task = answeredTask(machine, runOf(["a", "b", "c"], { real, retries: 3 }), () => answered);
  t.match(await task.ended, {
    result: {
      results: [{ id: "a" }, { id: "b", attempts: 1 }],
      notRun: [{ id: "c", reason: "the budget is spent: 120 of 100 tokens" }],
    },
  });
  t.same(budgets, [{ tokens: 100 }, { tokens: 40 }]);
});

t.test("a cancel ends the session that is under way, and the run is answered with it", async (t) => {
  const { machine } = filled({ a: ["pass"] });
  const task = answeredTask(machine, runOf(["a", "b"]), () => {
    setTimeout(() => task.cancel());
    return undefined;
  });
  t.match(await task.ended, { type: "task.failed", error: { message: "cancelled" } });
  t.equal(task.cancelled(), 1);
  t.equal(task.requests.length, 1);
});
