/** Results grouped by tool, each group as soon as its last test is done. */
import type { TestCase } from "../../../../machines/model/test_case.ts";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { groupOf } from "../../reporter.ts";
import { nameOfOutcome } from "../../run/acceptance_finding.ts";
import { columnWidth } from "../../../core/columns.ts";
import { formatDuration, plainLine } from "../../../core/text.ts";
import type { TerminalStyle } from "./terminal_style.ts";

/** Milliseconds from which the duration of a passed test is shown. */
const slowMs = 100;
/** Columns below which a note is not begun. */
const leastNote = 8;

interface ResultGroups {
  expect(tests: readonly TestCase[]): void;
  /** The finished group's text, when this result was its last. */
  add(result: TestResult): string | undefined;
  /** Groups whose tests were not all run. */
  rest(): string;
  /** Failures in the order and with the numbers in which they were printed. */
  failures: TestResult[];
}

export function createResultGroups(style: TerminalStyle): ResultGroups {
  const waiting = new Map<string, number>();
  const done = new Map<string, TestResult[]>();
  const failures: TestResult[] = [];

  const print = (group: string): string => {
    const results = done.get(group) ?? [];
    done.delete(group);
    return `\n${style.bold(plainLine(group))}\n` + results.map((result) => line(group, result)).join("");
  };
  const line = (group: string, result: TestResult): string => {
    const failed = result.status === "failed";
    const number = failed ? `  (${failures.push(result)})` : "";
    const time = result.durationMs >= slowMs ? `  ${formatDuration(result.durationMs)}` : "";
    const name = style.fit(shortName(group, result), 4 + number.length + time.length);
    const note = tells(result) ? plainLine(result.note ?? "") : "";
    const room = 4 + columnWidth(name) + number.length + time.length + 2;
    const shown = failed ? style.red(name) : name;
    const ending = note === "" || style.room(room) < leastNote ? "" : style.dim(`  ${style.fit(note, room)}`);
    return `  ${style.marks[result.status]} ${shown}${number}${style.dim(time)}${ending}\n`;
  };

  return {
    failures,
    expect(tests) {
      for (const test of tests) waiting.set(groupOf(test), (waiting.get(groupOf(test)) ?? 0) + 1);
    },
    add(result) {
      const group = groupOf(result);
      const finished = done.get(group);
      if (finished === undefined) done.set(group, [result]);
      else finished.push(result);
      const left = (waiting.get(group) ?? 1) - 1;
      waiting.set(group, left);
      return left > 0 ? undefined : print(group);
    },
    rest: () => [...done.keys()].map(print).join(""),
  };
}

/** True if the note of a result is shown: reasons for skipping and flakiness; of a passed test only that it may be flaky. */
const tells = ({ status, note = "" }: TestResult): boolean =>
  status === "passed" ? note.startsWith("may be flaky") : status !== "failed";

/** Generated tests are named "tool - what"; below the tool's heading the first half says nothing. */
function shortName(group: string, { name, note, tool, entry }: TestResult): string {
  const heading = entry === undefined || tool === undefined ? group : tool;
  const line = plainLine(nameOfOutcome(name, note));
  return line.startsWith(`${heading} - `) ? line.slice(heading.length + 3) : line;
}
