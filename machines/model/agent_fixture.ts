/** Agent tests of a fixture as plain values: what is planned, and what its expectations came to. */
import type { Playbook } from "./playbook.ts";

/** Expectation as a test states it; `expected` fits the schema of its type. */
export interface PlannedExpectation {
  id: string;
  description: string;
  type: string;
  expected: unknown;
  /** Line of the test's file in which it is written; absent where PTH added it. */
  line?: number;
}

/** Shell command that an expectation has run in the project once the agent has ended. */
export interface CheckCommand {
  /** Name by which the expectation finds its outcome. */
  name: string;
  script: string;
  /** Arguments of the script: `$1` … */
  args?: string[];
  /** Whether it gets the observed session on stdin, as JSON. */
  readsSession?: true;
  timeoutMs: number;
}

/** Outcome of a check: how the command ended, or why it could not. */
export type CheckOutcome =
  | {
    code: number | null;
    stdout: string;
    stderr: string;
    /** Whether the begin of its output is missing, as it was too long. */
    truncated?: true;
  }
  | { problem: string };

/** Files and commands that make a project what a session starts with: those of the fixture, then those of the test. */
export interface ProjectStart {
  /** Host folder in which sources of files lie; nothing outside of it is read. */
  root: string;
  /** Branch of the repository there whose files come first. */
  branch?: string;
  /** Commit at which the branch is frozen. */
  commit?: string;
  /** Files and folders: `from` below the root, `to` below the project. */
  files: { from: string; to: string }[];
  /** Whether the project is a git repository whose first commit holds all files. */
  git: boolean;
  /** Shell commands that are run in the project, in order. */
  commands: string[];
}

/** One test of a fixture. */
export interface AgentTest {
  /** Unique within the fixture; with the values of its matrix. */
  id: string;
  /** Id without the agent, where the test runs on several agents, each a test of its own. */
  sharedId?: string;
  name: string;
  description: string;
  tags: string[];
  /** File in which it is written, and its line. */
  file: string;
  line: number;
  /** Reason not to run it. */
  skip?: string;
  agent: string;
  prompt: string;
  /** Absent: the agent's own. */
  model?: string;
  /** Names of the agent's own tools that it is given; absent: all. */
  tools?: string[];
  /** Whether the agent asks for permissions, which are not granted; otherwise all tools are allowed. */
  asksPermission: boolean;
  timeoutMs: number;
  /** Absent: a real model answers. */
  playbook?: Playbook;
  start: ProjectStart;
  expectations: PlannedExpectation[];
  /** Shell commands that are run in the project at the end: those of the test, then of the fixture. */
  teardown: string[];
}

/** Fixture with its tests, each matrix expanded. */
export interface AgentFixture {
  name: string;
  description: string;
  /** Folder of the plugin under test, on the host. */
  plugin: string;
  tests: AgentTest[];
}

/** Expectation with what it came to. */
export interface ExpectationResult extends PlannedExpectation {
  status: "pass" | "fail";
  /** Type-specific; null where nothing was found. */
  actual: unknown;
  /** Index in the trace's timeline; absent where the match has no place there. */
  matchedAt?: number;
  failureReason?: string;
}

export type AgentTestStatus = "pass" | "fail" | "partial";

export interface AgentTestJudgement {
  status: AgentTestStatus;
  expectations: ExpectationResult[];
}
