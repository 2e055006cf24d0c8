/** An environment in a few lines. */
import type { EnvironmentState } from "../../../machines/model/environment.ts";
import type { EnvironmentInfo } from "../../../machines/model/session.ts";
import { joinLines } from "./join_lines.ts";

/** Tells what is inside: system, resources, limits, tools. */
function stateText(state: EnvironmentState): string {
  const limits = state.limits.map(({ name, value, enforced }) =>
    `${name} ${value}${enforced ? "" : " (not enforced)"}`
  );
  const tools = Object.entries(state.tools ?? {}).map(([name, version]) => `${name} ${version}`);
  return joinLines(
    `${state.os}, kernel ${state.kernel}, host name ${state.hostname}, ${state.status}`,
    `${state.cpus} cpus, ${state.memoryMB} MB memory, ${state.diskFreeMB} MB disk free, ${state.processes} processes, ` +
      `network ${state.network}`,
    limits.length > 0 && `Limits: ${limits.join(", ")}`,
    ...(state.notes ?? []),
    tools.length > 0 && `Tools: ${tools.join(", ")}`,
  );
}

export function environmentText({ handle, state, mount, reason, advisory }: EnvironmentInfo): string {
  return joinLines(
    `Environment ${handle.environmentId}: ${handle.runtime}, tier ${handle.tier}, image ${handle.image}`,
    reason && `Chosen because: ${reason}`,
    stateText(state),
    `Source at ${mount.envPath} (${mount.method}, ${mount.writable ? "writable" : "read-only"})`,
    advisory && `Mind: ${advisory}`,
  );
}

/** The environment as plain data, without what only its runtime understands. */
export function environmentData({ handle, state, mount, reason, config, advisory }: EnvironmentInfo) {
  const { state: _internal, ...known } = handle;
  return { environment: known, state, mount, reason, config, ...(advisory ? { advisory } : {}) };
}
