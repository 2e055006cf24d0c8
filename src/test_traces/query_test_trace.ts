/** Databases of the latest traces, in PTH's own folder for runs of tests. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { TraceAnswer, TraceQuery } from "../../machines/model/test_trace.ts";
import { PthError } from "../core/errors.ts";
import { listFolder, removeIfExists } from "../platform/files.ts";
import { ownTestFolder } from "../project_tests/own_test_folder.ts";
import { queryTraces } from "./query_traces.ts";

/** Number of traces that are kept, the latest ones. */
const mostTraces = 20;
const ending = ".sqlite";
const folder = (): Promise<string> => ownTestFolder("traces");

/** Makes the name of a new trace, and removes the oldest beyond those that are kept. */
export async function newTrace(): Promise<{ sessionId: string; path: string }> {
  const traces = await folder();
  // Names begin with their time.
  const names = (await listFolder(traces)).map(({ name }) => name).sort();
  for (const name of names.slice(0, Math.max(0, names.length - mostTraces + 1))) {
    await removeIfExists(join(traces, name));
  }
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[:T]/g, "-");
  const sessionId = `test-${time}-${randomUUID().slice(0, 8)}`;
  return { sessionId, path: join(traces, sessionId + ending) };
}

/**
 * Asks the trace of a run, by the `sessionId` of its answer.
 * @throws {PthError} `TARGET_NOT_FOUND` where there is none
 */
export async function queryTestTrace({ sessionId, ...query }: TraceQuery): Promise<TraceAnswer> {
  if (!/^test-[\w-]{1,60}$/.test(sessionId)) {
    throw new PthError("TARGET_NOT_FOUND", "Cannot query the trace: this is no sessionId of a traced run", {
      next: ["Run a test with tracePatterns: its answer has the sessionId"],
    });
  }
  return await queryTraces(join(await folder(), sessionId + ending), query);
}
