/**
 * Joins the failures of tests whose tool writes on stdout. One print in a tool would fail each of its tests: the first one,
 * in the order of the tests, fails for all.
 */
import type { TestResult } from "../../../machines/model/test_result.ts";
import type { StartLines } from "./start_lines.ts";
import { count, oneLine, textExcerpt } from "../../core/text.ts";

/** Predicate of a sentence about lines that are no protocol. */
export const strayText = (lines: readonly string[]): string =>
  `wrote ${lines.length === 1 ? "a line" : `${lines.length} lines`} on stdout that no MCP client can read: ${
    textExcerpt(lines[0], 200)
  }\n  stdout belongs to the protocol; write logs to stderr`;

/** Most tests that are named in addition to the first. */
const mostNamed = 5;

/** Subject of a failure for lines that are the start's. */
const start = "the server, while it started,";

/**
 * The results without `noise`: of each tool one failure for all its noise, the others as they came out without it. What the
 * server's start wrote, and what only came late, is not the tool's: it is a failure of its own unless a check fails for it.
 * @param results in the order of the tests
 * @param starts lines of all servers of the suite, and whether `stdout_is_protocol` failed
 */
export function joinNoise(
  results: readonly TestResult[],
  starts: { lines: StartLines; fail: boolean },
): TestResult[] {
  const own = results.map((result) => apartFromStart(result, starts.lines));
  const groups = new Map<string, TestResult[]>();
  for (const { result, subject } of own) {
    if (subject === undefined) continue;
    const known = groups.get(subject);
    if (known === undefined) groups.set(subject, [result]);
    else known.push(result);
  }
  return own.map(({ result, subject }) => {
    const { noise, ...rest } = result;
    if (noise === undefined || subject === undefined) return rest;
    const words = `${subject} ${strayText(noise.lines)}`;
    if (subject === start && starts.fail) return resultWithout(result, words);
    const all = groups.get(subject)!;
    // One that failed each time is more certain than one that passed once.
    const first = all.find(({ status }) => status === "failed") ?? all[0]!;
    if (result !== first) return resultWithout(result, `${oneLine(words)}; "${first.name}" fails for it`);
    const others = all.filter((each) => each !== first);
    return others.length === 0 ? rest : { ...rest, message: `${rest.message}\n  ${alsoText(others)}` };
  });
}

/** A result that failed for noise with the one whose noise it is: the tool's without the start's, or the start's alone. */
function apartFromStart(
  result: TestResult,
  startLines: StartLines,
): { result: TestResult; subject?: string } {
  const { noise, tool = "the test" } = result;
  if (noise === undefined) return { result };
  const areLate = startLines.areLate(noise.lines.slice(0, noise.firstCall), noise.started);
  const lines = noise.lines.filter((_, index) => areLate[index] !== true);
  if (lines.length === noise.lines.length) return { result, subject: tool };
  const subject = lines.length === 0 ? start : tool;
  const told = lines.length === 0 ? noise.lines : lines;
  const message = result.message?.replace(
    `${tool} ${strayText(noise.lines)}`,
    () => `${subject} ${strayText(told)}`,
  );
  return {
    result: {
      ...result,
      noise: { ...noise, lines: told },
      ...(message === undefined ? {} : { message }),
    },
    subject,
  };
}

/** The result as it is without noise. */
function resultWithout(result: TestResult, words: string): TestResult {
  const { noise, category: _, message: _message, flakiness: _flakiness, stderrTail: _stderr, ...rest } =
    result;
  const { status, note } = noise!.otherwise;
  // Only the noise depended on it.
  const findings = rest.findings.filter(({ code }) => code !== "depends-on-order");
  return { ...rest, status, note: [note, oneLine(words)].filter(Boolean).join("; "), findings };
}

function alsoText(others: readonly TestResult[]): string {
  const named = others.slice(0, mostNamed).map(({ name }) => `"${name}"`);
  const more = others.length > mostNamed ? [`${others.length - mostNamed} more`] : [];
  return `it did so in ${count(others.length, "more test")}, which ${
    others.length === 1 ? "is" : "are"
  } judged without: ${[...named, ...more].join(", ")}`;
}
