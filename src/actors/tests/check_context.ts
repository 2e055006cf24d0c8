/** Operations of a check on an open connection. */
import type { Connection } from "../../client/connection.ts";
import type { CheckContext } from "../../testing/check.ts";
import { allSchemaProblems } from "../../testing/generate/all_schema_problems.ts";
import { callEveryTool } from "../../testing/generate/call_every_tool.ts";

/** `limitMs` is that of each request; `slowTools` are known to take long. */
export const checkContext = (
  connection: Connection,
  transport: CheckContext["transport"],
  limitMs: number,
  slowTools: readonly string[],
  signal: AbortSignal,
): CheckContext => ({
  transport,
  server: connection.server,
  tools: () => connection.listTools(),
  ask: (method, params = {}) => connection.request(method, params, { signal, timeoutMs: limitMs }),
  incidents: () => connection.incidents(),
  exercise: () => callEveryTool(connection, slowTools, signal),
  schemaProblems: allSchemaProblems,
  stop: (graceMs) => connection.close({ graceMs }),
});
