/** Requests about which code the tests run. */
import type { ChangedFile, CoverageReport, TestImpact } from "../../machines/model/coverage.ts";
import type { RequestOptions } from "./request_options.ts";

export interface CoverageCommands {
  /**
   * What the suites that were measured ran of the plugin's code, since its server was last loaded.
   * @throws {PthError} `NOT_NOW` where nothing was measured, or nothing could be
   */
  report(): CoverageReport;
  /**
   * Which tests a change affects: in files, or lines of them as they stood when the tests were measured; of a commit of the
   * session branch; or, with neither, whatever differs now from what was measured. Read from the source where nothing was
   * measured, and it says so.
   * @throws {PthError} `NO_SUCH_COMMIT`
   */
  impact(
    request: { files?: ChangedFile[]; commit?: string },
    options?: RequestOptions,
  ): Promise<TestImpact>;
}
