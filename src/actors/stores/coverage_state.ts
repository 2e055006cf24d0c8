/** Measurement of the plugin's code coverage. */
import type { CoverageRun } from "../../testing/coverage/coverage_run.ts";

export class CoverageState {
  /** Measurement of the running server. */
  run: CoverageRun | undefined;
  /** Reason why nothing is measured, though it is wanted. */
  problem: string | undefined;
  #runs = 0;

  /** Number of the next measurement, from 1. */
  nextRun(): number {
    return ++this.#runs;
  }
}
