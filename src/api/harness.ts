/**
 * Interface of the harness for MCP tools and CLI: requests, which become events of the actors, and published events,
 * which the actors emit. `src/app/create_harness.ts` makes one.
 */
import type { BuiltImage, PreflightCheck } from "./requests.ts";
import type { Detail, DetailRequest } from "../../machines/model/detail.ts";
import type { ProjectTestAnswer, ProjectTestRun } from "../../machines/model/project_test_run.ts";
import type { RunReport, SessionInfo, SessionTarget, Timings } from "../../machines/model/session.ts";
import type { ResumedSession, ResumeRequest } from "../../machines/model/resume.ts";
import type { PublishedEvent } from "./published_event.ts";
import type { ResultsVerdict } from "./tests.ts";
import type { RequestOptions } from "./request_options.ts";
import type { EnvironmentCommands } from "./environment_commands.ts";
import type { SnapshotCommands } from "./snapshot_commands.ts";
import type { PluginCommands } from "./plugin_commands.ts";
import type { ContractCommands } from "./contract_commands.ts";
import type { TestCommands } from "./test_commands.ts";
import type { AgentCommands } from "./agent_commands.ts";
import type { AgentRunCommands } from "./agent_run_commands.ts";
import type { FixCommands } from "./fix_commands.ts";
import type { LoopCommands } from "./loop_commands.ts";
import type { CoverageCommands } from "./coverage_commands.ts";
import type { ProjectTestCommands } from "./project_test_commands.ts";
import type { ExportCommands } from "./export_commands.ts";
import type { InstallCommands } from "./install_commands.ts";

export type { CopyLimits, ExecResult, RelayEnd } from "../../machines/model/environment_operations.ts";
export type { CiExport, DocsUpdate } from "../../machines/model/export.ts";
export type { FixerRequest } from "../../machines/model/fixer.ts";
export type { SuiteOptions, TestFilter } from "../../machines/model/suite_options.ts";
export type * from "./published_event.ts";
export type * from "./questions.ts";
export type * from "./request_options.ts";
export type * from "./requests.ts";
export type * from "./environment_commands.ts";
export type * from "./snapshot_commands.ts";
export type * from "./plugin_commands.ts";
export type * from "./contract_commands.ts";
export type * from "./test_commands.ts";
export type * from "./agent_commands.ts";
export type * from "./agent_run_commands.ts";
export type * from "./install_commands.ts";
export type * from "./project_test_commands.ts";
export type * from "./fix_commands.ts";
export type * from "./loop_commands.ts";
export type * from "./coverage_commands.ts";
export type * from "./export_commands.ts";

/** One session's requests, by what they are about. Each rejects with `PthError`: `NOT_NOW` when the session's state does not allow it. */
export interface Session {
  info(): SessionInfo;
  timings(): Timings;
  report(): RunReport;
  /**
   * Returns details that summaries leave out: the JSON-RPC exchange or the output of any test of the latest run, the
   * diff of one fix, the output of the latest build, where the environment's disk, memory and processor time go.
   * @throws {PthError} `NO_SUCH_TEST`, `NO_SUCH_COMMIT`, `NOT_NOW` without an environment
   */
  detail(request: DetailRequest, options?: RequestOptions): Promise<Detail>;

  readonly environment: EnvironmentCommands;
  readonly snapshots: SnapshotCommands;
  readonly plugin: PluginCommands;
  readonly contract: ContractCommands;
  readonly tests: TestCommands;
  readonly agentRuns: AgentRunCommands;
  readonly agents: AgentCommands;
  readonly fixes: FixCommands;
  readonly loop: LoopCommands;
  readonly coverage: CoverageCommands;
  readonly export: ExportCommands;
  readonly installs: InstallCommands;
  readonly projectTests: ProjectTestCommands;
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
   * Builds base images again, one after the other; no names means every image that is present. Allowed in every
   * state.
   * @throws {PthError} `IMAGE_BUILD_FAILED`, `INVALID_INPUT` for an unknown name
   */
  rebuildImages(names: string[], options?: RequestOptions): Promise<BuiltImage[]>;
  /**
   * Runs a project's own tests in its folder on the host, as its author's shell would; nothing is isolated. Allowed in every
   * state.
   * @throws {PthError} `TARGET_NOT_FOUND`, `INVALID_INPUT`, `TOOLCHAIN_MISSING`, `NO_TESTS_MATCH`, `EXEC_FAILED`,
   * `INTERRUPTED`
   */
  runProjectTests(run: ProjectTestRun, options?: RequestOptions): Promise<ProjectTestAnswer>;
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
  /** Whether title and text for a pull request are written in addition to the report. Nothing is pushed. */
  pullRequest?: boolean;
}

export interface EndReport {
  branch?: string;
  branchKept: boolean;
  commits: number;
  /** Files and lines that the branch changed since its base. */
  changes?: { files: number; added: number; removed: number };
  /** Repository that has the branch: the user's, or one that PTH made for a plugin without git. */
  repository?: string;
  /** Resources that could not be removed, each with its place. */
  leftBehind: string[];
  kept: string[];
  /** The verdict of the session's tests, as its report says. */
  standing?: ResultsVerdict;
  /** Path of the session's report on the branch. */
  report?: string;
  /** Pull request text, if it was asked for and the branch has commits; `path` is on the branch. */
  pullRequest?: { path: string; title: string; body: string };
  /** Reason why there is no report, though there should be one. */
  notReported?: string;
}

export type { ReloadReport } from "../../machines/model/reload_report.ts";
