import { execLocally } from "../../src/runtimes/shared/exec_locally.ts";
import { definedOnly } from "../../src/core/values.ts";
import { signalProcess, spawnProcess } from "../../src/platform/process.ts";
import type { SamplerAccess } from "../../src/stuck/sampler_access.ts";
import process from "node:process";

const inherited = () => definedOnly(process.env) as Record<string, string>;

/** Way to processes of the host, as an environment gives it to its own. */
export const hostAccess: SamplerAccess = {
  async spawn(argv, { env = {} } = {}) {
    const child = await spawnProcess(argv, { env, ownGroup: true });
    const { pid, stdin, stdout, stderr, exited } = child;
    return {
      pid,
      stdin,
      stdout,
      stderr,
      exited,
      kill: (signal) => Promise.resolve(void signalProcess(-pid, signal)),
    };
  },
  exec: (argv, options = {}) =>
    execLocally({ words: argv, env: { ...inherited(), ...options.env } }, options),
};
