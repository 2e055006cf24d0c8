/** The CLI as a process of its own. */
import { runCommand, type RunOptions, type RunResult, spawnProcess } from "../../src/platform/process.ts";
import { pthCommandLine } from "./bundled_pth.ts";
import { root } from "./root.ts";

export { root };

/** Runs `pth …` to its end, without a terminal. */
export const pth = (args: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  runCommand(pthCommandLine("cli", ...args), { cwd: root, ...options });

/** Starts `pth …` to be interrupted. */
export const startPth = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnProcess(pthCommandLine("cli", ...args), { cwd: root, env, ownGroup: true });
