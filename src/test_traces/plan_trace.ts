/** Tracing of one run of tests: what its commands need, and the database of what they left. */
import { join } from "node:path/posix";
import type { ProjectTestRequest, TestCommand } from "../../machines/model/project_test.ts";
import type { TraceSummary } from "../../machines/model/test_trace.ts";
import { PthError } from "../core/errors.ts";
import { createLineSplitter } from "../platform/line_splitter.ts";
import type { ProjectPlace } from "../project_tests/project_place.ts";
import { createTraceDatabase } from "./trace_database.ts";
import { newTrace } from "./query_test_trace.ts";
import { type Tracer, traceRequestFile, traceRequestText } from "./tracer.ts";
import { tracerFor } from "./tracers.ts";

/** Bytes of a trace that are read; a line that is longer than the second is left out. */
const mostBytes = 512 * 1024 * 1024;
const longestLine = 1024 * 1024;

export interface PlannedTrace {
  tracer: Tracer;
  /** By absolute path in the place. */
  files: Record<string, string>;
  output: string;
  traced(command: TestCommand): TestCommand;
}

/**
 * Plans the tracing that a request asks for; undefined where it asks for none.
 * @throws {PthError} `UNSUPPORTED` for a language whose calls cannot be traced
 */
export function planTrace(
  language: string,
  { tracePatterns = [], watches = [], env = {} }: ProjectTestRequest,
  { scratch, root }: { scratch: string; root: string },
): PlannedTrace | undefined {
  if (tracePatterns.length === 0 && watches.length === 0) return undefined;
  const tracer = tracerFor(language);
  if (tracer === undefined) {
    throw new PthError("UNSUPPORTED", `Cannot trace the tests: calls of ${language} are not traced`, {
      next: ["Leave tracePatterns and watches out"],
    });
  }
  const place = { scratch, root, output: join(scratch, "trace.jsonl") };
  const request = traceRequestText({ patterns: tracePatterns, watches }, place);
  const files = Object.entries({ ...tracer.files(), [traceRequestFile]: request, "trace.jsonl": "" });
  return {
    tracer,
    files: Object.fromEntries(files.map(([name, text]) => [join(scratch, name), text])),
    output: place.output,
    traced: (command) => tracer.traced({ ...command, env: { ...env, ...command.env } }, place),
  };
}

/** Brings what the tracer left into a database of PTH's own. */
export async function storeTrace(
  place: Pick<ProjectPlace, "follow" | "redact">,
  output: string,
): Promise<TraceSummary> {
  const { sessionId, path } = await newTrace();
  const writer = await createTraceDatabase(path, place.redact);
  const lines = createLineSplitter({
    maxBytes: longestLine,
    onLine: (line) => line === "" ? undefined : writer.add(line),
    onOverlong: () => writer.add("a line that is too long"),
  });
  let taken = 0;
  const followed = await place.follow(output, 0, (bytes) => {
    taken += bytes.byteLength;
    if (taken <= mostBytes) lines.push(bytes);
  });
  await followed.finish();
  lines.end();
  return { sessionId, ...writer.finish() };
}

/** Sentences for the answer: what was traced, and the patterns that fit nothing. */
export function traceHint({ calls, patterns, notes }: TraceSummary): string {
  const missed = patterns.filter(({ functions }) => functions === 0).map(({ pattern, near }) =>
    `${pattern} fits no function${near.length === 0 ? "" : ` (like it: ${near.slice(0, 3).join(", ")})`}.`
  );
  return [`${calls} calls traced.`, ...missed, ...notes.slice(0, 3).map((note) => `${note}.`)].join(" ");
}
