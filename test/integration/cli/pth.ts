/** The CLI as a process of its own. */
import { join } from "node:path";
import process from "node:process";
import { run, type RunOptions, type RunResult, spawnProcess } from "../../../src/platform/process.ts";

export const root = join(import.meta.dirname!, "../../..");
const command = [process.execPath, "run", "-A", join(root, "src/cli.ts")];

/** Runs `pth …` to its end, without a terminal. */
export const pth = (args: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  run([...command, ...args], { cwd: root, ...options });

/** Starts `pth …` to be interrupted. */
export const startPth = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnProcess([...command, ...args], { cwd: root, env, ownGroup: true });
