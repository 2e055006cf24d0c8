/** The trace of an agent of which nothing is known but its requests to the model and its output. */
import type { AgentTrace, ModelExchange, TraceEntry } from "../../../machines/model/agent_session.ts";
import type { AgentRecords, TracedPlace } from "./agent.ts";
import { traceNormalizer } from "./trace_normalizer.ts";

/** Characters of the output's end. */
const longestOutput = 64 * 1024;

export function traceOfCommand(
  { output, exchanges, resultOf }: AgentRecords,
  place: TracedPlace,
): Omit<AgentTrace, "changes"> {
  const normalized = traceNormalizer(place);
  const said = output.join("\n").trim();
  const offered = new Map<string, string>();
  let calls = 0;

  const turnOf = (exchange: ModelExchange, at: number): TraceEntry[] => {
    const { tools, agent: _, lane = "main", ...turn } = exchange;
    const names = [...tools].sort();
    const changed = offered.get(lane) !== names.join("\n");
    offered.set(lane, names.join("\n"));
    return [
      normalized({ type: "turn", lane, ...(changed ? { tools: names } : {}), ...turn }) as TraceEntry,
      ...exchange.calls.map(({ tool, input }, index): TraceEntry => {
        const result = resultOf(at, index);
        return {
          type: "tool_call",
          lane,
          id: `call-${++calls}`,
          tool,
          input: normalized(input),
          ...(result === undefined ? {} : { result: normalized(result.text) as string }),
          ...(result?.isError === undefined ? {} : { is_error: result.isError }),
          hooks: [],
        };
      }),
    ];
  };
  return {
    format: "pth-agent-trace/1",
    timeline: [
      { type: "prompt", text: place.prompt, hooks: [] },
      ...exchanges.flatMap(turnOf),
      {
        type: "end",
        ...(said === "" ? {} : { text: normalized(said.slice(-longestOutput)) as string }),
        hooks: [],
      },
    ],
    warnings: said.length > longestOutput
      ? ["the output is longer than 64 KiB: its beginning is missing"]
      : [],
  };
}
