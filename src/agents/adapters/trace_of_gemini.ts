/** The trace of a session of Gemini CLI: its requests, and the events of `--output-format stream-json`. */
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import { isObject } from "../../core/values.ts";
import type { AgentRecords, TracedPlace } from "./agent.ts";
import { outputLines } from "./output_lines.ts";
import { traceOfRequests } from "./trace_of_requests.ts";

export function traceOfGemini(records: AgentRecords, place: TracedPlace): Omit<AgentTrace, "changes"> {
  const { values, warnings } = outputLines(records.output);
  let text = "";
  for (const { type, role, content, message, error, status } of values) {
    if (type === "tool_use") text = "";
    else if (type === "message" && role === "assistant") text += String(content);
    else if (type === "error") warnings.push(`gemini: ${message}`);
    else if (type === "result" && status === "error" && isObject(error)) {
      warnings.push(`gemini: ${error.message}`);
    }
  }
  return traceOfRequests(records, place, { text, warnings });
}
