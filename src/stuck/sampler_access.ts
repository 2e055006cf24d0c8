import type { ExecResult } from "../../machines/model/environment_operations.ts";
import type { EnvironmentProcess, ExecOptions } from "../runtimes/runtime.ts";

/** Way into the place where the watched processes run: an environment, or the host. */
export interface SamplerAccess {
  spawn(argv: readonly string[], options?: Pick<ExecOptions, "env">): Promise<EnvironmentProcess>;
  exec(
    argv: readonly string[],
    options?: Pick<ExecOptions, "env" | "signal" | "maxBytes" | "stdin">,
  ): Promise<ExecResult>;
}
