/** What one test file's TAP output says. */
import { Parser, type Result } from "tap-parser";

/** A test is a top-level point of a file's TAP: one `t.test`, or one assertion outside of any. */
export interface FileOutcome {
  passed: number;
  failed: number;
  skipped: { name: string; reason: string }[];
  failures: { name: string; details: unknown }[];
}

/** How the process of the file ended. */
export interface FileEnding {
  code: number | null;
  signal: string | null;
  timedOutAfterSeconds?: number;
}

/**
 * Counts the tests in TAP output. A file that ran no test, ended with an error after its tests, or was stopped, counts
 * one failure more, so that nothing is green by silence.
 */
export function readOutcome(tap: string, ending: FileEnding): FileOutcome {
  const outcome: FileOutcome = { passed: 0, failed: 0, skipped: [], failures: [] };
  const parser = new Parser((results) => {
    outcome.passed = results.pass - results.skip - results.todo;
    outcome.failed = Math.max(results.fail, results.bailout === false ? 0 : 1);
    for (const skip of [...results.skips, ...results.todos]) {
      outcome.skipped.push({ name: skip.name, reason: String(skip.skip || skip.todo) });
    }
  });
  collectFailures(parser, outcome.failures);
  parser.end(tap);
  const trouble = describeEnding(ending, outcome);
  if (trouble !== undefined) {
    outcome.failed += 1;
    outcome.failures.push({ name: trouble, details: undefined });
  }
  return outcome;
}

/** Failed assertions at any depth, named by the tests around them; a test that failed only through them adds no line. */
function collectFailures(parser: Parser, failures: FileOutcome["failures"]): void {
  let before = failures.length;
  parser.on("child", (child: Parser) => {
    before = failures.length;
    collectFailures(child, failures);
  });
  parser.on("assert", (result: Result) => {
    const alreadyTold = failures.length > before;
    before = failures.length;
    if (result.ok || result.skip || result.todo || alreadyTold) return;
    failures.push({ name: result.fullname, details: result.diag ?? undefined });
    before = failures.length;
  });
}

function describeEnding(ending: FileEnding, outcome: FileOutcome): string | undefined {
  if (ending.timedOutAfterSeconds !== undefined) return `stopped after ${ending.timedOutAfterSeconds} s`;
  if (ending.signal !== null) return `ended by ${ending.signal}`;
  const tests = outcome.passed + outcome.failed + outcome.skipped.length;
  if (tests === 0) return ending.code === 0 ? "ran no test" : `exited with ${ending.code} before any test`;
  if (ending.code !== 0 && outcome.failed === 0) return `exited with ${ending.code} after its tests passed`;
  return undefined;
}
