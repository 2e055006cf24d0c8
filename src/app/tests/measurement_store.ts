/** Measurements of a session: coverage, performance, tokens, other distributions. */
import type { RunReport } from "../../../machines/model/session.ts";
import type { MeasuredOf } from "../../../machines/model/session_state.ts";
import type { MeasuredSuite } from "../../testing/coverage/measured_suite.ts";

export class MeasurementStore {
  /** Coverage of the suites that were measured. */
  suite: MeasuredSuite | undefined;
  /** Measurements made on request, for the report. */
  reports: Pick<RunReport, "tokenCost" | "performance" | "matrix"> = {};
  /** Commits of the plugin that was measured. */
  commits: MeasuredOf | undefined;
}
