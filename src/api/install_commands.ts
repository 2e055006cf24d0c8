/** Requests about how the plugin installs where its source is not. */
import type { InstallCheckRequest, InstallCheckResult } from "../../machines/model/install_check.ts";
import type { RequestOptions } from "./request_options.ts";

export interface InstallCommands {
  /**
   * Lists the kinds of package that the source is: `npm`, `claude-plugin` …
   * @throws {PthError} `TARGET_NOT_FOUND` where it is none
   */
  kinds(): Promise<string[]>;
  /**
   * Packs the plugin, installs it as its users do, starts it, and compares it with its source. Faults are a result.
   * @throws {PthError} `NOT_NOW` without an environment, `TOOLCHAIN_MISSING` where that cannot install such packages,
   * `INVALID_INPUT` for an unknown kind, `INTERRUPTED` after the time limit
   */
  check(request: InstallCheckRequest, options?: RequestOptions): Promise<InstallCheckResult>;
}
