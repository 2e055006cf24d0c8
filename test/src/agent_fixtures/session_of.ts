/** Sessions as expectations see them, for their tests. */
import type { CheckOutcome } from "../../../machines/model/agent_fixture.ts";
import type { AgentTrace, TraceEntry } from "../../../machines/model/agent_session.ts";
import { expectationTypes } from "../../../src/agent_fixtures/judge_expectations.ts";
import type { Judgement } from "../../../src/agent_fixtures/expectation.ts";
import type { ObservedSession } from "../../../src/agent_fixtures/observed_session.ts";

export const sessionOf = (
  timeline: TraceEntry[],
  { changes = [], ...more }: Partial<Omit<ObservedSession, "trace">> & { changes?: AgentTrace["changes"] } =
    {},
): ObservedSession => ({
  trace: { format: "pth-agent-trace/1", timeline, changes, warnings: [] },
  checks: {},
  ...more,
});

/** Outcomes of an expectation's checks, in their order. */
export function checksOf(
  type: string,
  expected: unknown,
  outcomes: CheckOutcome[],
): Record<string, CheckOutcome> {
  const expectation = expectationTypes.get(type)!;
  const checks = expectation.checks!(expectation.schema.parse(expected));
  return Object.fromEntries(checks.map(({ name }, at) => [name, outcomes[at]!]));
}

/** Outcome of a command that ended with this code, and wrote this. */
export const ended = (code: number, stdout = "", stderr = ""): CheckOutcome => ({ code, stdout, stderr });

export const callOf = (
  tool: string,
  input: unknown,
  more: Partial<Extract<TraceEntry, { type: "tool_call" }>> = {},
): TraceEntry => ({ type: "tool_call", lane: "main", id: "call-1", tool, input, hooks: [], ...more });

/** Judges one expectation, whose expected value must fit its schema. */
export function judge(type: string, expected: unknown, session: ObservedSession): Judgement {
  const expectation = expectationTypes.get(type)!;
  return expectation.judge(expectation.schema.parse(expected), session);
}
