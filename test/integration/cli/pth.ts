/** The CLI as a process of its own. */
import { join } from "node:path";
import process from "node:process";
import { run, type RunOptions, type RunResult, spawnProcess } from "../../../src/platform/process.ts";

export const root = join(import.meta.dirname!, "../../..");
const command = [process.execPath, "run", "-A", join(root, "src/cli.ts")];

/** For whoever starts it by other means. */
export const pthCommand = (args: readonly string[]): string[] => [...command, ...args];

/** Runs `pth …` to its end, without a terminal. */
export const pth = (args: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  run(pthCommand(args), { cwd: root, ...options });

/** Starts `pth …` to be interrupted. */
export const startPth = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnProcess(pthCommand(args), { cwd: root, env, ownGroup: true });
