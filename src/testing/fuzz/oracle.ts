/** Defines oracles of the fuzzer: one file each in `oracles/`, which decides whether an answer is a fault. */
import type { CallOutcome, ConnectionLoss, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { SchemaViolation } from "../assertions/refuses.ts";
import type { FailureCategory } from "../../../machines/model/verdict.ts";

/** A call that was made, with what making it again takes. */
export interface PastCall {
  tool: string;
  /** Input as it was sent. */
  input: Record<string, unknown>;
  isError: boolean;
  /** Input with the variables that its values came from; absent where there were none. */
  template?: Record<string, unknown>;
  capture?: Record<string, string>;
}

/** One call, and all that was seen of it. */
export interface SeenCall {
  tool: ToolDefinition;
  input: Record<string, unknown>;
  /** The tool's schema allows the input. */
  valid: boolean;
  /** Way in which the schema forbids it. */
  violation?: SchemaViolation;
  outcome?: CallOutcome;
  /** The server ended during the call or right after it. */
  loss?: ConnectionLoss;
  /** No answer came in time. */
  silence?: { afterMs: number; answersPing: boolean; progress: number };
  /** An answer that is none. */
  callError?: { code: string; message: string };
  /** Lines on stdout that are no JSON-RPC. */
  stray: string[];
  /** Output of the server on stderr during the call. */
  stderr: string;
  /** Answer to the same input a second time, where the tool says that repeating changes nothing. */
  again?: CallOutcome;
  /** Words such as `undefined` that the server was ever sent, and may well show again. */
  placeholders?: ReadonlySet<string>;
  /** Calls of the same server before this one; undefined if they were too many to remember. */
  earlier?(): PastCall[] | undefined;
}

/** Memory of the server after so many calls, in MB, warm-up not counted. */
export interface MemorySample {
  calls: number;
  megabytes: number;
}

export interface OracleViolation {
  /** Text that is the same for all inputs that cause the same fault; without values. */
  signature: string;
  /** For people; its first line stands alone. */
  message: string;
  category?: FailureCategory;
}

export interface OracleDefinition {
  /** Name of its file. */
  name: string;
  /** One line for the reference: what it calls a fault. */
  summary: string;
  severity: "failure" | "finding";
  /** Judges one call. */
  judge?(call: SeenCall): OracleViolation | undefined;
  /** Judges a row of measurements over many calls of one tool. */
  judgeMemory?(samples: readonly MemorySample[]): OracleViolation | undefined;
}

/** Identity with types: the default export of a file in `oracles/`. */
export const defineOracle = (definition: OracleDefinition): OracleDefinition => definition;
