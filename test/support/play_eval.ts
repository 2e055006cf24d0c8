/** Plays a planned case of evals by its machine, with sessions that a test scripts. */
import { createActor, createMachine, fromCallback, fromPromise } from "xstate";
import type { EvalCaseFact } from "../../machines/eval_case_machine.ts";
import { evalCaseMachine } from "../../machines/mod.ts";
import type { AgentSessionRequest, AgentSessionResult } from "../../machines/model/agent_session.ts";
import type { PlannedEval } from "../../machines/model/eval_request.ts";
import type { EvalGrading, EvalRunResult, EvalWork } from "../../machines/model/eval_result.ts";
import type { TaskFact } from "../../machines/task/task.ts";
import { gradeRun } from "../../src/agents/evals/grade_run.ts";

/** @param answer Session that a request comes to; one that rejects could not be run */
export function playEval(
  planned: PlannedEval,
  answer: (request: AgentSessionRequest) => Promise<AgentSessionResult>,
): Promise<EvalRunResult> {
  const session = fromCallback<never, { requestId: string; run: AgentSessionRequest }, TaskFact>(
    ({ input: { requestId, run }, sendBack }) => {
      answer(run).then(
        (result) => sendBack({ type: "task.completed", requestId, result }),
        (error: unknown) => sendBack({ type: "task.failed", requestId, error }),
      );
    },
  );
  const machine = evalCaseMachine.provide({
    actors: {
      session: session as never,
      grade: fromPromise<EvalGrading, { planned: PlannedEval; work: EvalWork }>(({ input }) =>
        Promise.resolve(gradeRun(input.planned, input.work))
      ),
      cleanUp: fromPromise<void, { folders: string[] }>(() => Promise.resolve()),
    },
  });
  return new Promise((resolve) => {
    const input = { requestId: "12345678-9", planned, place: 0, run: 1 };
    createActor(createMachine({
      invoke: { id: "case", src: machine, input },
      on: { "eval_case.finished": { actions: ({ event }) => resolve((event as EvalCaseFact).result) } },
    })).start();
  });
}
