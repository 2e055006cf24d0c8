import type { TestCase } from "./test_case.ts";
import type { FailureCategory } from "./verdict.ts";

/** A call that hands values on to later ones. */
export interface PreparingCall {
  tool: string;
  /** Input as in the step of a test: `$name` stands for what an earlier call captured, `$$` for a dollar. */
  input: Record<string, unknown>;
  /** Variable name to the place of its value in the answer, as in the step of a test. */
  capture: Record<string, string>;
}

/** An input that is known to work, with the calls that it needs before. */
export interface StartingInput {
  tool: string;
  input: Record<string, unknown>;
  setup: PreparingCall[];
}

export interface FuzzRequest {
  /** Plugin tools; default all that are not held back. */
  tools?: string[];
  /** Inputs per tool; default 100. */
  runs?: number;
  /** From which everything is drawn; default a new one, which the report tells. */
  seed?: number;
  /** Includes tools that are annotated destructive or open-world. */
  includeHeldBack?: boolean;
  /** A call without an answer and without progress for so long hangs; default 5. */
  timeoutSeconds?: number;
  /** For everything together; what is found until then is told. Default: no limit. */
  timeSeconds?: number;
  /** Includes sequences of calls, for faults that need more than one. */
  sequences?: boolean;
  /** Inputs to begin with and to vary; default those that the session knows. */
  startingInputs?: StartingInput[];
}

/** One fault, however many inputs bring it out. */
export interface FuzzFind {
  tool: string;
  /** File name in `src/testing/fuzz/oracles`. */
  oracle: string;
  /** A finding is worth a look and no failure: it fails no test. */
  severity: "failure" | "finding";
  category?: FailureCategory;
  message: string;
  /** Text that is equal for failures of the same fault. */
  signature: string;
  /** The input as it was drawn first. */
  original: Record<string, unknown>;
  /** The smallest input that was found to fail the same way. */
  input: Record<string, unknown>;
  /** All calls in their order, for a fault that needs more than one; `input` is that of the last. */
  steps?: { tool: string; input: Record<string, unknown>; capture?: Record<string, string> }[];
  /** Way in which the input violates the tool's schema; absent for a valid one. */
  breach?: string;
  /** Number of times that the input was made smaller. */
  shrinks: number;
  shrinkMs: number;
  /** Reason why it may not be the smallest one; absent where nothing smaller fails the same way. */
  bound?: string;
  /** The shrunk input failed the same way on a server that had just been started. */
  confirmed: boolean;
  /** Draws the same again: seed of the tool, and path as fast-check writes it. */
  seed: number;
  path: string;
  /** Fails by itself; absent for findings, and for faults that no single call shows. */
  test?: TestCase;
  /** The test as it is written. */
  yaml?: string;
  /** Path of the test that was written. */
  file?: string;
}

export interface FuzzReport {
  seed: number;
  runs: number;
  /** Chosen tools, also those that were not reached. */
  tools: { tool: string; calls: number; accepted: number; refused: number; note?: string }[];
  finds: FuzzFind[];
  heldBack: { tool: string; reason: string }[];
  /** Number of times that a server was restarted. */
  restarts: number;
  durationMs: number;
  /** Tools that were not reached and tools with fewer inputs, for want of time or as the server was lost. */
  cutShort?: string;
  /** The server could not be started again in the midst of it, and why. */
  startFailed?: string;
}
