/**
 * Reads `deno test`: what it prints of each test as it goes on, and its report in JUnit's XML at the end. Tests can print the
 * same lines, so the report decides: where it says something else than was reported before, the run is not complete.
 */
import { pathWithin } from "../stack_frames.ts";
import type { EventReader, TestProject } from "../framework.ts";
import { createJunitReport, type JunitCase } from "./junit_report.ts";
import { createLineCutter, cutMiddle } from "./line_cutter.ts";
import { reportedEvents, type ReporterOptions } from "./reported_events.ts";

type Line = Record<string, unknown>;

interface SeenTest {
  id: string;
  name: string;
  file: string;
  /** Status that was printed; a failed test is reported once its message is known. */
  status?: JunitCase["status"];
  isInReport?: boolean;
  /** Characters of its output. */
  printed: number;
}

const mostTests = 100_000;
const mostText = 64 * 1024;
const longestName = 2000;
/** Longer lines are none that Deno writes of a test. */
const longestLine = 2 * longestName;
const mostErrors = 200;
const mostDoubts = 20;
/** Output of a test beyond that is in the output of the run alone. */
const mostOutput = 256 * 1024;
const outputEnd = "----- output end -----";
const result = /^( *)(.+) \.\.\. (ok|FAILED|ignored|cancelled)(?: \(.*\))?$/;
const statuses = { ok: "passed", ignored: "skipped", FAILED: "failed", cancelled: "failed" } as const;

