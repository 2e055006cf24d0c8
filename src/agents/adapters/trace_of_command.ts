/** The trace of an agent of which nothing is known but its requests to the model and its output. */
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import type { AgentRecords, TracedPlace } from "./agent.ts";
import { traceOfRequests } from "./trace_of_requests.ts";

/** Characters of the output's end. */
const longestOutput = 64 * 1024;

export function traceOfCommand(records: AgentRecords, place: TracedPlace): Omit<AgentTrace, "changes"> {
  const said = records.output.join("\n").trim();
  return traceOfRequests(records, place, {
    text: said.slice(-longestOutput),
    warnings: said.length > longestOutput
      ? ["the output is longer than 64 KiB: its beginning is missing"]
      : [],
  });
}
