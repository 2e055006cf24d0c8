/** Operations of a check on an open connection. */
import type { Connection } from "../../client/connection.ts";
import type { CheckContext } from "../../testing/check.ts";
import { allSchemaProblems } from "../../testing/generate/all_schema_problems.ts";
import { callEveryTool } from "../../testing/generate/call_every_tool.ts";

/** `limitMs` is that of each request; `slowTools` are known to take long. */
export const checkContext = (
  connection: Connection,
  place: Pick<CheckContext, "transport" | "launcher" | "isolated">,
  limitMs: number,
  slowTools: readonly string[],
  signal: AbortSignal,
): CheckContext => ({
  ...place,
  server: connection.server,
  tools: () => connection.listTools(),
  ask: (method, params = {}) => connection.request(method, params, { signal, timeoutMs: limitMs }),
  call: (tool, input, options = {}) =>
    connection.callTool(tool, input, {
      timeoutMs: options.timeoutMs ?? limitMs,
      signal: options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
      // A token, as clients give one.
      onProgress: () => {},
    }),
  incidents: () => connection.incidents(),
  exercise: () => callEveryTool(connection, slowTools, signal),
  schemaProblems: allSchemaProblems,
  stop: (graceMs) => connection.close({ graceMs, judged: true }),
});
