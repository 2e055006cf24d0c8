/** Session of an agent as expectations see it. */
import type { Spending } from "../../machines/model/budget.ts";
import type { CheckOutcome } from "../../machines/model/agent_fixture.ts";
import type { AgentTrace, ModelInput, SessionFacts, TraceEntry } from "../../machines/model/agent_session.ts";

export interface ObservedSession {
  trace: AgentTrace;
  /** Outcomes of the commands that expectations asked for, by their names. */
  checks: Readonly<Record<string, CheckOutcome>>;
  facts?: Pick<SessionFacts, "tokens">;
  /** Cost of a real model. */
  spent?: Spending;
  /** Texts that the model was sent; absent where they were not kept, or too much. */
  modelInput?: readonly ModelInput[];
}

/** Entry of the timeline with its index there. */
export type Placed<Type extends TraceEntry["type"]> = Extract<TraceEntry, { type: Type }> & { at: number };

export const timelineEntries = <Type extends TraceEntry["type"]>(
  { trace }: Pick<ObservedSession, "trace">,
  type: Type,
): Placed<Type>[] =>
  trace.timeline.flatMap((entry, at) => entry.type === type ? [{ ...entry, at } as Placed<Type>] : []);

/** A call that was kept from running has no event after its use. */
export const isBlocked = (
  { is_error: isError, hooks }: Extract<TraceEntry, { type: "tool_call" }>,
): boolean =>
  isError === true && hooks.some(({ event }) => event === "PreToolUse") &&
  !hooks.some(({ event }) => event.startsWith("PostToolUse"));
