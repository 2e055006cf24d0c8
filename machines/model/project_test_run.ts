/** A run of a project's own tests: its request with its place, what is decided on the way, and the answer as clients get it. */
import type {
  FrameworkFound,
  ProjectTestRequest,
  ProjectTestStatus,
  TestCommand,
  TestName,
} from "./project_test.ts";
import type { CapturedStacks, RunnerThreads, StuckFigures, StuckJudgement } from "./stuck.ts";

export interface ProjectTestRun extends ProjectTestRequest {
  /** Folder of the project: a path of the host, or, in a session, one below the plugin's folder. */
  projectRoot: string;
}

/** Frameworks that fit the project, the chosen one first; none where nothing points to any. */
export interface FrameworkChoice {
  found: FrameworkFound[];
}

/** Commands of one plan, and the number under which its place is known. */
export interface PlannedTests {
  plan: number;
  preparation: TestCommand[];
  runs: TestCommand[];
  /** Threads of the framework itself, which the stuck detector knows. */
  runner?: RunnerThreads;
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
  figures?: StuckFigures;
  /** Tests that ran then. */
  running: TestName[];
  /** Time since the first of them began, or since the command did. */
  elapsedMs: number;
}

/** Latest word of the detector on a command. */
export type SeenByDetector = Pick<StuckRun, "judgement" | "stacks" | "figures">;

/** Input of work of a run. */
export interface ProjectTestWork {
  requestId: string;
  run: ProjectTestRun;
}

export interface CaptureTestsInput extends ProjectTestWork {
  /** The detector took the stacks, by all means that there are. */
  hasStacks: boolean;
}

export interface PlanTestsInput extends ProjectTestWork {
  framework: string;
}

export interface TestCommandInput extends PlanTestsInput {
  plan: number;
  command: TestCommand;
  /** Set where the test runs again because of a crash. */
  suspect?: TestName;
}

export interface ReportTestsInput extends ProjectTestWork {
  choice: FrameworkChoice;
  stuck: StuckRun[];
  /** Reason why a command was not watched for being stuck. */
  unwatched?: string;
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

/** End of a run of a plugin's own tests that was part of another run. */
export type OwnTestsEnd = { answer: ProjectTestAnswer } | { error: unknown };

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
