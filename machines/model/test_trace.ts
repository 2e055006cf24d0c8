/** Calls of functions, traced while tests run, and questions about them. */

/** One call. Values are texts as the language prints them, cut where they are long. */
export interface TracedCall {
  /** From 1, in the order in which calls began to be read; the cursor of a query. */
  seq: number;
  function: string;
  pid: number;
  thread: string;
  /** In ms since its process was traced. */
  startedMs: number;
  /** Absent for a call that had not ended when tracing did. */
  durationMs?: number;
  /** The traced call that it was made in. */
  parent?: number;
  /** Number of traced calls that it was made in. */
  depth: number;
  /** Place of the caller: `file:line`. */
  calledAt?: string;
  arguments: Record<string, string>;
  returned?: string;
  raised?: string;
  /** Watched variables, when it began and when it ended. */
  watched?: { before: Record<string, string>; after?: Record<string, string> };
}

/** A pattern of the request, and what it found in the program. */
export interface TracedPattern {
  pattern: string;
  /** Functions that it fits. */
  functions: number;
  /** Names like it, where it fits none. */
  near: string[];
}

/** Outcome of tracing a run. */
export interface TraceSummary {
  sessionId: string;
  calls: number;
  /** Calls that were left out: of functions called too often, or when the trace was full. */
  omitted: number;
  patterns: TracedPattern[];
  /** Limits that were met, and what could not be traced, one sentence each. */
  notes: string[];
}

export interface TextCondition {
  equals?: string;
  contains?: string;
  /** With `*` and `?`. */
  matches?: string;
}

export interface TraceQuery {
  sessionId: string;
  function?: TextCondition;
  thread?: TextCondition;
  /** In ms since the process was traced. */
  time?: { from?: number; to?: number };
  /** Condition on an argument, the returned value, the exception or a watched variable. */
  value?: TextCondition;
  /** Calls that ended by an exception alone. */
  raised?: boolean;
  /** Calls below that one, at any depth. */
  below?: number;
  /** Calls indented by the calls that they were made in. */
  tree?: boolean;
  /** With places of callers, processes and whole values. */
  verbose?: boolean;
  limit?: number;
  /** `seq` after which the answer goes on. */
  cursor?: number;
}

export interface TraceAnswer {
  calls: TracedCall[];
  /** Number of all calls that fit, whatever the limit. */
  total: number;
  /** Present if there are more. */
  cursor?: number;
}
