/**
 * What the faces of PTH (MCP tools, CLI) see of it: requests that are turned into events of the actors, and facts that
 * the actors emit. `src/app/create_harness.ts` makes one.
 */
import type {
  AgentRun,
  AppliedFix,
  BuiltImage,
  CiExport,
  CleanRunReport,
  CopyLimits,
  DistroRequest,
  DocsUpdate,
  ExecResult,
  FixerRequest,
  GeneratedTests,
  GenerateOptions,
  IterationStatus,
  LoadOptions,
  LoopProgress,
  PluginStatus,
  PreflightCheck,
  RelayEnd,
  RelayEnds,
  ReloadReport,
  RevertedFix,
  SessionResults,
  SnapshotInfo,
} from "./requests.ts";
import type {
  DriftReport,
  EnvironmentConfig,
  EnvironmentState,
  HealthReport,
} from "../../machines/model/environment.ts";
import type { ChangedFile, CoverageReport, TestImpact } from "../../machines/model/coverage.ts";
import type { ContractCheck, ServerSurface, TokenCost } from "../../machines/model/contract.ts";
import type { Detail, DetailRequest } from "../../machines/model/detail.ts";
import type { DiagnosisReport } from "../../machines/model/diagnosis.ts";
import type { Bisection, FixHistory, FixQuery, FixRequest, SessionDiff } from "../../machines/model/fix.ts";
import type { FuzzReport, FuzzRequest } from "../../machines/model/fuzz.ts";
import type { PerformanceReport, PerformanceRequest } from "../../machines/model/performance.ts";
import type { CallOutcome, ToolDefinition } from "../../machines/model/plugin.ts";
import type {
  EnvironmentInfo,
  PluginInfo,
  RunReport,
  SessionInfo,
  SessionTarget,
  Timings,
} from "../../machines/model/session.ts";
import type { IterationOutcome, IterationRun } from "../../machines/model/iteration.ts";
import type { MatrixAnswer, MatrixOutcome } from "../../machines/model/matrix.ts";
import type { ResumedSession, ResumeRequest } from "../../machines/model/resume.ts";
import type { SuiteOptions, TestFilter } from "../../machines/model/suite_options.ts";
import type { TestCase } from "../../machines/model/test_case.ts";
import type { SuiteSummary, TestResult } from "../../machines/model/test_result.ts";
import type { Proposal } from "./fixer.ts";
import type { Problem } from "../core/problems.ts";
import type { PublishedEvent } from "./facts.ts";
import type { AskConfig } from "./questions.ts";
import type { DeletedTest, RecordedTest } from "./tests.ts";
import type { ResultsVerdict } from "./tests.ts";
import type { Finding, JudgedItem } from "../../machines/model/verdict.ts";

export type { SuiteOptions, TestFilter } from "../../machines/model/suite_options.ts";
export type * from "./facts.ts";
export type * from "./questions.ts";
export type * from "./requests.ts";

/** What comes with each request: a way to be told and a way to stop it. */
export interface RequestOptions {
  signal?: AbortSignal;
  onProgress?: (step: ProgressStep) => void;
  /** Asks a person for configuration that a plugin needs; without it what is missing is an error. */
  askConfig?: AskConfig;
  /** How often what may be over in a moment is tried again; default `PTH_RETRIES`, else 2. */
  retries?: number;
}

/** One step of long work, for MCP progress notifications and the terminal's live line. */
export interface ProgressStep {
  /** "provision", "install", "build", "start", "suite" … */
  phase: string;
  message: string;
  done?: number;
  total?: number;
}

/** One session's requests. Each rejects with `PthError`: `NOT_NOW` when the session's state does not allow it. */
export interface Session {
  info(): SessionInfo;
  timings(): Timings;
  report(): RunReport;
  /** The report as `endSession` would commit it now, as Markdown. */
  standingReport(): Promise<string>;

