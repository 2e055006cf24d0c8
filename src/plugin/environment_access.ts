/** The little that loading a plugin needs of an environment; tests give it plain processes. */
import type { EnvironmentHandle } from "../../machines/model/environment.ts";
import { PthError } from "../core/errors.ts";
import type { EnvironmentRuntime, ExecOptions } from "../runtimes/runtime.ts";
import type { ReadableFolder } from "./readable_folder.ts";
import type { ExecResult } from "../../machines/model/environment_operations.ts";

export interface EnvironmentAccess {
  exec(command: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Path of the source inside. */
  readonly sourcePath: string;
  readonly isolated: boolean;
  /** Image of the environment; what was installed in one image is not used in another. */
  readonly image: string;
}

export const accessTo = (runtime: EnvironmentRuntime, handle: EnvironmentHandle): EnvironmentAccess => ({
  exec: (command, options) => runtime.exec(handle, command, options),
  sourcePath: handle.sourcePath,
  isolated: runtime.abilities.isolated,
  image: handle.image,
});

/** Limit in characters of a file that a plugin made; a larger one counts as none. */
const largestFile = 4 * 1024 * 1024;
const mostNames = 10_000;

/** A folder of the environment, also what only the environment can see (`node_modules` on a VM's own disk). */
export const insideFolder = (env: Pick<EnvironmentAccess, "exec">, path: string): ReadableFolder => ({
  path,
  list: async (below = "") => {
    const script = below === "" ? "ls -A1" : 'if [ -d "$1" ]; then ls -A1 -- "$1"; fi';
    const { stdout } = await shell(env, path, `${script} | head -n ${mostNames}`, below);
    return stdout.split("\n").filter((name) => name !== "").sort();
  },
  read: async (file) => {
    const script = `if [ -f "$1" ]; then head -c ${largestFile + 1} -- "$1"; else exit 44; fi`;
    const result = await shell(env, path, script, file);
    return result.code === 44 || result.stdout.length > largestFile ? undefined : result.stdout;
  },
  exists: async (file) => (await shell(env, path, '[ -e "$1" ] || exit 44', file)).code === 0,
});

async function shell(
  env: Pick<EnvironmentAccess, "exec">,
  cwd: string,
  script: string,
  ...args: string[]
): Promise<ExecResult> {
  const result = await env.exec(["sh", "-c", script, "sh", ...args], { cwd });
  if (result.code === 0 || result.code === 44) return result;
  throw new PthError(
    "EXEC_FAILED",
    `Cannot list ${cwd} of the environment: exited with ${result.code}`,
    {
      output: result.stderr,
      tried: [script],
    },
  );
}
