/** Sessions as plain values. */
import type { ToolExercise } from "./tool_exercise.ts";
import type { StaleResults } from "./stale_results.ts";
import type { ContractCheck, TokenCost } from "./contract.ts";
import type { CoverageReport, ImpactMap } from "./coverage.ts";
import type {
  DriftReport,
  EnvironmentConfig,
  EnvironmentHandle,
  EnvironmentState,
  MountInfo,
  TierRecommendation,
} from "./environment.ts";
import type { MatrixReport } from "./matrix.ts";
import type { PerformanceReport } from "./performance.ts";
import type { CloseReport, PluginPlan, ServerInfo, ToolDefinition } from "./plugin.ts";
import type { ServiceProposals } from "./service_proposal.ts";
import type { SuiteSummary, TestResult, TestRunResult } from "./test_result.ts";
import type { TestCase } from "./test_case.ts";
import type { Finding } from "./verdict.ts";

/** Plugin that a session tests, as the user named it. */
export interface SessionTarget {
  /** A folder, `npm:<package>[@version]`, or absent when `command` says all. */
  target?: string;
  /** Start command, a shell-split list; overrides what the plugin says. `{port}` stands for the HTTP port. */
  command?: string[];
  /** Appended to the server's command. */
  args?: string[];
  /** Name of the server, if a plugin has several. */
  server?: string;
  /** Build and install commands that replace the detected ones; "" for none. */
  build?: string;
  install?: string;
  /** Takes no installed tree of an earlier session; what is installed is kept for later ones. */
  installAnew?: boolean;
  /** URL of an HTTP server (`{port}` allowed). */
  url?: string;
  /** Plain variables and secrets for the server. */
  variables?: Record<string, string>;
  secrets?: Record<string, string>;
  /** `HOST:ENV` pairs copied into the environment before the server starts. */
  copies?: { hostPath: string; envPath: string }[];
  /** Name of the session branch; default `pth/<plugin>-<date>-<session>`. */
  branch?: string;
  /** A session starts at HEAD; with this, uncommitted changes come along as its first commit. */
  uncommitted?: boolean;
  /** True where calls alone are made: neither the plugin's tests are read, nor which tier its source asks for. */
  callsOnly?: boolean;
  /** True if other sessions of the same request work on it at the same time, and their parent holds the lock. */
  beside?: boolean;
}

/** Origin of a session's source, and the path of its copy. */
export interface SessionSource {
  sessionId: string;
  /** For people and branch names. */
  name: string;
  version?: string;
  /** Source as the user gave it. */
  source: string;
  /** Host folder of the copy; this folder is shared into the environment. */
  worktree: string;
  /** Plugin's folder within the worktree, "" for the top. */
  subfolder: string;
  /** Session branch; absent for scratch folders. */
  branch?: string;
  repository?: string;
  /** The plugin's folder as the user named it, absolute; absent for `npm:` and plain commands. The session lock lies in it. */
  folder?: string;
  /** Commit that the session branch started from. */
  base?: string;
  /** Git folder of the worktree. Git on the host is told it, and never believes a `.git` found in the worktree. */
  gitDir?: string;
  /** The branch was there before this session, which goes on with it. */
  resumed?: boolean;
  /** Things to say to the user ("uncommitted changes are included"). */
  notes: SessionNote[];
}

/** A sentence that reads well on the command line and over MCP, or one for each. */
export type SessionNote = string | { terminal: string; mcp: string };

export interface SessionInfo {
  sessionId: string;
  source: SessionSource;
  status: string;
  /** Recommended environment tier, read from its source. */
  recommendation?: TierRecommendation;
  /** Services that it seems to need; absent if there are none. */
  services?: ServiceProposals;
  /** Installation of that plugin in the developer's Claude Code; complex changes may use its skills. */
  superpowers?: SuperpowersInstall;
}

/** The Superpowers plugin as it is installed. */
export interface SuperpowersInstall {
  version?: string;
  folder: string;
  /** Names, sorted; never empty. */
  skills: string[];
}

export interface EnvironmentInfo {
  handle: EnvironmentHandle;
  state: EnvironmentState;
  mount: MountInfo;
  /** Reason for this runtime and image. */
  reason: string;
  config: EnvironmentConfig;
  /** Note for users of such an environment. */
  advisory?: string;
}

/** Status of a plugin that runs next to the one under test. */
export interface DependencyStatus {
  name: string;
  source: string;
  /** "absent" before the first load, "ready" once it has listed its tools. */
  state: string;
  tools: string[];
  /** By which the plugin under test can find it. */
  variables: Record<string, string>;
  pid?: number;
}

/** An environment that was just provisioned. */
export interface ProvisionedEnvironment {
  environment: EnvironmentInfo;
  /** Whether its tier was given, and not chosen. */
  tierAsked: boolean;
}

export interface PluginInfo {
  plan: PluginPlan;
  server: ServerInfo;
  tools: ToolDefinition[];
  /** In the order in which they were started; absent where there are none. */
  dependencies?: DependencyStatus[];
  /** Comparison with the stored contract; absent without one, and outside of sessions. */
  contract?: ContractCheck;
}

/** A plugin that was just brought up. */
export interface LoadedPlugin extends PluginInfo {
  /** Reports of the servers that a reload closed. */
  closed?: CloseReport[];
  /** Tools that it listed before; those of one that a reload lost, too. */
  before: ToolDefinition[];
}

export interface Timings {
  provision_ms?: number;
  install_ms?: number;
  build_ms?: number;
  start_ms?: number;
  suite_ms?: number;
  /** Search for inputs that tools accept. */
  learn_ms?: number;
}

/** Number of times that an operation of PTH ran in a session, and its duration in milliseconds. */
export interface OperationTiming {
  count: number;
  lastMs: number;
  totalMs: number;
  longestMs: number;
}

/** Data that reports are written from. */
export interface RunReport {
  source: SessionSource;
  environment?: EnvironmentInfo;
  plugin?: PluginInfo;
  tests: TestCase[];
  results: TestResult[];
  /** Set where results are older than the code, or that does not load; absent where they tell of it as it is. */
  stale?: StaleResults;
  /** The same of what was measured on request. */
  staleMeasurements?: { matrix?: StaleResults; performance?: StaleResults };
  /** Results that were known when the session was interrupted that goes on here; `tests` had a result or not. */
  resumed?: { summary: SuiteSummary; tests: number; stale?: StaleResults };
  findings: Finding[];
  summary: SuiteSummary;
  /** Account of each tool of the plugin; absent where none is loaded. */
  exercise?: ToolExercise[];
  timings: Timings;
  coverage?: CoverageReport;
  impact?: ImpactMap;
  performance?: PerformanceReport;
  /** Cost of the tools in a model's context. */
  tokenCost?: TokenCost;
  /** Seed of everything random in the latest run. */
  seed?: number;
  /** Results on several distributions, if the tests ran on several. */
  matrix?: MatrixReport;
  /** All of PTH's own operations, by name ("provision", "reload", "snapshot" …). */
  operations?: Record<string, OperationTiming>;
}

/** Result of a clean run: the drift before it, or the reason why that is unknown, and the run. */
export interface CleanRunResult {
  drift: DriftReport | undefined;
  driftError: unknown;
  run: TestRunResult;
}

/** Result of a restore. */
export interface RestoreResult {
  reloaded: boolean;
  recovered: string | undefined;
}
