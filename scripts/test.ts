/**
 * Runs the tests:
 * `deno task test [--on deno|node|both] [--everything] [--jobs N] [--shuffle SEED] [--coverage FOLDER] [--retry]
 * [path …]`.
 *
 * Test files are node-tap programs. Unit test files share processes, integration tests have one each. All run on Deno;
 * unit tests run compiled on plain Node, too, where the runtimes can differ, and all of them with `--everything` or
 * `--on node`. With `--retry`, files that failed run once more at the end, one at a time: those that pass then are flaky, and
 * are listed as such. The last line is `N passed, N failed`; the exit code is 0, 1, or 2 for wrong use.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { pathExists, removeIfExists } from "../src/platform/files.ts";
import { compileTests } from "./testing/compile_tests.ts";
import { drawnOrder, type Job, longestFirst, planJobs } from "./testing/plan_jobs.ts";
import { measureProcessors } from "./testing/processor_use.ts";
import { describeFile, describeTimes, describeTotals, describeUse } from "./testing/report.ts";
import { runFailedAgain } from "./testing/run_again.ts";
import { type FileRun, type Platform, runBatch } from "./testing/run_batch.ts";
import { runJobs } from "./testing/run_jobs.ts";
import { runsOnNode } from "./testing/runs_on_node.ts";
import { findTestFiles, type TestFile } from "./testing/test_file.ts";
import { expectedSeconds, readTestTimes, writeTestTimes } from "./testing/test_times.ts";

const root = join(import.meta.dirname!, "..");
/** A folder of this run's own: another run at the same time has another. */
const compiled = join(root, `.build/node-${process.pid}`);

const { values, positionals } = readArguments();
if (!["deno", "node", "both"].includes(values.on)) wrongUse(`--on is deno, node or both, not ${values.on}`);
const workers = Number(values.jobs);
if (!(Number.isInteger(workers) && workers > 0)) wrongUse(`--jobs is a number from 1 on, not ${values.jobs}`);
const asked = positionals.length > 0 ? positionals : ["test"];
for (const path of asked) if (!await pathExists(join(root, path))) wrongUse(`there is no ${path}`);

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`interrupted by ${signal}`)));
}

const found = await findTestFiles(root, asked);
const files = values.shuffle === undefined ? found : drawnOrder(found, values.shuffle);
const times = await readTestTimes(root);
const seconds = (file: TestFile, platform: Platform) => expectedSeconds(times, file, platform);
/** Files that are named run on both platforms; without names, Node runs only what can differ there. */
const everything = values.everything || values.on === "node" || positionals.length > 0;
const jobs = longestFirst([
  ...(values.on === "node" ? [] : planJobs(files, "deno", seconds)),
  ...(values.on === "deno" ? [] : planJobs(runsOnNode(files, everything), "node", seconds)),
], seconds);
if (jobs.length === 0) wrongUse(`no *_test.ts ${positionals.join(" ")} for ${values.on}`);

let runs: FileRun[] = [];
let broken = false;
let use = "";
try {
  if (jobs.some(({ platform }) => platform === "node")) await compileTests(root, compiled);
  const processors = measureProcessors();
  const tailMs = await runJobs(jobs, workers, runJob);
  use = describeUse(processors(), workers, tailMs);
  if (values.retry) runs = await runFailedAgain(runs, runAgain);
} catch (error) {
  broken = !stop.signal.aborted;
  const cause = broken ? error as Error : stop.signal.reason as Error;
  console.log(`Stopped after ${runs.length} files: ${cause.message}`);
} finally {
  await removeIfExists(compiled);
}
await writeTestTimes(root, runs);
const table = describeTimes(runs);
if (table !== "") console.log(`${table}\n${use}`.trimEnd());
console.log(describeTotals(runs));
process.exit(stop.signal.aborted ? 130 : broken || runs.some(({ failed }) => failed > 0) ? 1 : 0);

function readArguments() {
  try {
    return parseArgs({
      options: {
        on: { type: "string", default: "both" },
        everything: { type: "boolean", default: false },
        // Tests wait a lot; many more than processors would starve the containers under test.
        jobs: { type: "string", default: `${availableParallelism() + 1}` },
        shuffle: { type: "string" },
        retry: { type: "boolean", default: false },
        coverage: { type: "string" },
      },
      allowPositionals: true,
    });
  } catch (error) {
    return wrongUse((error as Error).message);
  }
}

function wrongUse(reason: string): never {
  console.error(`Cannot run tests: ${reason}`);
  process.exit(2);
}

async function runJob({ files, platform }: Job): Promise<void> {
  for (const run of await runFiles(files, platform)) {
    runs.push(run);
    console.log(describeFile(run));
  }
}

async function runAgain(file: TestFile, platform: Platform): Promise<FileRun> {
  const [run] = await runFiles([file], platform);
  console.log(`again: ${describeFile(run!)}`);
  return run!;
}

function runFiles(files: TestFile[], platform: Platform): Promise<FileRun[]> {
  const coverage = values.coverage === undefined ? {} : { coverage: values.coverage };
  return runBatch(files, { root, platform, compiled, signal: stop.signal, ...coverage });
}
