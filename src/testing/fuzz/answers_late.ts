/** Tells a tool that takes its time from one that hangs. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { FuzzServer } from "./fuzz_server.ts";

/** So many times the limit a call is waited for before it counts as hanging: some tools sleep 10 s by default. */
export const hangFactor = 3;

/** Calls once more, on a fresh server. @throws {PthError} as `FuzzServer.call` */
export async function answersLate(
  tool: ToolDefinition,
  input: Record<string, unknown>,
  server: FuzzServer,
  limitMs: number,
): Promise<boolean> {
  await server.renew();
  const call = await server.call({ tool, input, valid: true, limitMs: limitMs * hangFactor });
  return call.outcome !== undefined || (call.silence?.progress ?? 0) > 0;
}