  provision(config: Partial<EnvironmentConfig>, options?: RequestOptions): Promise<EnvironmentInfo>;
  destroyEnvironment(options?: RequestOptions): Promise<void>;
  reprovision(config: Partial<EnvironmentConfig>, options?: RequestOptions): Promise<EnvironmentInfo>;
  inspect(options?: RequestOptions): Promise<EnvironmentInfo & { state: EnvironmentState }>;
  snapshot(tag: string, options?: RequestOptions): Promise<{ snapshot: string; holds: string }>;
  /** The oldest first, also those of environments that are gone. */
  snapshots(): SnapshotInfo[];
  /** Forgets a snapshot and frees its room. @throws {PthError} `NO_SUCH_SNAPSHOT` */
  dropSnapshot(snapshot: string, options?: RequestOptions): Promise<void>;
  /**
   * Goes back, and loads the plugin again where it was loaded. With `recover`, a rollback that fails is made up for by a new
   * environment with the plugin built from the branch; `recovered` then says why.
   * @throws {PthError} `NO_SUCH_SNAPSHOT`, `ROLLBACK_FAILED`, `NOT_NOW` while tests run, what loading fails with
   */
  rollback(
    snapshot: string,
    options?: RequestOptions & { recover?: boolean },
  ): Promise<{ reloaded: boolean; recovered?: string }>;
  exec(
    command: string[],
    execOptions: { cwd?: string; env?: Record<string, string>; timeoutSeconds?: number },
    options?: RequestOptions,
  ): Promise<ExecResult>;
  copyIn(hostPath: string, envPath: string, options?: RequestOptions): Promise<void>;
  /** @throws {PthError} `COPY_FAILED` where a limit is reached: it names the limit */
  copyOut(
    envPath: string,
    hostPath: string,
    options?: RequestOptions & { limits?: CopyLimits },
  ): Promise<void>;
  /** With `service` those of one companion service. @throws {PthError} `INVALID_INPUT` for an unknown one */
  logs(tail: number, options?: RequestOptions & { service?: string }): Promise<string>;
  health(options?: RequestOptions): Promise<HealthReport>;
  drift(options?: RequestOptions): Promise<DriftReport>;
  /**
   * Looks for drift, replaces the environment by a new one like it, loads the plugin again and runs the suite.
   * @throws {PthError} `NOT_NOW` before the plugin is loaded; what provisioning, loading and the suite fail with
   */
  verifyClean(suite: SuiteOptions, options?: RequestOptions): Promise<CleanRunReport>;

  load(load: LoadOptions, options?: RequestOptions): Promise<PluginInfo>;
  reload(options?: RequestOptions): Promise<ReloadReport>;
  pluginStatus(): PluginStatus;
  pluginTools(): ToolDefinition[];
  /** @throws {PthError} `SERVER_SILENT` without an answer within `timeoutSeconds` (default 120), `SERVER_LOST` */
  callTool(
    tool: string,
    input: Record<string, unknown>,
    options?: RequestOptions & { timeoutSeconds?: number },
  ): Promise<CallOutcome>;
  /**
   * Lets a client speak to a server instance of its own, in this environment; resolves when either side has ended.
   * @throws {PthError} `UNSUPPORTED` for servers on HTTP
   */
  relay(ends: RelayEnds, options?: RequestOptions): Promise<RelayEnd>;
  /**
   * Calls by `callTool` between the two become a scenario of the session, if it passes when it is run once.
   * @throws {PthError} `NOT_NOW`
   */
  readonly recordCalls: {
    start(name: string): void;
    stop(options?: RequestOptions): Promise<RecordedTest>;
  };
  /** Resolved variables, secrets as "[REDACTED]". */
  pluginConfig(): { name: string; value: string; source: string }[];
  /** All that the server offers, asked of it anew. @throws {PthError} `NOT_NOW`, `PROTOCOL_VIOLATION`, `SERVER_LOST` */
  surface(options?: RequestOptions): Promise<ServerSurface>;
  /**
   * Compares the surface with the one kept in the plugin (default `.pth/contract.json`); with `save` it is then kept there, and
   * committed where the session has a branch.
   * @throws {PthError} `INVALID_INPUT` for a path out of the plugin's folder, or a file that is no contract; as `surface`
   */
  checkContract(
    request: { baseline?: string; save?: boolean },
    options?: RequestOptions,
  ): Promise<ContractCheck>;
  /** What the tools' definitions lack; part of `report()` from then on. @throws {PthError} `NOT_NOW` */
  lint(options?: RequestOptions): Promise<Finding[]>;
  /** Of the tools' definitions and of the answers seen so far; part of `report()` from then on. @throws {PthError} `NOT_NOW` */
  tokenCost(options?: RequestOptions): Promise<TokenCost>;
  /**
   * Calls each tool with inputs that it accepts, first one call after the other, then rapidly, and measures what that takes; tools
   * that stand out are named, nothing is judged. Part of `report()` from then on.
   * @throws {PthError} `NO_SUCH_TOOL`, `NOT_NOW` before the plugin is loaded or while tests run
   */
  measurePerformance(request: PerformanceRequest, options?: RequestOptions): Promise<PerformanceReport>;

