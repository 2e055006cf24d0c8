/** Limits as `inspect` states them. */
import { readEnv } from "../../platform/host.ts";
import type { EnvironmentState, Resources, RuntimeAbilities } from "../../../machines/model/environment.ts";

const usualPids = 4096;

/**
 * Processes and threads that an environment may have at once, so that a fork bomb takes no more of the machine;
 * `PTH_PIDS_LIMIT` for another number.
 */
export function pidsLimit(): number {
  const asked = Number(readEnv("PTH_PIDS_LIMIT"));
  return Number.isInteger(asked) && asked > 0 ? asked : usualPids;
}

/** Each limit that was asked for, under the names cpus, memoryMB and diskGB, and whether it is enforced. */
export function limitsOf(asked: unknown, enforced: RuntimeAbilities["limits"]): EnvironmentState["limits"] {
  const { cpus, memoryMB, diskGB } = (asked ?? {}) as Resources;
  return [
    { name: "cpus", value: cpus, enforced: enforced.cpus },
    { name: "memoryMB", value: memoryMB, enforced: enforced.memory },
    { name: "diskGB", value: diskGB, enforced: enforced.disk },
  ].filter((limit): limit is EnvironmentState["limits"][number] => limit.value !== undefined);
}
