/** The interface of tracers: how the functions of one language are followed while tests run. */
import type { TestCommand, WatchRequest } from "../../machines/model/project_test.ts";
import { patternSource } from "./pattern_source.ts";

export interface TraceRequest {
  patterns: readonly string[];
  watches: readonly WatchRequest[];
}

/** Places where the tests run. */
export interface TracePlace {
  /** Absolute path of a folder of PTH's own. */
  scratch: string;
  /** Absolute path of the project's folder. */
  root: string;
  /** Absolute path of the file to which a tracer appends lines (`trace_line.ts`); it exists and is empty. */
  output: string;
}

export interface Tracer {
  /** Name of the way: `sys.monitoring`. */
  name: string;
  /** Languages of frameworks, as they name them. */
  languages: readonly string[];
  /** Programs that have to be there. */
  needs: readonly string[];
  /** Cost of a traced call and its return, where it was measured. */
  cost: string;
  /** Files that the traced command needs, by name relative to `scratch`. */
  files(): Record<string, string>;
  /** The same command, traced. */
  traced(command: TestCommand, place: TracePlace): TestCommand;
}

/** Identity with types: the default export of a file in `tracers/`. */
export const defineTracer = (definition: Tracer): Tracer => definition;

/** Calls of one function that are kept of each process; the others are counted where that costs little. */
export const mostOfFunction = 1000;
/** Calls that are kept of each process, and of all of a run. */
export const mostCalls = 200_000;

/** Name of the file in `scratch` that says what is traced, to all tracers alike. */
export const traceRequestFile = "trace_request.json";

/** Text of that file. Patterns of watches are traced, too. */
export function traceRequestText({ patterns, watches }: TraceRequest, { root, output }: TracePlace): string {
  const all = [...new Set([...patterns, ...watches.flatMap(({ on = [] }) => on)])];
  return JSON.stringify({
    root,
    output,
    mostOfFunction,
    mostCalls,
    patterns: all.map((pattern) => ({ pattern, source: patternSource(pattern) })),
    watches: watches.map(({ variable, on }) => ({ variable, sources: on?.map(patternSource) })),
  });
}
