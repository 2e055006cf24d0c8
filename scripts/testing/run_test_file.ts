/** Runs one test file in a process of its own. */
import { join } from "node:path";
import { type FileOutcome, readOutcome } from "./tap_outcome.ts";
import type { TestFile } from "./test_file.ts";
import { run } from "../../src/platform/process.ts";

export type Platform = "deno" | "node";

export interface FileRun extends FileOutcome {
  file: TestFile;
  platform: Platform;
  durationMs: number;
  stdout: string;
  stderr: string;
}

export interface RunFileOptions {
  root: string;
  platform: Platform;
  /** Folder of the compiled tree, for Node. */
  compiled: string;
  /** Coverage profiles go here, on Deno. */
  coverage?: string;
  signal: AbortSignal;
}

/** Time that node-tap has to report its own timeout before the process is ended. */
const graceSeconds = 15;

export async function runTestFile(file: TestFile, options: RunFileOptions): Promise<FileRun> {
  const started = performance.now();
  const output = { stdout: "", stderr: "" };
  const limit = AbortSignal.timeout((file.timeoutSeconds + graceSeconds) * 1000);
  let ending: Parameters<typeof readOutcome>[1];
  try {
    ending = await run(command(file, options), {
      cwd: options.root,
      env: {
        TAP_TIMEOUT: String(file.timeoutSeconds),
        // Plugins that tests make are no plugins of whoever runs them.
        PTH_HISTORY_DIR: join(options.root, ".build/history"),
        ...(options.coverage === undefined ? {} : { DENO_COVERAGE_DIR: options.coverage }),
      },
      signal: AbortSignal.any([limit, options.signal]),
      onOutput: (text, stream) => output[stream] += text,
    });
  } catch (error) {
    if (!limit.aborted) throw error;
    ending = { code: null, signal: "SIGKILL", timedOutAfterSeconds: file.timeoutSeconds + graceSeconds };
  }
  const durationMs = performance.now() - started;
  return { ...readOutcome(output.stdout, ending), ...output, file, platform: options.platform, durationMs };
}

function command(file: TestFile, { root, platform, compiled }: RunFileOptions): string[] {
  if (platform === "node") return ["node", join(compiled, file.path.replace(/\.ts$/, ".js"))];
  const preload = `--preload=${join(root, "scripts/tap_on_deno.ts")}`;
  return [Deno.execPath(), "run", "-A", "--quiet", preload, join(root, file.path)];
}
