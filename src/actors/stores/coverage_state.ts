/** Measurement of the plugin's code coverage. */
import type { CoverageRun } from "../../testing/coverage/coverage_run.ts";

export class CoverageState {
  /** Servers that start from now on are to be measured. */
  wanted = false;
  /** Measurement of the running server. */
  run: CoverageRun | undefined;
  /** Reason why nothing is measured, though it is wanted. */
  problem: string | undefined;
  /** The running suite is measured test by test. */
  measuring = false;
  #runs = 0;

  /** Number of the next measurement, from 1. */
  nextRun(): number {
    return ++this.#runs;
  }
}
