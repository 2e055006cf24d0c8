/** Cases of Claude Code's evals, as its version 2.1.330 reads them from `evals/`. Keys are those of the files. */

/** Text that a grader looks at. */
export type EvalTarget = "trace" | "last_message" | "files" | "mock_calls" | { source: "file"; path: string };

/** Call of a tool; `input_match` is a regular expression on its input as JSON. */
export interface EvalCall {
  tool: string;
  input_match?: string | undefined;
}

interface GraderHead {
  name: string;
  weight: number;
}

export type EvalGrader =
  & GraderHead
  & (
    | { type: "regex"; target: EvalTarget; pattern: string; flags: string; match: string }
    | { type: "tool_order"; before: EvalCall; after: EvalCall }
    | ({ type: "tool_used"; min?: number | undefined; max?: number | undefined } & EvalCall)
    | { type: "file_exists"; path: string; exists: boolean }
    | { type: "llm"; criteria: string; focus: EvalTarget }
    | { type: "baseline"; baseline_file: string; criteria: string }
  );

export interface EvalExecution {
  prompt: string;
  max_turns: number;
  timeout_seconds: number;
  model?: string | undefined;
  allowed_tools: string[];
  disallowed_tools: string[];
}

export interface EvalCase {
  name: string;
  /** Folder of the case, below the plugin's. */
  folder: string;
  execution: EvalExecution;
  graders: EvalGrader[];
  tags: string[];
  /** Number of sessions, unless the request names another one. */
  runs: number;
  /** Keys that prepare or change the session in ways that only Claude Code's own runner knows. */
  runnerOnly: string[];
}

/** Evals of a plugin. */
export interface EvalSuite {
  /** Folder of the evals, below the plugin's. */
  folder: string;
  cases: EvalCase[];
  /** Servers with stand-ins under `mocks/`. */
  mocked: string[];
}
