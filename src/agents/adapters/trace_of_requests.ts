/** The trace of an agent without records of its own: its requests to the model, and what its output tells. */
import type { AgentTrace, ModelExchange, TraceEntry } from "../../../machines/model/agent_session.ts";
import type { AgentRecords, TracedPlace } from "./agent.ts";
import { type Replacement, traceNormalizer } from "./trace_normalizer.ts";

/** Facts from the output, in addition to the requests. */
export interface ReadOutput {
  /** Last words to the user. */
  text: string;
  warnings: string[];
  /** Whether a call failed, in the order in which each tool was called; for APIs that do not tell it. */
  failures?: ReadonlyMap<string, readonly boolean[]>;
  /** Parts of texts that differ from session to session. */
  volatile?: readonly Replacement[];
}

export function traceOfRequests(
  { exchanges, resultOf }: Pick<AgentRecords, "exchanges" | "resultOf">,
  place: TracedPlace,
  { text, warnings, failures = new Map(), volatile = [] }: ReadOutput,
): Omit<AgentTrace, "changes"> {
  const normalized = traceNormalizer(place, [], volatile);
  const offered = new Map<string, string>();
  const made = new Map<string, number>();
  let calls = 0;

  /** Failure of the next call of this tool, as the output has it. */
  const toldFailure = (tool: string): boolean | undefined => {
    const number = made.get(tool) ?? 0;
    made.set(tool, number + 1);
    return failures.get(tool)?.[number];
  };

  const turnOf = (exchange: ModelExchange, at: number): TraceEntry[] => {
    const { tools, agent: _, lane = "main", ...turn } = exchange;
    const names = [...tools].sort();
    const changed = offered.get(lane) !== names.join("\n");
    offered.set(lane, names.join("\n"));
    return [
      normalized({ type: "turn", lane, ...(changed ? { tools: names } : {}), ...turn }) as TraceEntry,
      ...exchange.calls.map(({ tool, input }, index): TraceEntry => {
        const result = resultOf(at, index);
        const told = toldFailure(tool);
        const isError = result?.isError ?? (result === undefined ? undefined : told);
        return {
          type: "tool_call",
          lane,
          id: `call-${++calls}`,
          tool,
          input: normalized(input),
          ...(result === undefined ? {} : { result: normalized(result.text) as string }),
          ...(isError === undefined ? {} : { is_error: isError }),
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
      { type: "end", ...(text === "" ? {} : { text: normalized(text) as string }), hooks: [] },
    ],
    warnings: warnings.map((warning) => normalized(warning) as string),
  };
}
