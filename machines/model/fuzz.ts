import type { TestCase } from "./test_case.ts";
import type { FailureCategory } from "./verdict.ts";

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
  steps?: { tool: string; input: Record<string, unknown> }[];
  /** Way in which the input violates the tool's schema; absent for a valid one. */
  breach?: string;
  /** Number of times that the input was made smaller. */
  shrinks: number;
  shrinkMs: number;
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
  /** Tools that were fuzzed. */
  tools: { tool: string; calls: number; accepted: number; refused: number; note?: string }[];
  finds: FuzzFind[];
  heldBack: { tool: string; reason: string }[];
  /** Number of times that a server was restarted. */
  restarts: number;
  durationMs: number;
  /** Reason why it ended before all runs were made. */
  cutShort?: string;
}
