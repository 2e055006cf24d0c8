import type {
  DriftReport,
  EnvironmentConfig,
  EnvironmentState,
  HealthReport,
} from "../../machines/model/environment.ts";
import type { EnvironmentInfo } from "../../machines/model/session.ts";
import type { RequestOptions } from "./request_options.ts";
import type { CopyLimits, ExecResult } from "../../machines/model/environment_operations.ts";

export interface EnvironmentCommands {
  provision(config: Partial<EnvironmentConfig>, options?: RequestOptions): Promise<EnvironmentInfo>;
  destroy(options?: RequestOptions): Promise<void>;
  reprovision(config: Partial<EnvironmentConfig>, options?: RequestOptions): Promise<EnvironmentInfo>;
  inspect(options?: RequestOptions): Promise<EnvironmentInfo & { state: EnvironmentState }>;
  exec(
    command: string[],
    execOptions: { cwd?: string; env?: Record<string, string>; timeoutSeconds?: number },
    options?: RequestOptions,
  ): Promise<ExecResult>;
  copyIn(hostPath: string, envPath: string, options?: RequestOptions): Promise<void>;
  /** @throws {PthError} `COPY_FAILED` where a limit is reached: it names the limit */
  copyOut(
    envPath: string,
    hostPath: string,
    options?: RequestOptions & { limits?: CopyLimits },
  ): Promise<void>;
  /** With `service` those of one companion service. @throws {PthError} `INVALID_INPUT` for an unknown one */
  logs(tail: number, options?: RequestOptions & { service?: string }): Promise<string>;
  health(options?: RequestOptions): Promise<HealthReport>;
  drift(options?: RequestOptions): Promise<DriftReport>;
}
