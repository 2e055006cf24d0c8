/** Exports of a session for later use: a runner for CI, documentation, the text of a pull request. */
import type { StaleResults } from "./stale_results.ts";
import type { TestStep } from "./test_case.ts";

export interface CiExport {
  /** Host folder that stands for the plugin's: the session's worktree, or the output asked for. */
  folder: string;
  tests: number;
  /** The latest verdict of these tests. */
  standing: { state: string; text: string };
  /** Files that are new or changed, relative to the top of the repository. */
  written: string[];
  /** Names of the secrets that the CI job has to be given. */
  secrets: string[];
  /** Commit of the files; absent with `output`, and when nothing differs. */
  commit?: string;
}

export interface DocsUpdate {
  /** The README, relative to the plugin's folder. */
  path: string;
  changed: boolean;
  /** Unified; empty when nothing changes. */
  diff: string;
  /** Tools that the README had no heading for. */
  undocumented: string[];
  /** Tools of which no test with an example has passed yet. */
  withoutExample: string[];
  /** Tools whose example is left out: it is of older code, or its test passes no more. */
  outdated?: string[];
  /** The plugin that is documented is older than the branch. */
  stale?: StaleResults;
  written?: boolean;
  /** Absent where the session has no branch. */
  commit?: string;
}

/** Title and text of a pull request. */
export interface PullRequest {
  /** One line of at most 72 characters. */
  title: string;
  /** Markdown. */
  body: string;
}

/** One real call of a tool, from a test that passed. */
export interface ToolExample {
  /** Name and id of the test, and the commit that the plugin was of. */
  test: string;
  testId: string;
  commit?: string;
  input: Record<string, unknown>;
  /** Tool's answer, shortened. */
  output: string;
  byHand: boolean;
}

/** A test of several steps that passed. */
export interface Workflow {
  /** Name of the test. */
  test: string;
  description?: string;
  steps: Pick<TestStep, "action" | "capture">[];
}
