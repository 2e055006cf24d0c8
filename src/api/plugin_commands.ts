/** Requests about the plugin under test and its server. */
import type { LoadOptions, PluginStatus, RelayEnds } from "./requests.ts";
import type { PerformanceReport, PerformanceRequest } from "../../machines/model/performance.ts";
import type { CallOutcome, ToolDefinition } from "../../machines/model/plugin.ts";
import type { PluginInfo } from "../../machines/model/session.ts";
import type { RequestOptions } from "./request_options.ts";
import type { RelayEnd } from "../../machines/model/environment_operations.ts";
import type { ReloadReport } from "../../machines/model/reload_report.ts";

export interface PluginCommands {
  load(load: LoadOptions, options?: RequestOptions): Promise<PluginInfo>;
  reload(options?: RequestOptions): Promise<ReloadReport>;
  status(): PluginStatus;
  tools(): ToolDefinition[];
  /** @throws {PthError} `SERVER_SILENT` without an answer within `timeoutSeconds` (default 120), `SERVER_LOST` */
  call(
    tool: string,
    input: Record<string, unknown>,
    options?: RequestOptions & { timeoutSeconds?: number },
  ): Promise<CallOutcome>;
  /**
   * Lets a client speak to a server instance of its own, in this environment; resolves when either side has ended.
   * @throws {PthError} `UNSUPPORTED` for servers on HTTP
   */
  relay(ends: RelayEnds, options?: RequestOptions): Promise<RelayEnd>;
  /** Resolved variables, secrets as "[REDACTED]". */
  config(): { name: string; value: string; source: string }[];
  /**
   * Calls each tool with inputs that it accepts, first one call after the other, then rapidly, and measures what that takes; tools
   * that stand out are named, nothing is judged. Part of `report()` from then on.
   * @throws {PthError} `NO_SUCH_TOOL`, `NOT_NOW` before the plugin is loaded or while tests run
   */
  measurePerformance(request: PerformanceRequest, options?: RequestOptions): Promise<PerformanceReport>;
  /**
   * Takes files of the author's folder into the session's copy as they are now, and removes there what is gone; the plugin's own
   * tests are read anew where one of them changed. A reload makes the plugin run with the rest.
   * @param paths relative to the plugin's folder, with "/"
   * @returns ids of the tests that lie in those files
   * @throws {PthError} `UNSUPPORTED` where the plugin is no folder, `INVALID_INPUT`, `INVALID_TEST_FILE`
   */
  takeChanges(paths: readonly string[]): Promise<{ tests: string[] }>;
}
