/** Reads the TAP output of test files. */
import { Parser, type Result } from "tap-parser";

/** A test is a top-level point of a file's TAP: one `t.test`, or one assertion outside of any. */
export interface FileOutcome {
  passed: number;
  failed: number;
  skipped: { name: string; reason: string }[];
  failures: { name: string; details: unknown }[];
}

/** End of a test file's process. */
export interface ProcessEnding {
  code: number | null;
  signal: string | null;
  timedOutAfterSeconds?: number;
}

/** A file that was begun. */
export interface FileReading extends FileOutcome {
  path: string;
  /** True once the file's test point came: all its tests are done. */
  ended: boolean;
  durationMs: number;
}

export interface TapReader {
  /** Files in the order in which they began. */
  files: readonly FileReading[];
  write(text: string): void;
  /** The process has ended: what it broke off is counted. */
  end(): void;
}

/** Reads the output of a process that runs one test file, as it comes. */
export function readFileTap(path: string): TapReader {
  const parser = new Parser();
  const file: FileReading = { path, ended: false, durationMs: 0, ...nothingYet() };
  follow(parser, file, "");
  return { files: [file], write: (text) => void parser.write(text), end: () => void parser.end() };
}

/** Reads the output of a process in which each test file is a subtest of its path, as it comes. */
export function readSharedTap(): TapReader {
  const files: FileReading[] = [];
  const parser = new Parser();
  parser.on("child", (child: Parser) => {
    const file: FileReading = { path: child.name, ended: false, durationMs: 0, ...nothingYet() };
    files.push(file);
    follow(child, file, `${child.name} > `);
  });
  parser.on("assert", ({ ok, name, diag, time }: Result) => {
    // A point may come after the beginning of the next file: its details could have followed it.
    const file = files.find(({ path, ended }) => path === name && !ended);
    if (file === undefined) {
      // An assertion beside all files: what a file did after its end.
      if (ok) return;
      const last = files.at(-1) ?? begin(files, name);
      last.failed += 1;
      last.failures.push({ name, details: diag ?? undefined });
      return;
    }
    file.ended = true;
    file.durationMs = time ?? 0;
    if (ok || file.failed > 0) return;
    file.failed = 1;
    file.failures.push({ name, details: diag ?? undefined });
  });
  return { files, write: (text) => void parser.write(text), end: () => void parser.end() };
}

const nothingYet = (): FileOutcome => ({ passed: 0, failed: 0, skipped: [], failures: [] });

function begin(files: FileReading[], path: string): FileReading {
  const file: FileReading = { path, ended: false, durationMs: 0, ...nothingYet() };
  files.push(file);
  return file;
}

/** Gathers what fails, and counts the tests once the parser is complete. */
function follow(parser: Parser, outcome: FileOutcome, prefix: string): void {
  collectFailures(parser, outcome.failures, prefix);
  parser.on("complete", (results) => {
    outcome.passed = results.pass - results.skip - results.todo;
    outcome.failed += Math.max(results.fail, results.bailout === false ? 0 : 1);
    for (const skip of [...results.skips, ...results.todos]) {
      outcome.skipped.push({ name: skip.name, reason: String(skip.skip || skip.todo) });
    }
  });
}

/** Failed assertions at any depth, named by the tests around them; a test that failed only through them adds no line. */
function collectFailures(parser: Parser, failures: FileOutcome["failures"], prefix: string): void {
  let before = failures.length;
  parser.on("child", (child: Parser) => {
    before = failures.length;
    collectFailures(child, failures, prefix);
  });
  parser.on("assert", (result: Result) => {
    const alreadyTold = failures.length > before;
    before = failures.length;
    if (result.ok || result.skip || result.todo || alreadyTold) return;
    failures.push({ name: withoutPrefix(result.fullname, prefix), details: result.diag ?? undefined });
    before = failures.length;
  });
}

/** Names within a file do without its path. */
const withoutPrefix = (name: string, prefix: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name;

/**
 * Says what is wrong with how a file ended. One that ran no test, ended with an error after its tests, or was stopped,
 * counts one failure more, so that nothing is green by silence.
 */
export function describeEnding(ending: ProcessEnding, outcome: FileOutcome): string | undefined {
  if (ending.timedOutAfterSeconds !== undefined) return `stopped after ${ending.timedOutAfterSeconds} s`;
  if (ending.signal !== null) return `ended by ${ending.signal}`;
  const tests = outcome.passed + outcome.failed + outcome.skipped.length;
  if (tests === 0) return ending.code === 0 ? "ran no test" : `exited with ${ending.code} before any test`;
  if (ending.code !== 0 && outcome.failed === 0) return `exited with ${ending.code} after its tests passed`;
  return undefined;
}
