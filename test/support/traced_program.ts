/** Programs that are run with their calls traced, as a run of tests does it. */
import { dirname, join } from "node:path";
import t from "tap";
import type { TestCommand } from "../../machines/model/project_test.ts";
import { makeRedactor } from "../../src/core/redact.ts";
import { makeTempDir, mkdir, readTextFile, removeIfExists, writeTextFile } from "../../src/platform/files.ts";
import { runCommand } from "../../src/platform/process.ts";
import { queryTraces } from "../../src/test_traces/query_traces.ts";
import { createTraceDatabase } from "../../src/test_traces/trace_database.ts";
import { traceRequestFile, traceRequestText } from "../../src/test_traces/tracer.ts";
import { tracerFor } from "../../src/test_traces/tracers.ts";

/** A program in a folder of its own. */
export interface TracedProgram {
  language: string;
  files: Record<string, string>;
  build?: string[];
  run: TestCommand;
  patterns: string[];
  variable?: string;
  /** Calls of a function that are kept. */
  most?: number;
}

export const isThere = async (program: string): Promise<boolean> =>
  (await runCommand(["sh", "-c", 'command -v "$1"', "sh", program])).code === 0;

/** Writes a program, and builds it; removed with the test. */
export async function madeProgram({ files, build }: Pick<TracedProgram, "files" | "build">): Promise<string> {
  const root = await makeTempDir();
  t.teardown(() => removeIfExists(root));
  const project = join(root, "project");
  await mkdir(project);
  for (const [name, text] of Object.entries(files)) await writeTextFile(join(project, name), text);
  if (build !== undefined) {
    const { code, stderr } = await runCommand(build, { cwd: project });
    if (code !== 0) throw new Error(stderr);
  }
  return project;
}

/** Makes a program and runs it traced. */
export const traced = async (program: TracedProgram) => await runTraced(await madeProgram(program), program);

/** Runs a program traced, and answers its exit code, output, summary and calls. */
export async function runTraced(
  project: string,
  { language, run, patterns, variable, most }: Omit<TracedProgram, "files" | "build">,
) {
  const scratch = join(dirname(project), "scratch");
  await mkdir(scratch);
  const tracer = tracerFor(language)!;
  const place = { scratch, root: project, output: join(scratch, "trace.jsonl") };
  await writeTextFile(place.output, "");
  for (const [name, text] of Object.entries(tracer.files())) await writeTextFile(join(scratch, name), text);
  const watches = variable === undefined ? [] : [{ variable }];
  const request = JSON.parse(traceRequestText({ patterns, watches }, place)) as object;
  await writeTextFile(
    join(scratch, traceRequestFile),
    JSON.stringify({ ...request, ...(most === undefined ? {} : { mostOfFunction: most }) }),
  );
  const { argv, env } = tracer.traced(run, place);
  const { code, stdout } = await runCommand(argv, { cwd: project, ...(env === undefined ? {} : { env }) });
  const path = join(scratch, "trace.sqlite");
  const writer = await createTraceDatabase(path, makeRedactor([]));
  for (const line of (await readTextFile(place.output)).split("\n").filter(Boolean)) writer.add(line);
  const summary = writer.finish();
  const { calls } = await queryTraces(path, {});
  return { code, stdout, summary, calls };
}