  /** Tests of the session: those found in `.pth/tests`, generated ones, and those created by hand. */
  tests(filter?: TestFilter): TestCase[];
  /** Mistakes in the files of `.pth/tests`: those tests are not among `tests()`. */
  testProblems(): Problem[];
  generateTests(generate: GenerateOptions, options?: RequestOptions): Promise<GeneratedTests>;
  /** Loads a file or folder in place of what discovery and generation gave. */
  useTests(path: string): Promise<TestCase[]>;
  /** YAML of one test; kept under `.pth/tests` of the session's worktree. */
  createTest(yaml: string): Promise<TestCase>;
  editTest(id: string, yaml: string): Promise<TestCase>;
  /** Takes a test out of the session and of its file. @throws {PthError} `NO_SUCH_TEST`, `INVALID_TEST_FILE` */
  deleteTest(id: string): Promise<DeletedTest>;
  runTest(id: string, suite: SuiteOptions, options?: RequestOptions): Promise<TestResult>;
  /**
   * Begins a test with a prompt: prepares it and holds a server for it until it is closed, given up, or its time is up. A run
   * that could not begin is a result.
   * @throws {PthError} `NOT_NOW` while another run or a suite is under way, `INVALID_INPUT` for a test without a prompt
   */
  beginAgentRun(
    id: string,
    suite: Pick<SuiteOptions, "timeoutSeconds">,
    options?: RequestOptions,
  ): Promise<{ run: AgentRun } | { result: TestResult }>;
  /** A tool call on the run's own server. @throws {PthError} `NOT_NOW` for a run that has ended, `NO_SUCH_TOOL` */
  callInAgentRun(
    runId: string,
    tool: string,
    input: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<CallOutcome>;
  /** Runs `verify` and judges. @throws {PthError} `INVALID_INPUT` for a checklist that is not judged item by item */
  closeAgentRun(runId: string, checklist: JudgedItem[], options?: RequestOptions): Promise<TestResult>;
  /** Ends a run without a judgement: the test counts as skipped. */
  abandonAgentRun(runId: string, reason: string): Promise<TestResult>;
  runSuite(
    suite: SuiteOptions,
    options?: RequestOptions,
  ): Promise<{ summary: SuiteSummary; results: TestResult[]; notes?: string[] }>;
  /**
   * Calls tools with drawn inputs until something breaks, makes the input smaller and writes a test of it: to `output`, a
   * folder of this machine, else in a session to `.pth/tests/fuzz` of its worktree, where it joins the session's tests.
   * @throws {PthError} `NO_SUCH_TOOL`; `NOT_NOW` before the plugin is loaded; what starting the server fails with
   */
  fuzz(request: FuzzRequest & { output?: string }, options?: RequestOptions): Promise<FuzzReport>;
  /**
   * Writes a runner that needs no PTH, the tests that fit, and a GitHub workflow, into the worktree or `output`.
   * @throws {PthError} `NO_TESTS_MATCH`, `INVALID_INPUT` without a branch and without `output`, `UNSUPPORTED`
   */
  exportCi(
    request: { output?: string; filter?: TestFilter },
    options?: RequestOptions,
  ): Promise<CiExport>;
  /**
   * The README's section on tools, from their schemas and from tests that passed; with `write` written and committed.
   * @throws {PthError} `NOT_NOW` before the plugin is loaded
   */
  updateDocs(request: { write?: boolean }, options?: RequestOptions): Promise<DocsUpdate>;
  /**
   * Why the tests failed whose latest run did; `tests` are ids or names, default all of them. A plugin that did not load is
   * diagnosed too, unless tests are named.
   * @throws {PthError} `NO_SUCH_TEST`; `NO_TESTS_MATCH` for a test that did not fail
   */
  diagnose(request: { tests?: string[] }, options?: RequestOptions): Promise<DiagnosisReport>;

  /**
   * Commits a fix on the session branch; nothing is changed when any of its edits does not apply. With `reload` the plugin
   * then runs with it.
   * @throws {PthError} `EDIT_FAILED`, `INVALID_INPUT`, `GIT_FAILED`, `UNSUPPORTED` where snapshots are
   */
  applyFix(request: FixRequest & { reload?: boolean }, options?: RequestOptions): Promise<AppliedFix>;
  /**
   * Takes a commit's changes back in a commit of its own, and the environment with it if a snapshot was taken before.
   * @throws {PthError} `NO_SUCH_COMMIT`, `REVERT_CONFLICT`
   */
  revertFix(request: { commit: string; reload?: boolean }, options?: RequestOptions): Promise<RevertedFix>;
  fixHistory(query?: FixQuery, options?: RequestOptions): Promise<FixHistory>;
  /**
   * Which fix broke a test (id or name): runs it at commits, in a copy with an environment and a server of its own.
   * @throws {PthError} `NO_SUCH_TEST`, `NOT_NOW` without an environment or without a fix, what provisioning fails with
   */
  bisect(request: { test: string }, options?: RequestOptions): Promise<Bisection>;
  /** Undefined in a session that has no branch (yet). */
  diffSession(
    request?: { path?: string; stat?: boolean },
    options?: RequestOptions,
  ): Promise<SessionDiff | undefined>;
  /** Forgets the snapshot that was taken before a fix. */
  dropFixSnapshot(commit: string, options?: RequestOptions): Promise<{ dropped: boolean }>;
  /**
   * One or more turns of the loop: tests, diagnoses, has fixes applied, reloads, retests. Without fixes and
   * without a fixer it ends at `awaiting_fixes`; a request with fixes then goes on from there.
   * @throws {PthError} `NOT_NOW` without an environment or while a turn is under way, `INVALID_INPUT`, what the steps fail with
   */
  iterate(run: IterationRun, options?: RequestOptions): Promise<IterationOutcome>;
  iterationStatus(): IterationStatus;
  /**
   * Runs the suite on other distributions, one after the other, and on the primary one last again; what fails is mended by the
   * run's fixer, or it ends at `awaiting_fixes` and a request with an answer goes on from there. Part of `report()` from then on.
   * @throws {PthError} `NOT_NOW` without an environment, while tests fail on the primary one (unless `force`), or for an answer
   * that nothing awaits; `INVALID_INPUT` for images that there are not, that are listed twice, or for want of another one
   */
  verifyDistros(
    request: DistroRequest | MatrixAnswer,
    options?: RequestOptions,
  ): Promise<MatrixOutcome>;
  /**
   * What a command proposes as fix of one root cause; the worktree stays as it is.
   * @throws {PthError} `FIXER_FAILED`
   */
  proposeFix(request: FixerRequest, options?: RequestOptions): Promise<Proposal | undefined>;
  /** Commits `.pth/session-state.json`, from which an interrupted session is resumed; nothing where nothing has changed. */
  checkpoint(progress: LoopProgress, options?: RequestOptions): Promise<{ commit?: string }>;
  /**
   * What summaries leave out: the JSON-RPC exchange or the output of any test of the latest run, the diff of one fix, the
   * output of the latest build, where the environment's disk, memory and processor time go.
   * @throws {PthError} `NO_SUCH_TEST`, `NO_SUCH_COMMIT`, `NOT_NOW` without an environment
   */
  detail(request: DetailRequest, options?: RequestOptions): Promise<Detail>;
  /**
   * What the suites that were measured ran of the plugin's code, since its server was last loaded.
   * @throws {PthError} `NOT_NOW` where nothing was measured, or nothing could be
   */
  coverage(): CoverageReport;
  /**
   * Which tests a change affects: in files, or lines of them as they stood when the tests were measured; of a commit of the
   * session branch; or, with neither, whatever differs now from what was measured. Read from the source where nothing was
   * measured, and it says so.
   * @throws {PthError} `NO_SUCH_COMMIT`
   */
  testImpact(
    request: { files?: ChangedFile[]; commit?: string },
    options?: RequestOptions,
  ): Promise<TestImpact>;
  /**
   * Takes files of the author's folder into the session's copy as they are now, and removes there what is gone; the plugin's own
   * tests are read anew where one of them changed. A reload makes the plugin run with the rest.
   * @param paths relative to the plugin's folder, with "/"
   * @returns ids of the tests that lie in those files
   * @throws {PthError} `UNSUPPORTED` where the plugin is no folder, `INVALID_INPUT`, `INVALID_TEST_FILE`
   */
  takeChanges(paths: readonly string[]): Promise<{ tests: string[] }>;
  results(filter?: TestFilter): SessionResults;
}

export interface Harness {
  readonly state: "dormant" | "starting" | "active" | "ending";
  /** The id under which `pth viz` finds it, once it does; undefined where it cannot be watched. */
  readonly announced?: Promise<string | undefined>;
  /** Subscribes to facts; the answer unsubscribes. */
  on(listener: (fact: PublishedEvent) => void): () => void;
  /** @throws {PthError} `SESSION_ACTIVE`, `SESSION_LOCKED`, `TARGET_NOT_FOUND` … */
  startSession(target: SessionTarget, options?: RequestOptions & StartOptions): Promise<SessionInfo>;
  /**
   * Goes on with the session whose branch this is: in a worktree of its own, from where the latest checkpoint stands. With
   * `force` also where a session that is alive holds the branch.
   * @throws {PthError} `INVALID_INPUT` for what is no session branch or is checked out by the author, `SESSION_LOCKED`,
   * `SESSION_ACTIVE`, what provisioning and loading fail with (the session is then open)
   */
  resumeSession(
    request: ResumeRequest,
    options?: RequestOptions & { force?: boolean },
  ): Promise<ResumedSession>;
  /** Tears everything down; safe in every state. */
  endSession(options?: EndOptions): Promise<EndReport>;
  /** @throws {PthError} `NO_SESSION` */
  session(): Session;
  preflight(target?: string): Promise<PreflightCheck[]>;
  /**
   * Builds base images anew, one after the other; no names means every image that is present. Allowed in every state.
   * @throws {PthError} `IMAGE_BUILD_FAILED`, `INVALID_INPUT` for an unknown name
   */
  rebuildImages(names: string[], options?: RequestOptions): Promise<BuiltImage[]>;
  /** Ends the session, if there is one, and all that the harness holds (recording, actors). */
  close(): Promise<void>;
}

export interface StartOptions {
  /** Take over a lock whose owner is alive. */
  force?: boolean;
  /** `run`: the working tree as it stands; `session`: HEAD. */
  mode?: "run" | "session";
}

export interface EndOptions {
  /** Leave the environment, the worktree and the branch, and say how to remove them. */
  keep?: boolean;
  /** Write suite and report to the branch also where it holds no commit. */
  report?: boolean;
  /** Also write title and text for a pull request, beside the report. Nothing is pushed. */
  pullRequest?: boolean;
}

export interface EndReport {
  branch?: string;
  branchKept: boolean;
  commits: number;
  /** Files and lines that the branch changed since its base. */
  changes?: { files: number; added: number; removed: number };
  /** Where the branch is: the user's repository, or one that PTH made for a plugin without git. */
  repository?: string;
  /** What could not be removed, and where it is. */
  leftBehind: string[];
  kept: string[];
  /** The verdict of the session's tests, as its report says. */
  standing?: ResultsVerdict;
  /** Path of the session's report on the branch. */
  report?: string;
  /** Where one was asked for and the branch holds commits; `path` is on the branch. */
  pullRequest?: { path: string; title: string; body: string };
  /** Why there is none, though there should be. */
  notReported?: string;
}
