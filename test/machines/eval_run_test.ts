import t from "tap";
import { type AnyEventObject, createActor, createMachine, fromCallback, fromPromise } from "xstate";
import type { EvalFact } from "../../machines/eval_run_machine.ts";
import { evalCaseMachine, evalRunMachine } from "../../machines/mod.ts";
import type { AgentSessionResult } from "../../machines/model/agent_session.ts";
import type { PlannedEval } from "../../machines/model/eval_request.ts";
import type { EvalGrading, EvalReport, EvalWork } from "../../machines/model/eval_result.ts";
import type { TaskFact } from "../../machines/task/task.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

const plannedOf = (name: string, runs = 1, sessions: object = { work: {}, judges: [] }): PlannedEval => ({
  case: { name, folder: `evals/${name}` },
  by: "pth",
  runs,
  sessions,
} as PlannedEval);

interface Session {
  requestId: string;
  folder: string;
  cancelled: boolean;
  end(outcome: { text: string } | { error: unknown }): void;
}

interface Options {
  workers?: number;
  grade?: (text: string) => Promise<EvalGrading>;
  cleanUp?: (folders: string[]) => Promise<void>;
}

/** A run of evals whose sessions the test ends; one passes where its text is "good". */
function open(cases: PlannedEval[] | Error, { workers = 1, grade, cleanUp }: Options = {}) {
  const sessions: Session[] = [];
  const removed: string[] = [];
  const facts: EvalFact[] = [];
  const answers: TaskFact[] = [];
  const session = fromCallback<AnyEventObject, { requestId: string; run: { folder: string } }>(
    ({ input: { requestId, run }, sendBack, receive }) => {
      const each: Session = {
        requestId,
        folder: run.folder,
        cancelled: false,
        end(outcome) {
          if ("error" in outcome) return sendBack({ type: "task.failed", requestId, error: outcome.error });
          sendBack({ type: "task.completed", requestId, result: { version: "1.2.3", text: outcome.text } });
        },
      };
      sessions.push(each);
      receive(() => void (each.cancelled = true));
    },
  );
  const verdict = (text: string): Promise<EvalGrading> =>
    Promise.resolve({
      graders: [{ name: "g", type: "regex", weight: 1, passed: text === "good", explanation: text }],
      problems: [],
      warnings: [],
    });
  const evalCase = evalCaseMachine.provide({
    actors: {
      session: session as never,
      grade: fromPromise<EvalGrading, { planned: PlannedEval; work: EvalWork }>(({ input: { work } }) =>
        (grade ?? verdict)((work.session as AgentSessionResult & { text: string }).text)
      ),
      cleanUp: fromPromise<void, { folders: string[] }>(async ({ input: { folders } }) => {
        removed.push(...folders);
        await cleanUp?.(folders);
      }),
    },
  });
  const machine = evalRunMachine.provide({
    actors: {
      evalCase,
      plan: fromPromise(() =>
        cases instanceof Error ? Promise.reject(cases) : Promise.resolve({ cases, warnings: ["w"] })
      ) as never,
    },
  });
  const evals = {
    agent: { agent: "claude", playbooks: { place: "b", byTest: {} } },
    by: "pth",
    filter: {},
    workers,
  };
  const parent = createActor(createMachine({
    invoke: { id: "run", src: machine, input: { requestId: "12345678-9", caller: "c", evals } as never },
    on: {
      "task.*": { actions: ({ event }) => void answers.push(event as TaskFact) },
      "eval.finished": { actions: ({ event }) => void facts.push(event as EvalFact) },
    },
  }));
  parent.start();
  const run = parent.getSnapshot().children["run"]!;
  return {
    sessions,
    removed,
    facts,
    cancel: () => run.send({ type: "task.cancel" }),
    answered: () => answers.length > 0,
    async end(): Promise<EvalReport> {
      await settle();
      t.equal(answers.length, 1, "it is answered once");
      const [answer] = answers;
      if (answer?.type === "task.failed") throw answer.error;
      return (answer as Extract<TaskFact, { type: "task.completed" }>).result as EvalReport;
    },
  };
}

