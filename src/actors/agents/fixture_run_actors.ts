/** The slots of the fixture run machine: sessions are planned from tests, and judged. */
import type {
  JudgeTestInput,
  PlannedAgentTest,
  PlanTestInput,
} from "../../../machines/fixture_run_machine.ts";
import type { AgentSessionRequest } from "../../../machines/model/agent_session.ts";
import type { AgentTestResult, SessionOutcome } from "../../../machines/model/fixture_run.ts";
import { checksOf, judgeExpectations, needsModelInput } from "../../agent_fixtures/judge_expectations.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";

export const fixtureRunActors = (stage: GetSession) => ({
  plan: promiseActor<PlannedAgentTest, PlanTestInput>(
    stage,
    (_live, input) => Promise.resolve({ request: sessionOf(input), startedAt: Date.now() }),
  ),
  judge: promiseActor<AgentTestResult, JudgeTestInput>(
    stage,
    (live, { test, outcome, startedAt, attempt }) => {
      const judged = judgeOutcome(test, outcome);
      return Promise.resolve({
        id: test.id,
        judgement: live.secrets.redact.value(judged),
        ...("session" in outcome ? { session: outcome.session } : {}),
        startedAt,
        durationMs: Math.max(0, Date.now() - startedAt),
        attempts: attempt,
      });
    },
  ),
});

function sessionOf({ test, programs, real }: PlanTestInput): AgentSessionRequest {
  const { agent, prompt, playbook, start, tools, asksPermission, timeoutMs, teardown } = test;
  if (playbook === undefined && real === undefined) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot run ${test.id}: it has no playbook, and no real model is named`,
    );
  }
  const model = test.model ?? (playbook === undefined ? real?.model : undefined);
  return {
    agent,
    prompt,
    playbook: playbook ?? { lanes: [] },
    ...(playbook === undefined ? definedOnly({ upstream: real?.upstream, budget: real?.budget }) : {}),
    ...definedOnly({ model, tools, ...programs[agent] }),
    start,
    asksPermission,
    checks: checksOf(test.expectations),
    keepsModelInput: needsModelInput(test.expectations),
    teardown,
    timeoutMs,
  };
}

/** A session that could not run has met nothing. */
function judgeOutcome(
  { expectations }: JudgeTestInput["test"],
  outcome: SessionOutcome,
): AgentTestResult["judgement"] {
  if ("session" in outcome) {
    const { checks = {}, failures, ...session } = outcome.session;
    return judgeExpectations(expectations, { ...session, checks }, failures);
  }
  const reason = errorMessage(outcome.error);
  const { expectations: [failed] } = judgeExpectations([], { trace: noTrace, checks: {} }, [reason]);
  return {
    status: "fail",
    expectations: [
      ...expectations.map((planned) => ({
        ...planned,
        status: "fail" as const,
        actual: null,
        failureReason: "not judged: there was no session",
      })),
      failed!,
    ],
  };
}

const noTrace = { format: "pth-agent-trace/1" as const, timeline: [], changes: [], warnings: [] };
