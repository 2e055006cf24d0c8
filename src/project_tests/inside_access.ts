import type { EnvironmentHandle } from "../../machines/model/environment.ts";
import type { ExecResult } from "../../machines/model/environment_operations.ts";
import type { EnvironmentProcess, EnvironmentRuntime, ExecOptions } from "../runtimes/runtime.ts";

/** Way to the processes of an environment, for what looks at them. */
export const insideAccess = (runtime: EnvironmentRuntime, handle: EnvironmentHandle) => ({
  spawn: (words: readonly string[], options: Pick<ExecOptions, "env"> = {}): Promise<EnvironmentProcess> =>
    runtime.spawn(handle, words, { ...options, cwd: "/" }),
  exec: (words: readonly string[], options: Omit<ExecOptions, "cwd"> = {}): Promise<ExecResult> =>
    runtime.exec(handle, words, { ...options, cwd: "/" }),
});