t.test("cases run side by side as far as there are workers, each as often as it says", async (t) => {
  const run = open([plannedOf("a", 2), plannedOf("b")], { workers: 2 });
  await settle();
  t.strictSame(run.sessions.map(({ requestId }) => requestId), ["12345678-9:0.1.0", "12345678-9:0.2.0"]);
  run.sessions[1]!.end({ text: "good" });
  await settle();
  t.equal(run.sessions.length, 3, "another one takes the place");
  run.sessions[0]!.end({ text: "bad" });
  run.sessions[2]!.end({ text: "good" });
  t.match(await run.end(), {
    by: "pth",
    agent: "claude",
    version: "1.2.3",
    warnings: ["w"],
    cases: [
      {
        name: "a",
        status: "failed",
        score: 0.5,
        passes: 1,
        graders: [{ passed: false, explanation: "bad" }],
        runs: [{ status: "failed" }, { status: "passed" }],
      },
      { name: "b", status: "passed", score: 1, passes: 1, runs: [{ status: "passed" }] },
    ],
  });
  t.match(run.facts, [
    { name: "a", run: 2, runs: 2, result: { status: "passed" }, done: 1, total: 3 },
    { name: "a", run: 1, runs: 2, result: { status: "failed" }, done: 2, total: 3 },
    { name: "b", run: 1, runs: 1, result: { status: "passed" }, done: 3, total: 3 },
  ]);
  t.strictSame(run.removed.toSorted(), [
    "agent-12345678-0.1.0",
    "agent-12345678-0.2.0",
    "agent-12345678-1.1.0",
  ]);
});

t.test("a refused case is told with its reasons and begins no session", async (t) => {
  const run = open([plannedOf("a", 1, { refused: ["it has no playbook"] })]);
  t.match(await run.end(), { cases: [{ status: "refused", passes: 0, problems: ["it has no playbook"] }] });
  t.strictSame([run.sessions, run.removed], [[], []]);
});

t.test("a session that cannot be run refuses its own case, and the others go on", async (t) => {
  const run = open([plannedOf("a"), plannedOf("b")]);
  await settle();
  run.sessions[0]!.end({ error: new Error("no trace") });
  await settle();
  run.sessions[1]!.end({ text: "good" });
  t.match(await run.end(), {
    cases: [{ status: "refused", problems: ["no trace"] }, { status: "passed" }],
  });
});

t.test("a lost environment ends all cases, and is the error", async (t) => {
  const run = open([plannedOf("a"), plannedOf("b"), plannedOf("c")], { workers: 2 });
  await settle();
  run.sessions[0]!.end({ error: Object.assign(new Error("it is gone"), { code: "ENVIRONMENT_LOST" }) });
  await settle();
  t.equal(run.sessions[1]!.cancelled, true);
  t.notOk(run.answered(), "the other session is waited for");
  run.sessions[1]!.end({ error: new Error("cancelled") });
  await t.rejects(run.end(), { message: "it is gone" });
  t.equal(run.sessions.length, 2);
});

t.test("a cancel ends the sessions under way, removes their folders, and begins no others", async (t) => {
  const run = open([plannedOf("a"), plannedOf("b")]);
  await settle();
  run.cancel();
  t.equal(run.sessions[0]!.cancelled, true);
  t.notOk(run.answered());
  run.sessions[0]!.end({ error: new Error("cancelled") });
  await t.rejects(run.end(), { name: "AbortError" });
  t.strictSame(run.removed, ["agent-12345678-0.1.0"]);
  t.strictSame([run.sessions.length, run.facts], [1, []]);
});

t.test("evals that cannot be read are the error, and a cancel meanwhile is one, too", async (t) => {
  await t.rejects(open(new Error("evals/a: no prompt")).end(), { message: "evals/a: no prompt" });
  const run = open([plannedOf("a")]);
  run.cancel();
  await t.rejects(run.end(), { name: "AbortError" });
  t.strictSame(run.sessions, []);
});

t.test("judges are asked one by one, no more than the case has; a verdict that fails is a refusal", async (t) => {
  const judged = plannedOf("a", 1, { work: {}, judges: [{}, {}] });
  const run = open([judged], { grade: () => Promise.resolve({ ask: "Is it?" }) });
  for (const number of [0, 1, 2]) {
    await settle();
    t.equal(run.sessions.length, number + 1);
    run.sessions[number]!.end({ text: "PASS" });
  }
  t.match(await run.end(), {
    cases: [{ status: "refused", problems: ["it asks for a judge that it does not have"] }],
  });
  t.equal(run.removed.length, 3);
  const broken = open([plannedOf("a")], { grade: () => Promise.reject(new Error("no verdict")) });
  await settle();
  broken.sessions[0]!.end({ text: "good" });
  t.match(await broken.end(), { cases: [{ status: "refused", problems: ["no verdict"] }] });
});

t.test("folders that stay are told, and change no verdict", async (t) => {
  const run = open([plannedOf("a")], { cleanUp: () => Promise.reject(new Error("read-only")) });
  await settle();
  run.sessions[0]!.end({ text: "good" });
  t.match(await run.end(), {
    cases: [{ status: "passed", warnings: [/stay in the environment: read-only/] }],
  });
});
