import { PthError } from "../../../core/errors.ts";

/** Makes the error of a command whose agent was ended, or does not answer any more, while its environment lives. */
export function agentEnded(
  command: readonly string[],
  isSilent: boolean,
  reason: number | string,
): PthError {
  const state = isSilent ? "does not answer any more" : `was ended inside the environment (${reason})`;
  return new PthError("EXEC_FAILED", `Cannot finish ${command[0]}: the agent that ran it ${state}`, {
    transient: false, // it may have begun
    next: [
      "Look for what in the plugin, its tests or its hooks ends or stops all processes: kill -1, killall",
    ],
  });
}
