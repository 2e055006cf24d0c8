/** Events of reporters: programs of PTH's own that run within a test framework and append JSON lines to the events file. */
import type {
  ProjectTestEvent,
  ProjectTestOutcome,
  TestLocation,
  TestName,
} from "../../../machines/model/project_test.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import type { EventReader, TestProject } from "../framework.ts";
import { createLineCutter, cutMiddle } from "./line_cutter.ts";
import { isOwnPath, ownPlace, pathWithin, placeInText } from "../stack_frames.ts";

/** Variable of the commands that names the events file. */
export const eventsVariable = "PTH_TEST_EVENTS";
/** With more tests than that, the run is not complete. */
const mostTests = 100_000;

export interface ReporterOptions {
  /** True for tests that are left away: those that a framework runs beside the one that was asked for. */
  drops?(name: string): boolean;
  /** Turns what only that reporter says into what all say. Undefined: nothing comes of it. */
  translate?(line: Record<string, unknown>): Record<string, unknown> | undefined;
}

/**
 * Reads lines as reporters write them. Each is a `ProjectTestEvent` with absolute paths, and in addition:
 * `id` tells tests of the same name apart from each other, `{ type: "end" }` is the last one, and `not_run` may have a
 * `text` instead of place and message. What the process prints belongs to no test.
 */
export function reportedEvents({ root }: TestProject, options: ReporterOptions = {}): EventReader {
  const names = numberedNames();
  const open = new Map<unknown, TestName>();
  let ended = false;
  let tooMany = false;
  let incomplete = false;
  let planned = 0;
  let finished = 0;

  const testOf = (line: Record<string, unknown>): TestName | undefined => {
    const known = line.id === undefined ? undefined : open.get(line.id);
    if (known !== undefined) return known;
    if (!isObject(line.test) || typeof line.test.name !== "string") return undefined;
    const suite = typeof line.test.suite === "string" ? pathWithin(line.test.suite, root) : undefined;
    const test = names.next({ name: line.test.name, ...(suite === undefined ? {} : { suite }) });
    tooMany ||= test === undefined;
    return test;
  };

  function eventsOf(line: Record<string, unknown>): ProjectTestEvent[] | undefined {
    if (isObject(line.test) && options.drops?.(String(line.test.name)) === true) return [];
    const suite = typeof line.suite === "string" ? { suite: pathWithin(line.suite, root) } : {};
    switch (line.type) {
      case "planned":
        if (isCount(line.tests)) planned += line.tests;
        return [{ type: "planned", ...suite, ...(isCount(line.tests) ? { tests: line.tests } : {}) }];
      case "started": {
        if (open.has(line.id)) return undefined;
        const test = testOf(line);
        if (test === undefined) return tooMany ? [] : undefined;
        open.set(line.id, test);
        return [{ type: "started", test }];
      }
      case "output": {
        const test = open.get(line.id);
        if (typeof line.text !== "string") return undefined;
        return [{ type: "output", ...(test === undefined ? {} : { test }), text: cutMiddle(line.text) }];
      }
      case "finished": {
        const outcome = outcomeOf(line.outcome, root);
        const test = testOf(line);
        if (test === undefined && tooMany) return [];
        if (test === undefined || outcome === undefined) return undefined;
        finished++;
        const end: ProjectTestEvent = { type: "finished", test, outcome };
        return open.delete(line.id) ? [end] : [{ type: "started", test }, end];
      }
      case "suite_ended": {
        incomplete ||= line.complete !== true;
        const reason = typeof line.reason === "string" ? { reason: cut(line.reason) } : {};
        return [{ type: "suite_ended", ...suite, complete: line.complete === true, ...reason }];
      }
      case "not_run":
        return [{ type: "not_run", ...notRun(line, root) }];
      case "end":
        ended = true;
        return [];
      default:
        return undefined;
    }
  }

  function readLine(text: string): ProjectTestEvent[] {
    if (text === "") return [];
    const line = jsonIn(text);
    if (!isObject(line)) return [{ type: "unreadable", text: text.slice(0, 500) }];
    const translated = options.translate === undefined ? line : options.translate(line);
    const events = translated === undefined ? [] : eventsOf(translated);
    return events ?? [{ type: "unreadable", text: text.slice(0, 500) }];
  }

  const printed = { stdout: createLineCutter(), stderr: createLineCutter() };
  const outputs = (lines: readonly string[]): ProjectTestEvent[] =>
    lines.map((line) => ({ type: "output", text: `${cutMiddle(line)}\n` }));

  return {
    push: (stream, text) =>
      stream === "events" ? text.split("\n").flatMap(readLine) : outputs(printed[stream].push(text)),
    end({ code, signal }) {
      const last = [...outputs(printed.stdout.end()), ...outputs(printed.stderr.end())];
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      const reason = tooMany
        ? `There are more than ${mostTests} tests`
        : !ended
        ? `The test runner ${how} before it said that it was done`
        : open.size > 0
        ? `The test runner ${how}, and ${open.size} tests had begun and not ended`
        : finished < planned
        ? `The test runner ${how} after ${finished} of ${planned} tests`
        : incomplete
        ? "Not all of its parts are complete"
        : undefined;
      return [
        ...last,
        reason === undefined
          ? { type: "suite_ended", complete: true }
          : { type: "suite_ended", complete: false, reason },
      ];
    },
  };
}

