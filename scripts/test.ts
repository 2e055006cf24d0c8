/**
 * Runs the tests: `deno task test [--on deno|node|both] [--jobs N] [--coverage FOLDER] [file or folder …]`.
 *
 * Each file is a node-tap program in a process of its own. Unit tests run twice, on Deno and compiled on plain Node;
 * integration tests run on Deno. The last line is `N passed, N failed`; the exit code is 0, 1, or 2 for wrong use.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { exists, removeIfExists } from "../src/platform/files.ts";
import { compileTests } from "./testing/compile_tests.ts";
import { describeFile, describeTotals } from "./testing/report.ts";
import { type FileRun, type Platform, runTestFile } from "./testing/run_test_file.ts";
import { findTestFiles, isUnitTest, slowFirst, type TestFile } from "./testing/test_file.ts";

const root = join(import.meta.dirname!, "..");
/** A folder of this run's own: another run at the same time has another. */
const compiled = join(root, `.build/node-${process.pid}`);

interface Job {
  file: TestFile;
  platform: Platform;
}

/** Tests of the repository's own scripts use Deno as the scripts do. */
const runsOnNode = (file: TestFile): boolean =>
  isUnitTest(file.path) && !file.path.startsWith("test/src/scripts/");

/** One more than processors by default, for tests wait a lot; many more would starve the containers under test. */
const { values, positionals } = parseArgs({
  options: {
    on: { type: "string", default: "both" },
    jobs: { type: "string", default: `${availableParallelism() + 1}` },
    coverage: { type: "string" },
  },
  allowPositionals: true,
});
if (!["deno", "node", "both"].includes(values.on)) {
  console.error(`Cannot run tests: --on is deno, node or both, not ${values.on}`);
  process.exit(2);
}

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`interrupted by ${signal}`)));
}

const asked = positionals.length > 0 ? positionals : ["test"];
for (const path of asked) {
  if (await exists(join(root, path))) continue;
  console.error(`Cannot run tests: there is no ${path}`);
  process.exit(2);
}
const files = await findTestFiles(root, asked);
const jobs: Job[] = [
  ...(values.on === "node" ? [] : files.map((file): Job => ({ file, platform: "deno" }))),
  ...(values.on === "deno" ? [] : files.filter(runsOnNode).map((file): Job => ({ file, platform: "node" }))),
];
if (jobs.length === 0) {
  console.error(`Cannot run tests: no *_test.ts ${positionals.join(" ")} for ${values.on}`);
  process.exit(2);
}

const runs: FileRun[] = [];
try {
  if (jobs.some(({ platform }) => platform === "node")) await compileTests(root, compiled);
  const together = jobs.filter(({ file }) => !file.alone).sort((a, b) => slowFirst(a.file, b.file));
  await inParallel(together, Number(values.jobs));
  await inParallel(jobs.filter(({ file }) => file.alone), 1);
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.log(`Stopped after ${runs.length} of ${jobs.length} files: ${stop.signal.reason.message}`);
} finally {
  await removeIfExists(compiled);
}
console.log(describeTotals(runs));
process.exit(stop.signal.aborted ? 130 : runs.some(({ failed }) => failed > 0) ? 1 : 0);

async function inParallel(waiting: Job[], workers: number): Promise<void> {
  const queue = [...waiting];
  await Promise.all(Array.from({ length: workers }, async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) await runJob(job);
  }));
}

async function runJob({ file, platform }: Job): Promise<void> {
  const run = await runTestFile(file, {
    root,
    platform,
    compiled,
    signal: stop.signal,
    ...(values.coverage === undefined ? {} : { coverage: values.coverage }),
  });
  runs.push(run);
  console.log(describeFile(run));
}
