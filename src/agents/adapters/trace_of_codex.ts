/** The trace of a session of Codex: its requests, and the items of `codex exec --json`. */
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import { isObject } from "../../core/values.ts";
import type { AgentRecords, TracedPlace } from "./agent.ts";
import { addTo, outputLines } from "./output_lines.ts";
import { traceOfRequests } from "./trace_of_requests.ts";

/** For a model that Codex does not know it offers all tools at once; it would have known ones look them up. */
const ownModel = /^Model metadata for/;

export function traceOfCodex(records: AgentRecords, place: TracedPlace): Omit<AgentTrace, "changes"> {
  const { values, warnings } = outputLines(records.output);
  const failures = new Map<string, boolean[]>();
  let text = "";
  for (const { type, item, message, error } of values) {
    if (type === "error") warnings.push(`codex: ${message}`);
    if (type === "turn.failed" && isObject(error)) warnings.push(`codex: ${error.message}`);
    if (type !== "item.completed" || !isObject(item)) continue;
    if (item.type === "agent_message") text = String(item.text);
    else if (item.type === "error" && !ownModel.test(String(item.message))) {
      warnings.push(`codex: ${item.message}`);
    } else if (item.type === "mcp_tool_call") {
      const isError = isObject(item.result) && item.result.is_error === true;
      addTo(failures, `mcp__${item.server}__${item.tool}`, isError || item.status === "failed");
    }
  }
  return traceOfRequests(records, place, {
    text,
    warnings: [...new Set(warnings)],
    failures,
    volatile: [[/Wall time: [\d.]+ seconds/g, "Wall time: <n> seconds"]],
  });
}
