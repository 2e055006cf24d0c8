/** The trace of a session of Qwen Code: its requests, and the messages of `--output-format stream-json`. */
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import { isObject } from "../../core/values.ts";
import type { AgentRecords, TracedPlace } from "./agent.ts";
import { addTo, outputLines } from "./output_lines.ts";
import { traceOfRequests } from "./trace_of_requests.ts";

export function traceOfQwen(records: AgentRecords, place: TracedPlace): Omit<AgentTrace, "changes"> {
  const { values, warnings } = outputLines(records.output);
  const failures = new Map<string, boolean[]>();
  const names = new Map<unknown, string>();
  let text = "";
  for (const { type, message, result, is_error: failed, error } of values) {
    if (type === "result" && failed !== true && typeof result === "string") text = result;
    if (type === "result" && failed === true) {
      warnings.push(`qwen: ${isObject(error) ? error.message : result ?? "ended with an error"}`);
    }
    if (!isObject(message) || !Array.isArray(message.content)) continue;
    for (const block of message.content.filter(isObject)) {
      if (block.type === "tool_use") names.set(block.id, String(block.name));
      const name = block.type === "tool_result" ? names.get(block.tool_use_id) : undefined;
      if (name !== undefined) addTo(failures, name, block.is_error === true);
    }
  }
  return traceOfRequests(records, place, { text, warnings, failures });
}
