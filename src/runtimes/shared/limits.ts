/** Limits as `inspect` states them. */
import type { EnvironmentState, Resources, RuntimeAbilities } from "../../../machines/model/environment.ts";

/** Each limit that was asked for, under the names cpus, memoryMB and diskGB, and whether it is enforced. */
export function limitsOf(asked: unknown, enforced: RuntimeAbilities["limits"]): EnvironmentState["limits"] {
  const { cpus, memoryMB, diskGB } = (asked ?? {}) as Resources;
  return [
    { name: "cpus", value: cpus, enforced: enforced.cpus },
    { name: "memoryMB", value: memoryMB, enforced: enforced.memory },
    { name: "diskGB", value: diskGB, enforced: enforced.disk },
  ].filter((limit): limit is EnvironmentState["limits"][number] => limit.value !== undefined);
}
