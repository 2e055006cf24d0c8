/** The CLI as a process of its own. */
import { join } from "node:path";
import { runCommand, type RunOptions, type RunResult, spawnProcess } from "../../../src/platform/process.ts";
import { pthCommandLine } from "../../support/pth_bundle.ts";

export const root = join(import.meta.dirname!, "../../..");

/** For whoever starts it by other means. */
export const pthCommand = (args: readonly string[]): string[] => pthCommandLine("cli", ...args);

/** Runs `pth …` to its end, without a terminal. */
export const pth = (args: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  runCommand(pthCommand(args), { cwd: root, ...options });

/** Starts `pth …` to be interrupted. */
export const startPth = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnProcess(pthCommand(args), { cwd: root, env, ownGroup: true });
