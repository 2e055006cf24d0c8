/** Variables that label every process of an environment, so that strays are found whatever started them. */
import type { EnvironmentSpec } from "../../../machines/model/environment.ts";
import { processId } from "../../platform/host.ts";
import { statOf } from "../../platform/proc.ts";

/** Beginning of the variable that marks processes of one run of a project's own tests; no session is behind them. */
export const testsMark = "PTH_TESTS_";

export const labelVariables = (
  spec: Pick<EnvironmentSpec, "environmentId" | "sessionId">,
  runtime: string,
) => ({
  PTH_SESSION: spec.sessionId,
  PTH_ENVIRONMENT: spec.environmentId,
  PTH_RUNTIME: runtime,
  PTH_OWNER: String(processId),
});

/**
 * Whether the PTH that made a marked process still runs. Registers of other users and of another PTH_HOME are not read:
 * this tells their living sessions from dead ones. Who took over a dead owner's pid started after what the owner made.
 */
export async function isOwnerRunning(marked: number, environment: readonly string[]): Promise<boolean> {
  const owner = environment.find((entry) => entry.startsWith("PTH_OWNER="))?.slice("PTH_OWNER=".length);
  if (owner === undefined) return false;
  const [own, its] = await Promise.all([statOf(Number(owner)), statOf(marked)]);
  return own !== undefined && its !== undefined && own.state !== "Z" &&
    Number(own.start) <= Number(its.start);
}
