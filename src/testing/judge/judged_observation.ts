/** What `judge` weighs: what was seen while a test ran, and what the living connection knew besides. */
import type { Observation as Seen } from "../../../machines/model/observation.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";

export interface JudgedObservation extends Omit<Seen, "callError"> {
  /** The tool as `tools/list` gave it; absent when it lists none of this name. */
  tool?: ToolDefinition;
  /** The outcome is that of a request other than a tool call. */
  noTool?: boolean;
  /** A call that ended in neither an answer nor a lost server (`PROTOCOL_VIOLATION`: an answer without end; `START_FAILED` …). */
  callError?: { code: string; message: string };
  /** Lines on stdout that are no JSON-RPC, seen between the test's begin and end; not those from before. */
  strayOutput: string[];
}