export function denoReader(project: TestProject, options: ReporterOptions): EventReader {
  const { root } = project;
  const inner = reportedEvents(project, options);
  const cutters = { stdout: createLineCutter(), stderr: createLineCutter() };
  const seen = new Map<string, SeenTest>();
  const counts = { printed: new Map<string, number>(), reported: new Map<string, number>() };
  /** Tests that run, the innermost last: steps are within their test. */
  const open: SeenTest[] = [];
  let file: string | undefined;
  let isOutput = false;
  /** Begin of a line that has not ended. */
  let partial = "";
  /** Errors outside of tests, which follow all tests. */
  let errors: string[] | undefined;
  let stderr = "";
  let lines: Line[] = [];
  const doubts: string[] = [];

  /** The test of that name, whichever it is of those that have the same. */
  const testFor = (of: keyof typeof counts, path: string, long: string): SeenTest | undefined => {
    const name = long.slice(0, longestName);
    const key = `${path.slice(0, longestName)}\0${name}`;
    if (counts[of].size >= mostTests && !counts[of].has(key)) return undefined;
    const count = (counts[of].get(key) ?? 0) + 1;
    counts[of].set(key, count);
    const id = `${key}\0${count}`;
    const known = seen.get(id);
    if (known !== undefined || seen.size >= mostTests) return known;
    const test = { id, name, file: path, printed: 0 };
    seen.set(id, test);
    return test;
  };
  const told = ({ id, name, file }: SeenTest) => ({ id, test: { name, suite: `${root}/${file}` } });

  function begin(name: string, path: string): SeenTest | undefined {
    const test = testFor("printed", path, [...open.map((above) => above.name).slice(-1), name].join(" > "));
    if (test === undefined) return undefined;
    open.push(test);
    lines.push({ type: "started", ...told(test) });
    return test;
  }

  function finish(test: SeenTest, status: JunitCase["status"]): void {
    test.status = status;
    if (status !== "failed") lines.push({ type: "finished", ...told(test), outcome: { status } });
  }

  function print(test: SeenTest, text: string): void {
    test.printed += text.length;
    if (test.printed <= mostOutput) lines.push({ type: "output", id: test.id, text: cutMiddle(text) });
  }

  function readPrinted(line: string): void {
    if (isOutput) {
      if (line.endsWith(outputEnd)) isOutput = false;
      const text = isOutput ? `${line}\n` : line.slice(0, -outputEnd.length);
      const test = open.at(-1);
      if (test !== undefined && text !== "") print(test, text);
      return;
    }
    if (open.length > 0) {
      readWithin(line);
      return;
    }
    if (line.length <= longestLine) readBetween(line);
  }

  function readBetween(line: string): void {
    const running = /^running \d+ tests? from (?:\.\/)?(.+)$/.exec(line);
    if (running !== null) file = running[1]!;
    else if (line === " ERRORS ") errors = [];
    else if (line === " FAILURES ") errors = undefined;
    else if (errors !== undefined) keepError(errors, line);
    else if (file !== undefined) readAlone(line, file);
    else readParallel(line);
    if (errors !== undefined && line === "") endError(errors.splice(0));
  }

  function keepError(kept: string[], line: string): void {
    if (kept.length < mostErrors) kept.push(line);
  }

  /** No test runs: a line is all of one, or its begin. */
  function readAlone(line: string, path: string): void {
    const [, indent, name, how] = result.exec(line) ?? [];
    if (indent === "" && how !== undefined) {
      begin(name!, path);
      const test = open.pop();
      if (test !== undefined) finish(test, statuses[how as keyof typeof statuses]);
    } else if (/^\S.* \.\.\.$/.test(line)) begin(line.slice(0, -4), path);
  }

  function readWithin(line: string): void {
    const current = open.at(-1)!;
    const depth = open.length - 1;
    if (line === "------- output -------") {
      isOutput = true;
      return;
    }
    const [, indent = "", name = "", how] = result.exec(line.slice(0, longestLine)) ?? [];
    const isStep = how !== undefined && indent.length === 2 * (depth + 1);
    if (how !== undefined && indent.length === 2 * depth && name === titleOf(current, open.at(-2))) {
      open.pop();
      finish(current, cut(how));
    } else if (isStep && begin(name, current.file) !== undefined) {
      finish(open.pop()!, cut(how));
    } else if (
      line.length <= longestLine && line.startsWith(" ".repeat(2 * (depth + 1))) &&
      /^ *\S.* \.\.\.$/.test(line)
    ) {
      begin(line.trimStart().slice(0, -4), current.file);
    } else if (!line.startsWith(`${" ".repeat(2 * depth)}${titleOf(current, open.at(-2))} ...`)) {
      print(current, `${line}\n`);
    }
  }

  /** With files side by side, a test is printed with its file, once it has ended. */
  function readParallel(line: string): void {
    const [, path, name, how] = /^\.\/(\S.*?) => (.+) \.\.\. (ok|ignored)(?: \(.*\))?$/.exec(line) ?? [];
    // The same sign is between a test and its step.
    if (how === undefined || name!.includes(" ... ")) return;
    const test = testFor("printed", path!, name!);
    if (test === undefined) return;
    lines.push({ type: "started", ...told(test) });
    finish(test, statuses[how as keyof typeof statuses]);
  }

  function endError([title = "", ...text]: string[]): void {
    const [, path] = /^(?:\.\/)?(.+) \(uncaught error\)$/.exec(title) ?? [];
    if (path === undefined) return;
    lines.push({ type: "not_run", suite: `${root}/${path}`, text: unmarked(text.join("\n")) });
  }

  const report = createJunitReport((found) => {
    // One that a filter leaves out took no time.
    if (found.status === "skipped" && found.attributes.time === undefined) return;
    const path = pathWithin(found.className.replace(/^\.\//, ""), root);
    const test = testFor("reported", path, found.name);
    if (test === undefined) return;
    test.isInReport = true;
    const before = test.status;
    if (before !== undefined && before !== found.status && doubts.length < mostDoubts) {
      doubts.push(`${test.name} was printed as ${before}, and is reported as ${found.status}`);
    }
    if (before === "passed" || before === "skipped") return;
    test.status = found.status;
    lines.push({ type: "finished", ...told(test), outcome: outcomeOf(found, `${root}/${path}`) });
  });

  const take = () => {
    const taken = lines;
    lines = [];
    return taken.flatMap((line) => inner.push("events", JSON.stringify(line)));
  };

  return {
    push(stream, text) {
      if (stream === "events") {
        report.push(text);
        return take();
      }
      const whole = cutters[stream].push(text);
      if (stream === "stderr") {
        if (stderr.length < mostText) stderr += text.slice(0, mostText);
        return inner.push("stderr", text);
      }
      const last = text.lastIndexOf("\n");
      partial = (last < 0 ? partial + text : text.slice(last + 1)).slice(0, longestName);
      for (const line of whole) readPrinted(line);
      return [...take(), ...begunIn()];
    },
    end(exit) {
      for (const line of cutters.stdout.end()) readPrinted(line);
      const missing = report.end();
      // Without a report the tests that failed have no message.
      for (const test of missing === undefined ? [] : seen.values()) {
        if (test.status === "failed") {
          lines.push({ type: "finished", ...told(test), outcome: { status: "failed" } });
        }
      }
      if (missing === undefined) {
        for (const test of seen.values()) {
          if (test.status !== undefined && test.isInReport !== true && doubts.length < mostDoubts) {
            doubts.push(`${test.name} was printed as ${test.status}, and is not reported`);
          }
        }
        for (const reason of doubts.slice(0, 20)) {
          lines.push({ type: "suite_ended", complete: false, reason });
        }
        lines.push({ type: "end" });
      } else if (seen.size === 0 && exit.code !== 0) {
        const errors = errorsIn(stderr);
        lines.push(...errors, ...(errors.length === 0 ? [] : [{ type: "end" }]));
      }
      return [...take(), ...inner.end(exit)];
    },
  };

  /** A test is known to have begun by a line that has not ended. */
  function begunIn() {
    if (isOutput || errors !== undefined || file === undefined || !/^ *\S.* \.\.\.$/.test(partial)) return [];
    const depth = (/^ */.exec(partial)![0].length) / 2;
    if (depth !== open.length) return [];
    begin(partial.trimStart().slice(0, -4), file);
    return take();
  }
}

const cut = (how: string | undefined) => statuses[how as keyof typeof statuses];

const titleOf = ({ name }: SeenTest, above: SeenTest | undefined): string =>
  above === undefined ? name : name.slice(above.name.length + 3);

const unmarked = (text: string): string => text.replace(/^error: (?:\(in promise\) |Uncaught )*/, "");

/** Message and frames of a failure: before these are the line of code and a mark below it. */
function outcomeOf({ status, durationMs, text, attributes }: JunitCase, file: string): Line {
  const { line, col } = attributes;
  const place = line === undefined ? { file } : { file, line: Number(line), column: Number(col) };
  const known = { status, place, ...(durationMs === undefined ? {} : { durationMs }) };
  if (status !== "failed") return known;
  const all = text.split("\n");
  const isFrame = (one: string) => /^\s+at /.test(one);
  const first = all.findIndex(isFrame);
  const said = first < 0 ? all : all.slice(0, first);
  if (/^\s*\^+$/.test(said.at(-1) ?? "")) said.splice(-2);
  const stack = all.filter((one) => isFrame(one) && !/\b(?:ext|node):/.test(one)).map((one) => one.trim());
  return { ...known, message: said.join("\n").trim(), stack };
}

/** Errors of the type checker, or the one that kept the tests from being loaded. */
function errorsIn(stderr: string): Line[] {
  const checked = [...stderr.matchAll(/^TS\d+ \[ERROR\]: (.+)$([\s\S]*?)^ +at (\S+?):(\d+):(\d+)$/gm)].slice(
    0,
    50,
  );
  if (checked.length > 0) {
    return checked.map(([, message, , file, line, column]) => ({
      type: "not_run",
      message,
      place: { file, line: Number(line), column: Number(column) },
    }));
  }
  const text = /^error: (?!No test modules found)[\s\S]*/m.exec(stderr)?.[0].split("\n\n")[0];
  return text === undefined ? [] : [{ type: "not_run", text: unmarked(text) }];
}
