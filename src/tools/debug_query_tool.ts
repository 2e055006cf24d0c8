/** `debug_query`: the traced calls of a run of `debug_test`, for servers that serve nothing else. */
import * as z from "zod";
import { defineTool, type RegisteredTool } from "./tool.ts";

const text = z.strictObject({
  equals: z.string().exactOptional(),
  contains: z.string().exactOptional(),
  matches: z.string().exactOptional().describe("With * and ?."),
});

const definition = defineTool({
  title: "Query traced calls",
  description:
    "Ask for the calls that debug_test traced (tracePatterns, watches): arguments, returned values, exceptions and watched " +
    "variables, in their order. Filter before you read; page on with cursor.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  dormant: true,
  input: z.strictObject({
    sessionId: z.string().min(1).describe("From the answer of debug_test."),
    function: text.exactOptional(),
    thread: text.exactOptional(),
    value: text.exactOptional().describe("Of an argument, result, exception or watched variable."),
    time: z.strictObject({ from: z.number().exactOptional(), to: z.number().exactOptional() }).exactOptional()
      .describe("In ms since the process was traced."),
    raised: z.boolean().exactOptional().describe("true: only calls left by an exception."),
    below: z.number().int().exactOptional().describe("Only calls within that one, by its number."),
    tree: z.boolean().exactOptional().describe("Indent calls by the calls around them."),
    verbose: z.boolean().exactOptional().describe("Whole values, processes, and places of callers."),
    limit: z.number().int().min(1).max(500).exactOptional().describe("Default: 50."),
    cursor: z.number().int().min(0).exactOptional(),
  }),
  output: z.object({ calls: z.array(z.unknown()), total: z.number(), cursor: z.number().exactOptional() }),
  async run(query) {
    const { queryTestTrace } = await import("../test_traces/query_test_trace.ts");
    const { renderCalls } = await import("../test_traces/render_calls.ts");
    const data = await queryTestTrace(query);
    return { text: renderCalls(data, query), data };
  },
});

export const debugQuery: RegisteredTool = { name: "debug_query", category: "testing", definition };
