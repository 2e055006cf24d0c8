/** The trace of a session of opencode: its requests, and the events of `opencode run --format json`. */
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import { isObject } from "../../core/values.ts";
import type { AgentRecords, TracedPlace } from "./agent.ts";
import { outputLines } from "./output_lines.ts";
import { traceOfRequests } from "./trace_of_requests.ts";

export function traceOfOpencode(records: AgentRecords, place: TracedPlace): Omit<AgentTrace, "changes"> {
  const { values, warnings } = outputLines(records.output);
  let text = "";
  for (const { type, part, error } of values) {
    if (type === "text" && isObject(part)) text = String(part.text);
    if (type === "error") warnings.push(`opencode: ${messageIn(error)}`);
  }
  return traceOfRequests(records, place, { text, warnings, volatile: [[/\bses_\w+/g, "<session>"]] });
}

const messageIn = (error: unknown): string => {
  if (!isObject(error)) return String(error);
  const { data, name } = error;
  return isObject(data) && typeof data.message === "string" ? data.message : String(name);
};
