/** Reads the lines for people of Rust's test programs: results as they come, and what failed tests printed after all. */
import type { ProjectTestOutcome } from "../../../machines/model/project_test.ts";
import { cutMiddle } from "./line_cutter.ts";
import { projectPath } from "./project_path.ts";
import { rustFailure } from "./rust_failure.ts";
import type { TestLedger } from "./test_ledger.ts";

/** The program whose output is read: told by the runner, or only by its lines. */
export interface LibtestProgram {
  /** Manner of its reports: JSON, lines, or none. */
  kind: "libtest" | "lines" | "program";
  suite: string | undefined;
  /** Absolute paths of the project's folder, and of the package's. */
  root: string;
  folder: string;
  /** Name of the one test that a program is which reports nothing. */
  test?: string;
  /** A block of tests has begun and has not ended. */
  open: boolean;
  /** Blocks that have begun. */
  blocks: number;
  /** Number of failed tests as the last block gives it at its end. */
  failed?: number;
  /** Durations of failed tests whose output comes later. */
  failures: Map<string, number | undefined>;
  /** Failed test whose output is being printed. */
  section?: { name: string; lines: string[]; length: number };
  /** Line of stderr that tells why a program was aborted. */
  lastWords?: string;
}

const begins = /^running (\d+) tests?$/;
const result =
  /^test (\S.*?)(?: - should panic| - compile(?: fail)?)? \.\.\. (?:(ok|FAILED)(?: <([\d.]+)s>)?|ignored(?:, (.*))?)$/;
const ends = /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; /;
const longestSection = 1024 * 1024;

export function readLibtestLine(ledger: TestLedger, program: LibtestProgram, line: string): void {
  const begun = begins.exec(line);
  const ended = ends.exec(line);
  const section = /^---- (.+) stdout ----$/.exec(line)?.[1];
  if (begun !== null) {
    finishFailures(ledger, program);
    if (program.open) ledger.breakSuite(program.suite, "another block of tests began before it ended");
    program.open = true;
    program.blocks++;
    ledger.plan(program.suite, Number(begun[1]));
  } else if (ended !== null && program.open) {
    finishFailures(ledger, program);
    program.open = false;
    const [passed, failed, skipped, measured] = ended.slice(1).map(Number) as [
      number,
      number,
      number,
      number,
    ];
    program.failed = failed;
    ledger.endSuite(program.suite, { passed: passed + measured, failed, skipped });
  } else if (section !== undefined && program.failures.has(section)) {
    finishSection(ledger, program);
    program.section = { name: section, lines: [], length: 0 };
  } else if (line === "failures:" && program.failures.size + (program.section === undefined ? 0 : 1) > 0) {
    finishSection(ledger, program);
  } else if (program.section !== undefined) {
    keepLine(program.section, line);
  } else {
    readResult(ledger, program, line);
  }
}

function readResult(ledger: TestLedger, program: LibtestProgram, line: string): void {
  const found = program.open ? result.exec(line) : null;
  if (found === null) {
    if (line !== "") ledger.output(`${line}\n`);
    return;
  }
  const [, name, status, seconds, reason] = found as unknown as [string, string, ...(string | undefined)[]];
  const durationMs = seconds === undefined ? undefined : Number(seconds) * 1000;
  if (status === "FAILED") {
    ledger.start(testIn(program, name));
    program.failures.set(name, durationMs);
    return;
  }
  ledger.finish(testIn(program, name), {
    status: status === "ok" ? "passed" : "skipped",
    ...durationMs === undefined ? {} : { durationMs },
    ...reason === undefined ? {} : { message: reason },
  });
}

function keepLine(section: NonNullable<LibtestProgram["section"]>, line: string): void {
  section.lines.push(line);
  section.length += line.length + 1;
  if (section.length < longestSection) return;
  const text = cutMiddle(section.lines.join("\n"));
  section.lines = [text];
  section.length = text.length;
}

function finishSection(ledger: TestLedger, program: LibtestProgram): void {
  const { section } = program;
  if (section === undefined) return;
  delete program.section;
  finishFailure(ledger, program, section.name, section.lines.join("\n").trim());
}

function finishFailure(ledger: TestLedger, program: LibtestProgram, name: string, output: string): void {
  const durationMs = program.failures.get(name);
  program.failures.delete(name);
  if (output !== "") ledger.output(`${output}\n`, testIn(program, name));
  ledger.finish(testIn(program, name), {
    status: "failed",
    ...durationMs === undefined ? {} : { durationMs },
    ...outcomeDetails(program, { status: "failed", name, output, told: undefined }),
  });
}

/** Finishes the failed tests whose output has not come. */
export function finishFailures(ledger: TestLedger, program: LibtestProgram): void {
  finishSection(ledger, program);
  for (const name of [...program.failures.keys()]) finishFailure(ledger, program, name, "");
}

export interface ReportedOutcome {
  status: ProjectTestOutcome["status"];
  name: string;
  output: string;
  /** Reason of a skip, or what the harness says of a failure. */
  told: string | undefined;
}

/** Message, place and frames of what was reported of a test. */
export function outcomeDetails(
  { root, folder }: LibtestProgram,
  { status, name, output, told }: ReportedOutcome,
): Omit<ProjectTestOutcome, "status"> {
  if (status === "passed") return {};
  if (status === "skipped") return told === undefined ? {} : { message: told };
  const { place: panicPlace, ...failure } = rustFailure(name, output, told);
  // Doc tests are named by their place; their panics are told of a file that is generated.
  const named = /^(\S.*?) - .*\(line (\d+)\)$/.exec(name);
  const place = named === null || named[1] === panicPlace?.file
    ? panicPlace
    : { file: named[1]!, line: Number(named[2]) };
  return place === undefined
    ? failure
    : { ...failure, place: { ...place, file: projectPath(root, place.file, folder) } };
}

const testIn = ({ suite }: LibtestProgram, name: string) => suite === undefined ? { name } : { name, suite };
