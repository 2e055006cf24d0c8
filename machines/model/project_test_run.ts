/** A run of a project's own tests: its request with its place, what is decided on the way, and the answer as clients get it. */
import type {
  FrameworkFound,
  ProjectTestRequest,
  ProjectTestStatus,
  TestCommand,
  TestName,
} from "./project_test.ts";
import type { CapturedStacks, StuckJudgement } from "./stuck.ts";

export interface ProjectTestRun extends ProjectTestRequest {
  /** Folder of the project: a path of the host, or, in a session, one below the plugin's folder. */
  projectRoot: string;
}

/** Limits of a run whose request names none, in ms; one of all levels has the largest. */
export const levelLimitsMs = { unit: 30_000, integration: 120_000, e2e: 300_000 } as const;

export const hardLimitMs = ({ timeoutMs, level }: Pick<ProjectTestRequest, "timeoutMs" | "level">): number =>
  timeoutMs ?? levelLimitsMs[level ?? "e2e"];

/** Frameworks that fit the project, the chosen one first; none where nothing points to any. */
export interface FrameworkChoice {
  found: FrameworkFound[];
}

/** Commands of one plan, and the number under which its place is known. */
export interface PlannedTests {
  plan: number;
  preparation: TestCommand[];
  runs: TestCommand[];
}

/** End of one command that ran tests. */
export interface TestCommandEnd {
  /** Tests that had begun and did not end, whatever ended the process. */
  unfinished: TestName[];
}

/** A command that was ended before its end, with what its threads waited for. */
export interface StuckRun {
  reason: "stuck" | "limit";
  judgement?: StuckJudgement;
  stacks?: CapturedStacks;
  /** Tests that ran then. */
  running: TestName[];
  /** Time since the first of them began, or since the command did. */
  elapsedMs: number;
}

/** The answer, by the names under which clients know its fields. */
export interface ProjectTestAnswer {
  framework: string;
  /** Null where there are no tests. */
  summary: ProjectTestSummary | null;
  failures?: ProjectTestFailure[];
  stuck?: StuckTestAnswer[];
  no_tests?: true;
  project?: { language: string; build_system: string; test_files: number };
  hint?: string;
  /** Under which traces are asked for. */
  sessionId?: string;
  /** Path of the file with all that is known, on the host. */
  details?: string;
}

export interface ProjectTestSummary {
  passed: number;
  failed: number;
  skipped: number;
  stuck?: number;
  duration_ms: number;
}

export interface ProjectTestFailure {
  name: string;
  file?: string;
  line?: number;
  message: string;
  suggested_traces?: string[];
  /** Command line that runs it alone. */
  rerun?: string;
}

export interface StuckTestAnswer {
  name: string;
  elapsed_ms: number;
  diagnosis: string;
  threads: { name: string; stack: string[] }[];
  suggested_traces?: string[];
}

/** Facts that tell a run while it goes on. */
export type ProjectTestFact =
  | { type: "project_tests.chosen"; framework: string; reason: string }
  | {
    type: "project_test.finished";
    test: TestName & { status: ProjectTestStatus; durationMs?: number };
    done: number;
    /** Absent where the framework tells no number. */
    total?: number;
  };
