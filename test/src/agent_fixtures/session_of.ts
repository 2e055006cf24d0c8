/** Sessions as expectations see them, for their tests. */
import type { TraceEntry } from "../../../machines/model/agent_session.ts";
import { expectationTypes } from "../../../src/agent_fixtures/judge_expectations.ts";
import type { Judgement } from "../../../src/agent_fixtures/expectation.ts";
import type { ObservedSession } from "../../../src/agent_fixtures/observed_session.ts";

export const sessionOf = (timeline: TraceEntry[]): ObservedSession => ({
  trace: { format: "pth-agent-trace/1", timeline, changes: [], warnings: [] },
  checks: {},
});

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
