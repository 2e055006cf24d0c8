/** Finds the moments of a recording at which something failed. */
import { setImmediate as otherWork } from "node:timers/promises";
import { cutToColumns } from "../../core/columns.ts";
import { plainLine } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import type { EventLine } from "../recording/format.ts";
import type { Answers } from "./answers.ts";
import { expandTruncated } from "./truncated_json.ts";
import { findMachine } from "./active_states.ts";
import { refusedAt } from "./refused_at.ts";
import { nameOf } from "./event_row.ts";
import { eventReason, failedVerdict, isErrorEvent, reportsFailure, typeOf } from "./event_text.ts";
import { summarizeEvent } from "./summarize_event.ts";
import type { ErrorMark } from "./timeline.ts";
import type { TimelineIndex } from "./timeline_index.ts";

/** Lines that are examined, and lines that are read, before other work has its turn. */
const linesAtOnce = 20_000;
const readAtOnce = 500;
/** Milliseconds: the same words within this time are one failure, on its way up. */
const together = 1000;
const textLength = 200;

/** Finds trouble in what came since it was last asked, and answers with all of it, oldest first. */
export function findErrorMarks(index: TimelineIndex, answers: Answers): () => Promise<ErrorMark[]> {
  const found: ErrorMark[] = [];
  const groups = new Map<string, number>();
  let looked = 0;
  /** Commands from outside whose effect was not recorded yet. */
  let undecided: number[] = [];
  let looking: Promise<void> = Promise.resolve();
  const look = async (lines: readonly number[]) => {
    for (let start = 0; start < lines.length; start += readAtOnce) {
      const some = lines.slice(start, start + readAtOnce);
      const read = await index.read(some);
      some.forEach((line, place) => {
        note(index, answers, found, groups, line, expandTruncated((read[place] as EventLine).event));
        if (isCommand(index, line) && answers.snapshotAfter(line) === undefined) undecided.push(line);
      });
    }
  };
  const lookOn = async () => {
    const end = index.length;
    const again = undecided;
    undecided = [];
    await look(again);
    while (looked < end) {
      const to = Math.min(end, looked + linesAtOnce);
      await look(candidates(index, looked, to));
      looked = to;
      if (looked < end) await otherWork();
    }
  };
  return async () => {
    // Two who ask at once must not note the same trouble twice.
    looking = looking.then(lookOn);
    await looking;
    // A command may turn out to be refused after what came later is known.
    return found.toSorted((one, other) => one.position - other.position);
  };
}

/** Events whose type names a failure, verdicts of tests, and commands from outside. */
const candidates = (index: TimelineIndex, from: number, to: number): number[] =>
  index.eventsOfTypes((type) => type !== "xstate.init" && type !== "xstate.promise.resolve", from, to)
    .filter((line) => {
      const type = index.eventType(line);
      return type === "" || reportsFailure(type) || isCommand(index, line) || isVerdict(index, line, type);
    });

/** Whether a test itself reports its verdict; suites forward the same verdict. */
const isVerdict = (index: TimelineIndex, line: number, type: string): boolean =>
  type === "test.finished" && index.source(line)?.machine !== "suite";

const isCommand = (index: TimelineIndex, line: number): boolean =>
  index.source(line) === undefined && !index.eventType(line).startsWith("xstate.");

function note(
  index: TimelineIndex,
  answers: Answers,
  found: ErrorMark[],
  groups: Map<string, number>,
  line: number,
  event: unknown,
): void {
  const text = textOf(index, answers, line, event);
  if (text === undefined) return;
  const at = index.at(line);
  const before = groups.get(text.key);
  // Repeated reports belong to the same error.
  groups.set(text.key, at);
  if (before !== undefined && at - before < together) return;
  const type = index.eventType(line) || typeOf(event);
  const target = index.actorOf(line);
  const source = index.source(line);
  // An event is about its sender; an error of work is about the actor that invoked it.
  const about = source === undefined || type.startsWith("xstate.") ? target : source;
  found.push({
    position: line + 1,
    at,
    actor: nameOf(about),
    text: cutToColumns(plainLine(text.line), textLength),
  });
}

/** Text of a failure, and the key by which repeated reports of it are recognized; undefined for other events. */
function textOf(
  index: TimelineIndex,
  answers: Answers,
  line: number,
  event: unknown,
): { line: string; key: string } | undefined {
  const type = index.eventType(line) || typeOf(event);
  const facts = isObject(event) ? event : {};
  const verdict = failedVerdict(event);
  if (verdict !== undefined) {
    const test = `test ${String(facts["testId"])} failed`;
    const message = typeof verdict["message"] === "string" ? verdict["message"].split("\n")[0] : undefined;
    return { line: join(test, message ?? verdict["category"]), key: test };
  }
  if (isErrorEvent(event)) return failureText(index, line, type, facts);
  return refusalText(index, answers, line, facts);
}

/** Text for a command from outside that no state accepted, so that it gets no answer. Commands without an id expect none. */
function refusalText(
  index: TimelineIndex,
  answers: Answers,
  line: number,
  { requestId }: Record<string, unknown>,
): { line: string; key: string } | undefined {
  const snapshot = answers.snapshotAfter(line);
  if (!isCommand(index, line) || typeof requestId !== "string" || snapshot === undefined) return undefined;
  if (index.taken(snapshot).length > 0) return undefined;
  const actor = index.actorOf(line);
  const machine = findMachine(actor.machine);
  const guards = machine === undefined ? [] : refusedAt(index, answers, machine, snapshot)
    .filter(({ event }) => event !== "").map(({ guard }) => `"${guard}"`);
  const why = guards.length > 0
    ? `${guards.join(" and ")} refused`
    : `no state that ${nameOf(actor).id} was in takes it`;
  return { line: `${index.eventType(line)} had no effect: ${why}`, key: requestId };
}

/** Text of a failure, which is also its key; cancelled work is not a failure. */
function failureText(
  index: TimelineIndex,
  line: number,
  type: string,
  event: Record<string, unknown>,
): { line: string; key: string } | undefined {
  const source = index.source(line);
  const reason = eventReason(event);
  if (reason !== undefined && /\bwas cancelled$/.test(reason)) return undefined;
  const name = type.startsWith("xstate.") ? `${source?.slot ?? source?.id ?? "work"} failed` : type;
  return {
    line: join(name, reason ?? summarizeEvent(event)),
    key: reason ?? `${source?.actor} ${type} ${summarizeEvent(event)}`,
  };
}

const join = (name: string, reason: unknown): string =>
  typeof reason === "string" && reason !== "" ? `${name}: ${reason}` : name;
