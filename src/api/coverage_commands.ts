/** Requests about which code the tests run. */
import type { ChangedFile, CoverageReport, TestImpact } from "../../machines/model/coverage.ts";
import type { RequestOptions } from "./request_options.ts";

export interface CoverageCommands {
  /**
   * Reports which of the plugin's code the measured suites ran since its server was last loaded.
   * @throws {PthError} `NOT_NOW` if nothing was or could be measured
   */
  report(): CoverageReport;
  /**
   * Selects the tests that a change affects: in files, or lines of them as they were when the tests were measured;
   * of a commit of the session branch; or, with neither, all that differs now from what was measured. Without a
   * measurement it is estimated from the source, and the answer says so.
   * @throws {PthError} `NO_SUCH_COMMIT`
   */
  impact(
    request: { files?: ChangedFile[]; commit?: string },
    options?: RequestOptions,
  ): Promise<TestImpact>;
}
