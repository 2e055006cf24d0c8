/** Runs a test file that has its process for itself, or several in one process, and says of each what came of it. */
import { join } from "node:path";
import { runCommand } from "../../src/platform/process.ts";
import { type BatchFile, startMark } from "./batch_file.ts";
import {
  describeEnding,
  type FileOutcome,
  type ProcessEnding,
  readFileTap,
  readSharedTap,
} from "./tap_outcome.ts";
import type { TestFile } from "./test_file.ts";

export type Platform = "deno" | "node";

export interface FileRun extends FileOutcome {
  file: TestFile;
  platform: Platform;
  durationMs: number;
  stderr: string;
  /** Failures of a first run of a file that passed when it ran again: the file is flaky. */
  firstFailures?: FileOutcome["failures"];
}

export interface RunBatchOptions {
  root: string;
  platform: Platform;
  /** Folder of the compiled tree, for Node. */
  compiled: string;
  /** Coverage profiles go here, on Deno. */
  coverage?: string;
  signal: AbortSignal;
  /** Time that node-tap has to report its own timeout before the process is ended; 15. */
  graceSeconds?: number;
}

/** Runs the files; those behind one that ended the process run in a new one. */
export async function runBatch(files: readonly TestFile[], options: RunBatchOptions): Promise<FileRun[]> {
  const runs: FileRun[] = [];
  while (runs.length < files.length) runs.push(...await runProcess(files.slice(runs.length), options));
  return runs;
}

/** The runs of the files that began, one at least. */
async function runProcess(files: readonly TestFile[], options: RunBatchOptions): Promise<FileRun[]> {
  const { graceSeconds = 15 } = options;
  const single = files[0]!.shared ? undefined : files[0]!;
  const tap = single === undefined ? readSharedTap() : readFileTap(single.path);
  const started = performance.now();
  let stderr = "";
  const limit = limitTime();
  let ending: ProcessEnding;
  limit.restart(files[0]!.timeoutSeconds + graceSeconds);
  try {
    ending = await runCommand(command(single, options), {
      cwd: options.root,
      ...(single === undefined ? { stdin: JSON.stringify(files.map((file) => asked(file, options))) } : {}),
      env: {
        // Files that share a process have a limit each (batch_main.ts).
        TAP_TIMEOUT: String(single?.timeoutSeconds ?? 0),
        // Plugins that tests make are no plugins of whoever runs them.
        PTH_HISTORY_DIR: join(options.root, ".build/history"),
        ...(options.coverage === undefined ? {} : { DENO_COVERAGE_DIR: options.coverage }),
      },
      signal: AbortSignal.any([limit.signal, options.signal]),
      onOutput(text, stream) {
        if (stream === "stderr") {
          stderr += text;
          if (!text.includes(startMark)) return;
          const begun = files[stderr.split(startMark).length - 2];
          if (begun !== undefined) limit.restart(begun.timeoutSeconds + graceSeconds);
          else if (files.length > 1) limit.restart(graceSeconds);
        } else tap.write(text);
      },
    });
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    ending = { code: null, signal: "SIGKILL", timedOutAfterSeconds: limit.seconds() };
  } finally {
    limit.stop();
  }
  tap.end();
  const [before, ...parts] = stderr.split(startMark).map((part, index) =>
    index === 0 ? part : part.replace(/^.*\n/, "")
  );
  // A process that did not come as far as the first file is that file's failure.
  const begun = Math.min(Math.max(parts.length, 1), files.length);
  const runs = files.slice(0, begun).map((file, index): FileRun => {
    const reading = tap.files.find(({ path }) => path === file.path);
    return {
      ...(reading ?? { passed: 0, failed: 0, skipped: [], failures: [] }),
      file,
      platform: options.platform,
      durationMs: single === undefined ? reading?.durationMs ?? 0 : performance.now() - started,
      stderr: [index === 0 ? before : "", parts[index], index === files.length - 1 ? parts[index + 1] : ""]
        .join(""),
    };
  });
  blame(runs, ending, files.length);
  return runs;
}

/** Adds to each run what its file or the process did beside its tests. */
function blame(runs: readonly FileRun[], ending: ProcessEnding, asked: number): void {
  for (const run of runs) {
    const last = run === runs.at(-1);
    // node-tap ends a process with 1 when a test of it failed.
    const told = ending.code === 1 && runs.slice(0, -1).some(({ failed }) => failed > 0);
    const trouble = describeEnding(last && !told ? ending : { code: 0, signal: null }, run);
    if (trouble === undefined) continue;
    const shared = last && asked > 1 && runs.length === asked &&
      (ending.code !== 0 || ending.signal !== null);
    const others = shared
      ? ` in one process with ${runs.slice(0, -1).map(({ file }) => file.path).join(", ")}`
      : "";
    run.failed += 1;
    run.failures.push({ name: trouble + others, details: undefined });
  }
}

/** Command that runs the file that has the process for itself, or the files given on stdin. */
function command(single: TestFile | undefined, { root, platform, compiled }: RunBatchOptions): string[] {
  const main = single?.path ?? "scripts/testing/batch_main.ts";
  if (platform === "node") return ["node", join(compiled, main.replace(/\.ts$/, ".js"))];
  return [
    Deno.execPath(),
    "run",
    "-A",
    "--quiet",
    `--preload=${join(root, "scripts/tap_on_deno.ts")}`,
    join(root, main),
  ];
}

const asked = (
  { path, timeoutSeconds }: TestFile,
  { root, platform, compiled }: RunBatchOptions,
): BatchFile => ({
  path,
  timeoutSeconds,
  module: platform === "node" ? join(compiled, path.replace(/\.ts$/, ".js")) : join(root, path),
});

/** A limit that begins anew with each file. */
function limitTime() {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let limit = 0;
  return {
    signal: controller.signal,
    seconds: () => limit,
    restart(seconds: number) {
      clearTimeout(timer);
      limit = seconds;
      timer = setTimeout(() => controller.abort(), seconds * 1000);
    },
    stop: () => clearTimeout(timer),
  };
}
