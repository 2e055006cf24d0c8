/** Requests about the loop: test, diagnose, fix, reload, retest. */
import type { DistroRequest, IterationStatus, LoopProgress } from "./requests.ts";
import type { IterationOutcome, IterationRun } from "../../machines/model/iteration.ts";
import type { MatrixAnswer, MatrixOutcome } from "../../machines/model/matrix.ts";
import type { RequestOptions } from "./request_options.ts";

export interface LoopCommands {
  /**
   * One or more turns of the loop: tests, diagnoses, has fixes applied, reloads, retests. Without fixes and
   * without a fixer it ends at `awaiting_fixes`; a request with fixes then goes on from there.
   * @throws {PthError} `NOT_NOW` without an environment or while a turn is under way, `INVALID_INPUT`, what the steps fail with
   */
  run(run: IterationRun, options?: RequestOptions): Promise<IterationOutcome>;
  status(): IterationStatus;
  /**
   * Runs the suite on other distributions, one after the other, and on the primary one last again; what fails is mended by the
   * run's fixer, or it ends at `awaiting_fixes` and a request with an answer goes on from there. Part of `report()` from then on.
   * @throws {PthError} `NOT_NOW` without an environment, while tests fail on the primary one (unless `force`), or for an answer
   * that nothing awaits; `INVALID_INPUT` for images that there are not, that are listed twice, or for want of another one
   */
  runMatrix(
    request: DistroRequest | MatrixAnswer,
    options?: RequestOptions,
  ): Promise<MatrixOutcome>;
  /** Commits `.pth/session-state.json`, from which an interrupted session is resumed; nothing where nothing has changed. */
  checkpoint(progress: LoopProgress, options?: RequestOptions): Promise<{ commit?: string }>;
}
