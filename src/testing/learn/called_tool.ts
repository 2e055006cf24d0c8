/** Calls during a search for inputs, and whether the tool accepted them. */
import type { CallOutcome, ToolDefinition } from "../../../machines/model/plugin.ts";
import { oneLine } from "../../core/text.ts";
import type { FuzzServer } from "../fuzz/fuzz_server.ts";
import { misleadingKind } from "../judge/misleading_kind.ts";
import type { GeneratedInput } from "../json_schema/schema_properties.ts";

export type CalledTool =
  | { accepted: true; outcome: CallOutcome }
  /** `unanswered`: no answer came; the server may be another one now. */
  | { accepted: false; words: string; unanswered: boolean };

/** Characters of a refusal that are read. */
const longestWords = 4_000;

/** @throws {PthError} when no server can be started; the reason of the server's signal */
export async function callTool(
  server: FuzzServer,
  tool: ToolDefinition,
  input: GeneratedInput,
  limitMs: number,
): Promise<CalledTool> {
  const seen = await server.call({ tool, input, valid: true, limitMs, patient: true });
  const { outcome, loss, callError } = seen;
  if (loss !== undefined) return unanswered(`the server ended: ${loss.message}`);
  if (outcome === undefined) return unanswered(callError?.message ?? `no answer within ${limitMs / 1000} s`);
  const misleading = misleadingKind({ outcome, input, definition: tool });
  const refused = outcome.isError || misleading === "error-told-as-success";
  return refused
    ? { accepted: false, words: outcome.text.slice(0, longestWords), unanswered: false }
    : { accepted: true, outcome };
}

const unanswered = (words: string): CalledTool => ({
  accepted: false,
  words: oneLine(words),
  unanswered: true,
});
