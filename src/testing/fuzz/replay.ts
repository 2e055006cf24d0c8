/** Makes calls again, in their order, on a server that was just started. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { replaceVariables } from "../format/variables.ts";
import { captureFrom } from "../judge/judge_step.ts";
import type { IsValid } from "../json_schema/schema_properties.ts";
import type { FuzzServer } from "./fuzz_server.ts";
import type { PastCall, SeenCall } from "./oracle.ts";

/** A tool that is called, and which inputs its schema allows. */
export interface Callable {
  tool: ToolDefinition;
  isValid: IsValid;
}

/** Server and tools of calls that are made again. */
export interface ReplayContext {
  server: FuzzServer;
  /** Every tool that a call may name. */
  callable(tool: string): Callable | undefined;
}

export interface Replayed {
  /** The last call. */
  call: SeenCall;
  /** All of them, as they were answered. */
  calls: PastCall[];
}

/**
 * Undefined where a call before the last one names a tool that may not be called, ends the server or gets stuck in it.
 * @param limits Limits in ms: `others` for calls before the last one
 * @throws {PthError} as `FuzzServer.call`
 */
export async function replay(
  calls: readonly PastCall[],
  { server, callable }: ReplayContext,
  limits: { last: number; others: number },
): Promise<Replayed | undefined> {
  await server.renew();
  const variables: Record<string, unknown> = {};
  const made: PastCall[] = [];
  for (const [index, past] of calls.entries()) {
    const called = callable(past.tool);
    if (called === undefined) return undefined;
    const { tool, isValid } = called;
    const isLast = index === calls.length - 1;
    const input = past.template === undefined ? past.input : replaceVariables(past.template, variables);
    const limitMs = isLast ? limits.last : limits.others;
    const call = await server.call({ tool, input, valid: isValid(input), limitMs, patient: !isLast });
    made.push({ ...past, input, isError: call.outcome?.isError === true });
    if (isLast) return { call, calls: made };
    // A call that hung may have done so the first time, too, and the same server went on.
    const goesOn = call.outcome !== undefined || call.silence?.answersPing === true;
    if (!goesOn || call.loss !== undefined) return undefined;
    if (past.capture && call.outcome) {
      Object.assign(variables, captureFrom(call.outcome, past.capture).values);
    }
  }
  return undefined;
}
