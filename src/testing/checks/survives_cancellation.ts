/** A call that its client cancels is over, and the server goes on: it answers whatever is asked next (MCP, "Cancellation"). */
import type { CallOutcome, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import { count, indentedTail } from "../../core/text.ts";
import { createBreather, delay } from "../../core/waiting.ts";
import { type CheckContext, checkFailed, checkPassed, defineCheck } from "../check.ts";
import { calmTools, waitingInput } from "../generate/check_calls.ts";
import { isDuration } from "../json_schema/schema_properties.ts";
import { asSchema } from "../json_schema/schema.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";
import { pingServer } from "../server_lists.ts";

/** Most tools whose calls are cancelled; time in ms after which no further one is. */
const [mostTools, allMs] = [6, 8000];
/** Limit in ms on a call that is left alone, before one is cancelled; a slower one is cancelled by it. */
const controlMs = 1500;
/** A call that takes less, in ms, is cancelled as soon as it is sent. */
const quickMs = 30;

export default defineCheck({
  name: "survives_cancellation",
  summary: "goes on after a call was cancelled",
  category: "protocol-error",
  onlyAsks: true,
  callsTools: true,
  appliesTo: (tools) => calmTools(tools).length > 0,
  async run(context) {
    const end = performance.now() + allMs;
    const breathe = createBreather();
    let cancelled = 0;
    for (const tool of slowestFirst(calmTools(await context.tools())).slice(0, mostTools)) {
      if (performance.now() > end) break;
      await breathe();
      const input = waitingInput(tool);
      if (input === undefined) continue;
      const control = await answerOf(context, tool.name, input, controlMs);
      if (control === "lost") {
        return skippingVerdict(`server ended at a call of ${tool.name} that was not cancelled`);
      }
      const problem = await cancelCall(context, tool.name, input, control);
      if (problem !== undefined) return problem;
      cancelled++;
    }
    return cancelled === 0
      ? skippingVerdict("no tool was found that could be called")
      : checkPassed(`${count(cancelled, "call")} cancelled`);
  },
});

/** Tools with a property for the time that they take come first. */
const slowestFirst = (tools: readonly ToolDefinition[]): ToolDefinition[] => {
  const waits = ({ inputSchema }: ToolDefinition) =>
    Object.keys(asSchema(asSchema(inputSchema).properties)).some(isDuration) ? 0 : 1;
  return [...tools].sort((a, b) => waits(a) - waits(b));
};

/** Time of the answer in ms; undefined where none came in time, by which the call was cancelled. */
async function answerOf(
  context: CheckContext,
  tool: string,
  input: Record<string, unknown>,
  timeoutMs: number,
): Promise<CallOutcome | "lost" | undefined> {
  try {
    return await context.call(tool, input, { timeoutMs });
  } catch (error) {
    const { code } = asPthError(error);
    if (code === "SERVER_LOST") return "lost";
    if (code === "SERVER_SILENT") return undefined;
    throw error;
  }
}

/** The failure that a cancelled call leads to, if any. @param control the same call, answered; else it was cancelled already */
async function cancelCall(
  context: CheckContext,
  tool: string,
  input: Record<string, unknown>,
  control: CallOutcome | undefined,
): Promise<Verdict | undefined> {
  let next = "a ping";
  try {
    if (control !== undefined) {
      const stop = new AbortController();
      const call = context.call(tool, input, { signal: stop.signal });
      if (control.durationMs > quickMs) {
        await Promise.race([call, delay(Math.min(control.durationMs / 2, 300))]);
      }
      stop.abort(new PthError("INTERRUPTED", "Cannot finish the call: a check cancelled it"));
      await call.catch(ignoreCancelled);
    }
    await pingServer(context);
    if (control !== undefined) {
      next = `the next call of ${tool}`;
      await context.call(tool, input);
    }
    return undefined;
  } catch (error) {
    const { code, message, context: { output = "" } } = asPthError(error);
    if (code === "SERVER_LOST") {
      const text = `server ended when a call of ${tool} was cancelled: ${message}`;
      return checkFailed(
        "runtime-exception",
        [text, indentedTail(String(output))].filter(Boolean).join("\n"),
      );
    }
    if (code !== "SERVER_SILENT") throw error;
    return checkFailed(
      "timeout",
      `after a call of ${tool} was cancelled, the server did not answer ${next} any more\n` +
        "  a cancelled call must let go of whatever others wait for",
    );
  }
}

/** @throws all errors but that of the cancelled call */
function ignoreCancelled(error: unknown): void {
  if (asPthError(error).code !== "INTERRUPTED") throw error;
}
