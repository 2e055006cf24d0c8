/** Reads Maven's tests: events of JUnit's platform as they come, and Surefire's reports of tests that run without it. */
import { relative } from "node:path/posix";
import type { ProjectTestEvent } from "../../../machines/model/project_test.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import type { EventReader, TestProject } from "../framework.ts";
import { javaFailure, type JavaSources } from "./java_failure.ts";
import { createJunitReport, type JunitCase, type JunitReport } from "./junit_report.ts";
import { createLineCutter } from "./line_cutter.ts";
import { reportedEvents } from "./reported_events.ts";

type Line = Record<string, unknown>;

export interface MavenReaderOptions {
  sources: JavaSources;
  /** True for tests that are left away. */
  drops(name: string): boolean;
}

/** Crashed classes that are reported. */
const mostCrashed = 100;
const summary = /^\[(?:INFO|WARNING|ERROR)\] Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: \d+\s*$/;

export function createMavenReader(
  project: TestProject,
  { sources, drops }: MavenReaderOptions,
): EventReader {
  const inner = reportedEvents(project, { drops });
  /** Plans of JUnit's platform that have not ended. */
  const plans = new Set<unknown>();
  const crashed = new Set<string>();
  const stdout = createLineCutter();
  let report: { read: JunitReport; decoder: TextDecoder; lines: Line[] } | undefined;
  let isCrash = false;
  let isSummary = false;
  let isOver = false;
  let isHeard = false;
  let cases = 0;
  let counted = 0;
  let told = 0;

  const testOf = (base: unknown, name: string) => {
    const suite = typeof base === "string" ? relative(project.root, base) : "";
    return { name, ...(suite === "" ? {} : { suite }) };
  };
  const outcomeOf = (outcome: Line): Line =>
    typeof outcome.trace === "string" ? { ...outcome, ...failureOf(outcome.status, outcome.trace) } : outcome;
  const failureOf = (status: unknown, trace: string) => {
    const { message = "", stack = [] } = javaFailure(trace, sources);
    // An assumption that does not hold is no failure, and its place says nothing.
    return status === "skipped" ? { message: message.split("\n")[0] } : { message, stack };
  };

  const ofCase = (base: string, { className, name, status, text, output, durationMs }: JunitCase): Line[] => {
    const test = testOf(base, name === "" || name === className ? className : `${className}#${name}`);
    const id = `report ${++cases}`;
    const said = status === "failed" ? failureOf(status, text) : text === "" ? {} : { message: text };
    return [
      { type: "started", id, test },
      ...(output === "" ? [] : [{ type: "output", id, text: output }]),
      { type: "finished", id, test, outcome: { status, durationMs, ...said } },
    ];
  };

  function readReport({ type, base: encoded, data }: Line): Line[] {
    const base = decoded(encoded);
    if (report === undefined) {
      const lines: Line[] = [];
      const read = createJunitReport((found) => void lines.push(...ofCase(base, found)));
      report = { read, decoder: new TextDecoder(), lines };
    }
    if (typeof data === "string") report.read.push(report.decoder.decode(bytesOf(data), { stream: true }));
    const lines = report.lines.splice(0);
    if (type === "report") return lines;
    const problem = report.read.end();
    report = undefined;
    return problem === undefined ? lines : [...lines, {
      type: "suite_ended",
      complete: false,
      reason: `A report of Surefire is not whole: ${problem}`,
    }];
  }

  function linesOf(line: Line): Line[] {
    switch (line.type) {
      case "plan":
        isHeard = true;
        plans.add(line.id);
        return [];
      case "plan_ended":
        plans.delete(line.id);
        return [];
      case "report":
      case "report_ended":
        return readReport(line);
      case "started":
        return [{ ...line, test: testOf(line.base, nameOf(line)) }];
      case "finished":
        return [{
          ...line,
          test: testOf(line.base, nameOf(line)),
          ...(isObject(line.outcome) ? { outcome: outcomeOf(line.outcome) } : {}),
        }];
      case "end":
        isOver = true; // told once the counts of the other stream are there
        return [];
      default:
        return [line];
    }
  }

  function lastLines({ code }: { code: number | null }): Line[] {
    const reasons = [
      ...plans.size === 0 ? [] : ["A Java VM ended before the tests that it was given"],
      ...counted <= told ? [] : [`Surefire counts ${counted} tests, and ${told} were told`],
    ];
    // Where events of the platform come, the test that ran is known.
    const classes = isHeard || code === 0 ? [] : [...crashed];
    return [
      ...classes.map((name) => ({
        type: "not_run",
        message: `The Java VM ended while tests of ${name} ran`,
      })),
      ...reasons.map((reason) => ({ type: "suite_ended", complete: false, reason })),
      ...isOver ? [{ type: "end" }] : [],
    ];
  }

  function tell(line: Line): ProjectTestEvent[] {
    if (line.type === "finished") told++;
    return inner.push("events", JSON.stringify(line));
  }

  /** Maven's own words at the end of each of its test runs. A test that prints such lines leaves its run in doubt. */
  function readLine(line: string): void {
    if (isSummary) counted += Number(summary.exec(line)?.[1] ?? 0);
    if (/^\[INFO\] Results:$/.test(line)) isSummary = true;
    else if (summary.test(line)) isSummary = false;
    const name = /^\[ERROR\] ([\w$.]+)$/.exec(line)?.[1];
    if (isCrash && name !== undefined && crashed.size < mostCrashed) crashed.add(name);
    isCrash = /^\[ERROR\] Crashed tests:$/.test(line) || isCrash && name !== undefined;
  }

  return {
    push(stream, text) {
      if (stream !== "events") {
        if (stream === "stdout") stdout.push(text).forEach(readLine);
        return inner.push(stream, text);
      }
      return text.split("\n").flatMap((one) => {
        const line = jsonIn(one);
        return isObject(line) ? linesOf(line).flatMap(tell) : inner.push("events", one);
      });
    },
    end(exit) {
      stdout.end().forEach(readLine);
      return [...lastLines(exit).flatMap(tell), ...inner.end(exit)];
    },
  };
}

/** Name as Surefire takes it: `demo.SumTest#adds`, with the numbers of parameters; other engines' as they show it. */
function nameOf({ code, unique, title }: Line): string {
  const shown = String(title);
  if (typeof code !== "string" || code === "") return shown;
  const numbers = [...String(unique).matchAll(/:#(\d+)\]/g)].map(([, number]) => `[${number}]`).join("");
  if (code.includes("#")) return code + numbers;
  return code.endsWith(shown) ? code : `${code} > ${shown}`;
}

const bytesOf = (base64: string) => Uint8Array.from(Buffer.from(base64, "base64"));
const decoded = (base64: unknown) =>
  typeof base64 === "string" ? new TextDecoder().decode(bytesOf(base64)) : "";
