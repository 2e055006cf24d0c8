/** Requests about failures and the commits that fix them. */
import type { AppliedFix, RevertedFix } from "./requests.ts";
import type { DiagnosisReport } from "../../machines/model/diagnosis.ts";
import type { Bisection, FixHistory, FixQuery, FixRequest, SessionDiff } from "../../machines/model/fix.ts";
import type { RequestOptions } from "./request_options.ts";
import type { FixerRequest, Proposal } from "../../machines/model/fixer.ts";

export interface FixCommands {
  /**
   * Diagnoses the tests whose latest run failed; `tests` are ids or names, default all of them. A plugin that did
   * not load is diagnosed too, unless tests are named.
   * @throws {PthError} `NO_SUCH_TEST`; `NO_TESTS_MATCH` for a test that did not fail
   */
  diagnose(request: { tests?: string[] }, options?: RequestOptions): Promise<DiagnosisReport>;
  /**
   * Commits a fix on the session branch; nothing is changed when any of its edits does not apply. With `reload` the plugin
   * then runs with it.
   * @throws {PthError} `EDIT_FAILED`, `INVALID_INPUT`, `GIT_FAILED`, `UNSUPPORTED` where snapshots are
   */
  apply(request: FixRequest & { reload?: boolean }, options?: RequestOptions): Promise<AppliedFix>;
  /**
   * Takes a commit's changes back in a commit of its own, and the environment with it if a snapshot was taken before.
   * @throws {PthError} `NO_SUCH_COMMIT`, `REVERT_CONFLICT`
   */
  revert(request: { commit: string; reload?: boolean }, options?: RequestOptions): Promise<RevertedFix>;
  history(query?: FixQuery, options?: RequestOptions): Promise<FixHistory>;
  /**
   * Finds the fix that broke a test (id or name): runs it at commits, in a copy with an environment and a server of
   * its own.
   * @throws {PthError} `NO_SUCH_TEST`, `NOT_NOW` without an environment or without a fix, what provisioning fails
   * with
   */
  bisect(request: { test: string }, options?: RequestOptions): Promise<Bisection>;
  /** Undefined in a session that has no branch (yet). */
  diff(
    request?: { path?: string; stat?: boolean },
    options?: RequestOptions,
  ): Promise<SessionDiff | undefined>;
  /** Forgets the snapshot that was taken before a fix. */
  dropSnapshot(commit: string, options?: RequestOptions): Promise<{ dropped: boolean }>;
  /**
   * Asks a command for a proposal that fixes one root cause; the worktree stays unchanged.
   * @throws {PthError} `FIXER_FAILED`
   */
  propose(request: FixerRequest, options?: RequestOptions): Promise<Proposal | undefined>;
}
