import { allEnv } from "../platform/host.ts";
import { signalProcess } from "../platform/process.ts";
import { execLocally, startLive } from "../runtimes/shared/exec_locally.ts";
import type { EnvironmentProcess, ExecOptions } from "../runtimes/runtime.ts";

type Options = Pick<ExecOptions, "env" | "signal" | "maxBytes" | "stdin">;

const local = (words: readonly string[], { env = {} }: Options) => ({ words, env: { ...allEnv(), ...env } });

/** Way to the processes of the host, for what looks at them. */
export const hostAccess = {
  async spawn(words: readonly string[], options: Pick<Options, "env"> = {}): Promise<EnvironmentProcess> {
    const { pid, stdin, stdout, stderr, exited } = await startLive(local(words, options));
    const kill: EnvironmentProcess["kill"] = (signal, whom) =>
      Promise.resolve(void signalProcess(whom === "leader" ? pid : -pid, signal));
    return { pid, stdin, stdout, stderr, exited, kill };
  },
  exec: (words: readonly string[], { env, ...options }: Options = {}) =>
    execLocally(local(words, { ...(env && { env }) }), options),
};
