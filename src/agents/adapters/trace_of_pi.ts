/** The trace of a session of pi: its requests, and the events of `--mode json`. */
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import { isObject } from "../../core/values.ts";
import type { AgentRecords, TracedPlace } from "./agent.ts";
import { outputLines } from "./output_lines.ts";
import { traceOfRequests } from "./trace_of_requests.ts";

export function traceOfPi(records: AgentRecords, place: TracedPlace): Omit<AgentTrace, "changes"> {
  const { values, warnings } = outputLines(records.output);
  let text = "";
  for (const { type, message } of values) {
    if (type !== "message_end" || !isObject(message) || message.role !== "assistant") continue;
    const { content, stopReason, errorMessage } = message;
    if (stopReason === "error") warnings.push(`pi: ${errorMessage}`);
    const texts = (Array.isArray(content) ? content.filter(isObject) : []).filter(({ type }) =>
      type === "text"
    );
    text = texts.map(({ text }) => String(text)).join("\n");
  }
  // Written by the extension.
  const failed = Object.values(records.files).flatMap((log) => log.split("\n").filter((line) => line !== ""));
  return traceOfRequests(records, place, { text, warnings: [...warnings, ...failed] });
}
