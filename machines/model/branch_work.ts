/** Work on a session's branch: commits, reverts, readings of its history, and what is written onto it. */
import type { MatrixReport } from "./matrix.ts";
import type { PerformanceReport } from "./performance.ts";
import type { RunReport, SessionTarget } from "./session.ts";
import type { MeasuredOf, SessionProgress, SessionState } from "./session_state.ts";
import type { IterationRecord } from "./iteration.ts";
import type { CiExport, DocsUpdate, PullRequest, ToolExample, Workflow } from "./export.ts";
import type { TestCase } from "./test_case.ts";
import type { ContractCheck, ServerSurface } from "./contract.ts";
import type { DiagnosisReport } from "./diagnosis.ts";
import type { DiffOptions, FixHistory, FixQuery, FixRecord, FixRequest, SessionDiff } from "./fix.ts";
import type { FixerRequest, Proposal } from "./fixer.ts";
import type { TestResult } from "./test_result.ts";

export interface CheckpointArgs {
  progress: SessionProgress;
  tests: SessionState["tests"];
  /** Options of the latest load in addition to the session's target. */
  load?: Pick<SessionTarget, "build" | "install" | "command" | "server">;
  /** Commits that the tests' results are of. */
  commits?: SessionState["commits"];
  /** Commits of the latest matrix run, and of the latest figures. */
  matrix?: MatrixReport;
  performance?: PerformanceReport;
  measuredOf?: MeasuredOf;
}

export interface ExportSessionArgs {
  report: RunReport;
  iterations: readonly IterationRecord[];
  /** Saves even if the branch holds no commit yet. */
  always: boolean;
  /** Whether to write the text for a pull request, too. */
  pullRequest: boolean;
}

export interface ExportedSession {
  /** Path of the report within the repository; absent when nothing was to be reported. */
  report?: string;
  pullRequest?: PullRequest & { path: string };
}

/** Options of the export at a session's end. */
export type ExportOptions = Pick<ExportSessionArgs, "always" | "pullRequest">;

/** End of a session's work. */
export interface ClosedWork {
  exported: ExportedSession | undefined;
  /** Reason why nothing is exported, though it was asked for. */
  error: unknown;
}

export interface ExportCiArgs {
  tests: TestCase[];
  /** Latest results of the tests. */
  standing: CiExport["standing"];
  /** Host folder to write to, as if it were the plugin's; absent: the session's worktree. */
  output: string | undefined;
}

export interface UpdateDocsArgs {
  examples: ReadonlyMap<string, ToolExample>;
  /** Tools whose example is of older code, or of a test that does not pass any more. */
  outdated: readonly string[];
  /** Tests of several steps that passed. */
  workflows: readonly Workflow[];
  /** False: only say what would change. */
  write: boolean;
}

export interface SaveContractArgs {
  surface: ServerSurface;
  /** Within the plugin's folder, with "/". */
  path: string;
}

export interface DiagnoseArgs {
  failures: { test: TestCase; result: TestResult }[];
  /** Whether a load that failed counts as a failure. */
  withLoad: boolean;
}

/** Every kind of work on the branch, with its arguments and its result. */
export interface BranchWork {
  checkpoint: { args: CheckpointArgs; result: { commit?: string } };
  diagnose: { args: DiagnoseArgs; result: DiagnosisReport };
  export_ci: { args: ExportCiArgs; result: CiExport };
  /** Whether the edits of a fix apply; the files that they change. */
  check_fix: { args: { request: FixRequest }; result: { files: string[] } };
  /** `snapshot` was taken of the environment before. */
  apply_fix: { args: { request: FixRequest; snapshot?: string }; result: FixRecord };
  /** Whether a commit can be reverted, and the snapshot of the environment as it is now that goes with it. */
  check_revert: {
    args: { commit: string };
    result: { commit: string; snapshot?: string; lostSnapshot: boolean };
  };
  revert_fix: { args: { commit: string }; result: FixRecord };
  fix_history: { args: FixQuery; result: FixHistory };
  /** Undefined without a branch. */
  diff_session: { args: DiffOptions; result: SessionDiff | undefined };
  /** One commit with its change; the latest fix where none is named. */
  show_fix: { args: { commit?: string }; result: { fix: FixRecord; diff: string } };
  /** Forgets a snapshot that was taken for a fix, by name or by the fix's commit. */
  drop_fix_snapshot: { args: { commit?: string; snapshot?: string }; result: { dropped: boolean } };
  /** Forgets those of a fix that was taken back, and of all later ones. */
  drop_fix_snapshots_since: { args: { commit: string }; result: void };
  /** Forgets those of all fixes. */
  drop_fix_snapshots: { args: Record<never, never>; result: void };
  hand_over: { args: ExportSessionArgs; result: ExportedSession };
  propose_fix: { args: FixerRequest; result: Proposal | undefined };
  save_contract: { args: SaveContractArgs; result: NonNullable<ContractCheck["saved"]> };
  update_docs: { args: UpdateDocsArgs; result: DocsUpdate };
}

/** A request for work on the branch, by its kind. */
export type BranchWorkRequests = {
  [Kind in keyof BranchWork]: { kind: Kind; args: BranchWork[Kind]["args"] };
};
export type BranchWorkRequest = BranchWorkRequests[keyof BranchWork];