/** Numbers those of the same name: `adds`, `adds #2`; undefined once there are too many. */
function numberedNames() {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    next({ name, suite }: TestName): TestName | undefined {
      if (++total > mostTests) return undefined;
      // Half of a character is none that can be written.
      const short = name.slice(0, 2000).replaceAll(/\p{Surrogate}/gu, "\ufffd");
      const key = `${suite ?? ""}\0${short}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return {
        name: count === 1 ? short : `${short} #${count}`,
        ...(suite === undefined ? {} : { suite }),
      };
    },
  };
}

/** Name without the number that tells it from others of the same name. */
export const unnumbered = (name: string): string => name.replace(/ #\d+$/, "");

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && value as number >= 0;
const cut = (text: string) => cutMiddle(text, 16_000);

function outcomeOf(value: unknown, root: string): ProjectTestOutcome | undefined {
  if (!isObject(value)) return undefined;
  const { status, durationMs, message } = value;
  if (status !== "passed" && status !== "failed" && status !== "skipped") return undefined;
  const stack = Array.isArray(value.stack)
    ? value.stack.filter((line) => typeof line === "string").slice(0, 50).map((line) =>
      line.slice(0, 2000).replaceAll(`file://${root}/`, "").replaceAll(`${root}/`, "")
    )
    : [];
  const place = (status === "failed" ? ownPlace(stack, root) : undefined) ?? placeOf(value.place, root);
  return {
    status,
    ...(typeof durationMs === "number" && durationMs >= 0 ? { durationMs } : {}),
    ...(typeof message === "string" && message !== "" ? { message: cut(message) } : {}),
    ...(place === undefined ? {} : { place }),
    ...(stack.length === 0 ? {} : { stack }),
  };
}

function placeOf(value: unknown, root: string): TestLocation | undefined {
  if (!isObject(value) || typeof value.file !== "string") return undefined;
  return {
    file: pathWithin(value.file.slice(0, 4000), root),
    ...(isCount(value.line) && value.line > 0 ? { line: value.line } : {}),
    ...(isCount(value.column) && value.column > 0 ? { column: value.column } : {}),
  };
}

const ownIn = (place: TestLocation | undefined) =>
  place !== undefined && isOwnPath(place.file) ? place : undefined;

function notRun(line: Record<string, unknown>, root: string): { place?: TestLocation; message: string } {
  const text = typeof line.text === "string" ? line.text : "";
  const message = typeof line.message === "string" && line.message !== "" ? line.message : messageIn(text);
  const suite = typeof line.suite === "string" ? { file: pathWithin(line.suite, root) } : undefined;
  const place = placeOf(line.place, root) ?? ownIn(placeInText(text, root)) ?? suite ??
    placeInText(text, root);
  return { ...(place === undefined ? {} : { place }), message: cut(message) };
}

/** The line that names the error, such as `SyntaxError: Unexpected token`, else all of it. */
const messageIn = (text: string): string =>
  /^\s*(?:Uncaught )?((?:\w+\.)*\w*(?:Error|Exception|Failure)\b(?!\()[^\n]*)/m.exec(text)?.[1] ??
    (text.trim() || "It ended before any of its tests, and said nothing");
