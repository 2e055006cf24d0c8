/** Arguments and answers of a session's requests, where they are more than plain values of `machines/model/`. */
import type { Readable } from "node:stream";
import type { StaleResults } from "../../machines/model/stale_results.ts";
import type { DriftReport } from "../../machines/model/environment.ts";
import type { FailureGroup } from "../../machines/model/diagnosis.ts";
import type { FixRecord } from "../../machines/model/fix.ts";
import type { DependencyStatus, OperationTiming, PluginInfo, Timings } from "../../machines/model/session.ts";
import type {
  Convergence,
  IterationPhase,
  IterationRecord,
  IterationRun,
  TestStatusSummary,
} from "../../machines/model/iteration.ts";
import type { ToolExercise } from "../../machines/model/tool_exercise.ts";
import type { GeneratedFrom, TestCase } from "../../machines/model/test_case.ts";
import type { SuiteSummary, TestResult } from "../../machines/model/test_result.ts";
import type { NextStep } from "../core/next_step.ts";
import type { Finding } from "../../machines/model/verdict.ts";
import type { ReloadReport } from "../../machines/model/reload_report.ts";

/** Verify the suite on other distributions than the session's own. */
export interface DistroRequest {
  /** Base images, or `runtime:image`, in the order in which they are verified. */
  images: string[];
  /** The one that was developed on; default: the environment's. It is verified again at the end. */
  primary?: string;
  /** Options of each entry's iteration; with a fixer, failures are fixed. */
  run: IterationRun;
  /** Whether the others are tested even if tests fail on the primary one. */
  force?: boolean;
}

export interface LoadOptions {
  /** Replaces what the session's target said. */
  build?: string;
  install?: string;
  command?: string[];
  server?: string;
  configValues?: Record<string, string>;
  /** Variables of PTH's own environment that the server is given, as secrets. */
  secrets?: string[];
  /** File of secrets on this machine: `NAME=value` lines. */
  secretsFile?: string;
  /** Limit for the server's start and handshake; default 60. */
  startTimeoutSeconds?: number;
  /** Measure which code runs, from the server's start on; false: not any more. */
  coverage?: boolean;
}

export interface GenerateOptions {
  tools?: string[];
  /** Signals that tests are made from; `schema` and `learned` unless given: they expect nothing that an honest server need not keep. */
  from?: Exclude<GeneratedFrom, "manual">[];
  /** Whether tools that declare themselves destructive or open-world get tests, too. */
  includeHeldBack?: boolean;
  /** Input tests from the tools' schemas at most; 2,500 unless given. What is left out is a finding. */
  maxTests?: number;
}

export interface GeneratedTests {
  tests: TestCase[];
  findings: Finding[];
  /** Tools without tests, and why. */
  heldBack: { tool: string; reason: string }[];
  /** Number of proposals that the suite had already, by their source. */
  known?: Partial<Record<GeneratedFrom, number>>;
  /** Account of the tools after the latest run; absent before any. */
  exercise?: ToolExercise[];
}

/** A test with a prompt, ready for the client that carries it out. */
export interface AgentRun {
  runId: string;
  testId: string;
  description?: string;
  prompt: string;
  /** Each item is judged when the run is closed. */
  checklist: string[];
  /** For the whole run, from now on. */
  timeoutSeconds: number;
}

/** A snapshot that the session took. */
export interface SnapshotInfo {
  name: string;
  tag: string;
  takenAt: string;
  ageSeconds: number;
  holds: "disk" | "disk and memory";
  /** False once its environment is gone. */
  usable: boolean;
  /** Commit of the fix that it was taken before. */
  fix?: string;
}

/** Result of a clean run. */
export interface CleanRunReport {
  /** Drift of the environment that was replaced. */
  drift?: DriftReport;
  /** Reason why the drift is unknown. */
  driftUnknown?: string;
  summary: SuiteSummary;
  /** Tests that passed before and fail now: they rest on what the old environment held. */
  onlyDirty: TestResult[];
  /** Tests that failed before and pass now: the environment was to blame. */
  onlyClean: TestResult[];
  failed: TestResult[];
  /** Number of tests that also have an earlier result. */
  compared: number;
}

export interface PluginStatus {
  state: string;
  plan?: PluginInfo["plan"];
  server?: PluginInfo["server"];
  tools: number;
  connections: { id: string; state: string; pid?: number }[];
  /** In the order in which they start; absent where there are none. */
  dependencies?: DependencyStatus[];
  lastError?: string;
}

export interface AppliedFix {
  fix: FixRecord;
  /** Snapshot of the environment from before the fix. */
  snapshot?: string;
  reload?: ReloadReport;
}

export interface RevertedFix {
  revert: FixRecord;
  /** The environment went back to the snapshot that was taken before the fix. */
  rolledBack: boolean;
  /** True if the fix had a snapshot, but the snapshot's environment is gone. */
  lostSnapshot: boolean;
  reload?: ReloadReport;
}

/** Progress of the loop. */
export interface LoopProgress {
  records: IterationRecord[];
  /** Root causes of what still fails. */
  causes: FailureGroup[];
}

/** Latest results of tests, counted. */
export interface SessionResults {
  summary: SuiteSummary;
  results: TestResult[];
  findings: Finding[];
  /** Set where results are older than the code, or that does not load; absent where they tell of it as it is. */
  stale?: StaleResults;
}

export interface IterationStatus {
  /** Number of the present iteration, else of the latest one; 0 before the first. */
  iteration: number;
  phase: IterationPhase | "idle";
  /** Oldest first; those of a resumed session are among them. */
  records: IterationRecord[];
  convergence: Convergence;
  /** Failures as they were diagnosed last. */
  groups: FailureGroup[];
  /** Test status in the present iteration, or in the latest; absent before the first. */
  standing?: TestStatusSummary;
  /** Set where the session's results are older than the code, or that does not load. */
  stale?: StaleResults;
  timings: Timings;
  /** All of PTH's own operations, by name. */
  operations: Record<string, OperationTiming>;
}

/** Whether one thing that a session needs is there. */
export interface PreflightCheck {
  name: string;
  status: "ok" | "warning" | "failed";
  message: string;
  next?: NextStep[];
  /** Lines to be pasted somewhere, as they are. */
  paste?: string;
}

/** A base image that was just built. */
export interface BuiltImage {
  name: string;
  tag: string;
  sizeMB: number;
  durationMs: number;
}

/** The client's side. */
export interface RelayEnds {
  /** Lines for the server; its end is the end of the relay. */
  input: Readable;
  /** Lines of the server, as they are. */
  output: (line: string) => void;
  /** Each JSON-RPC message, without secrets. */
  hear: (from: "client" | "server", message: Record<string, unknown>) => void;
}
