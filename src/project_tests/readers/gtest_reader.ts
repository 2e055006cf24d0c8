/** Reads what programs of GoogleTest print as they run. */
import type { ProjectTestOutcome, TestLocation } from "../../../machines/model/project_test.ts";
import type { EventReader } from "../framework.ts";
import { cutMiddle } from "./line_cutter.ts";
import { createProgramReader } from "./program_reader.ts";
import { projectPath } from "./project_path.ts";
import type { TestLedger } from "./test_ledger.ts";

/** The test that runs: GoogleTest runs one at a time. */
interface RunningTest {
  name: string;
  /** Outcome as last reported. It counts when the next test or the end of the suite is: tests print such lines, too. */
  outcome?: ProjectTestOutcome;
  failures: { place: TestLocation | undefined; lines: string[]; length: number }[];
  /** Lines after a failure are of its message. */
  isInFailure: boolean;
}

const longestFailure = 16 * 1024;
const mostFailures = 20;
const ended = /\[ {2}(?:(?: {5}OK)|FAILED |SKIPPED) ?\] (\S+?)(?:, where .*)? \((\d+) ms\)$/;
const failed = /^(?:(.+?):(\d+): |(unknown file): |(.+?)\((\d+)\): error: )(?:Failure|Skipped)?$/;

/** @param root absolute path of the project's folder */
export const createGtestReader = (root: string): EventReader =>
  createProgramReader({ lines: (ledger) => gtestLines(ledger, root), repeats: true });

function gtestLines(ledger: TestLedger, root: string): (line: string) => void {
  let test: RunningTest | undefined;
  let isOpen = false;
  /** Counts of the end, which come one a line; those that are not printed are none. */
  let counts: { passed: number; failed: number; skipped: number } | undefined;
  let ran: number | undefined;

  const settle = (): void => {
    if (test?.outcome === undefined) return;
    ledger.finish({ name: test.name }, withFailures(test, test.outcome));
    test = undefined;
  };

  const readEnd = (line: string): boolean => {
    const end = ended.exec(line);
    if (end === null || test === undefined || end[1] !== test.name) return false;
    const before = line.slice(0, end.index);
    if (before !== "") ledger.output(`${before}\n`, { name: test.name });
    const word = line.slice(end.index, end.index + 12);
    test.outcome = {
      status: word.includes("OK") ? "passed" : word.includes("FAILED") ? "failed" : "skipped",
      durationMs: Number(end[2]),
    };
    test.isInFailure = false;
    return true;
  };

  /** Lines of the whole run, which no test prints at its begin. */
  const readFrame = (line: string): boolean => {
    const begun = /^\[={10}\] Running (\d+) tests? from \d+ test (?:suites?|cases?)\.$/.exec(line);
    if (begun !== null) {
      if (isOpen) ledger.breakSuite(undefined, "another run began before it ended");
      isOpen = true;
      ledger.plan(undefined, Number(begun[1]));
      return true;
    }
    if (!isOpen) return false;
    const started = /^\[ RUN {6}\] (\S+)$/.exec(line)?.[1];
    if (started !== undefined && (test === undefined || test.outcome !== undefined)) {
      settle();
      test = { name: started, failures: [], isInFailure: false };
      ledger.start({ name: started });
      return true;
    }
    const isBetween = /^\[(?:-{10}|={10})\] /.test(line);
    if (isBetween) settle();
    const over = /^\[={10}\] (\d+) tests? from .* ran\./.exec(line);
    if (over !== null && test === undefined) {
      ran = Number(over[1]);
      counts = { passed: 0, failed: 0, skipped: 0 };
    }
    return isBetween;
  };

  /** Counts at the end: those of passed tests come first, those of failed ones last. */
  const readCounts = (line: string): boolean => {
    const found = /^\[ {2}(PASSED|SKIPPED|FAILED) {1,2}\] (\d+) tests?(?:\.|, listed below:)$/.exec(line);
    if (found === null || counts === undefined) return false;
    const status = found[1]!.toLowerCase() as keyof typeof counts;
    counts[status] += Number(found[2]);
    if (counts.passed + counts.failed + counts.skipped !== ran) return true;
    ledger.endSuite(undefined, counts);
    isOpen = false;
    counts = undefined;
    return true;
  };

  return (line) => {
    if (readFrame(line) || counts !== undefined && readCounts(line)) return;
    if (test === undefined) {
      ledger.output(`${line}\n`);
      return;
    }
    if (readEnd(line)) return;
    ledger.output(`${line}\n`, { name: test.name });
    const place = failed.exec(line);
    if (place !== null) {
      const [, file, row, unknown] = place;
      const found = unknown === undefined && file !== undefined
        ? { file: projectPath(root, file), line: Number(row) }
        : undefined;
      test.failures.push({ place: found, lines: [], length: 0 });
      if (test.failures.length > mostFailures) test.failures.pop();
      test.isInFailure = true;
    } else if (test.isInFailure) {
      const last = test.failures.at(-1)!;
      last.length += line.length + 1;
      if (last.length < longestFailure) last.lines.push(line);
      else if (last.lines.at(-1) !== "…") last.lines.push("…");
    }
  };
}

function withFailures({ failures }: RunningTest, outcome: ProjectTestOutcome): ProjectTestOutcome {
  if (outcome.status === "passed" || failures.length === 0) return outcome;
  const place = failures.find(({ place }) => place !== undefined)?.place;
  const message = failures.map(({ place, lines }, at) =>
    `${at === 0 || place === undefined ? "" : `${place.file}:${place.line}: `}${
      lines.join("\n").replace(/^Failed\n/, "").trim()
    }`
  ).join("\n\n");
  return { ...outcome, message: cutMiddle(message), ...place === undefined ? {} : { place } };
}
