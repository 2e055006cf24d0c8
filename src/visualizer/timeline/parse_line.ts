/** The long way from a line to the index: for lines whose members stand in another order, or have escapes, or are none. */
import { Buffer } from "node:buffer";
import { isObject } from "../../core/values.ts";
import { actorStatuses, type RecordingLine } from "../recording/format.ts";
import type { StringInterner } from "./string_interner.ts";
import { failedVerdict, typeOf } from "./event_text.ts";
import type { LinePlace } from "./line_columns.ts";
import type { RecordingIndex } from "./recording_index.ts";
import { cutToColumns } from "../../core/columns.ts";
import { plainLine } from "../../core/text.ts";
import { expandTruncated } from "./truncated_json.ts";

/** `kept`: it is in the index now; `unknown`: of a kind that this version does not know; `broken`: no line of a recording. */
export type ScanResult = "kept" | "unknown" | "broken";

const kinds = new Set<string>(["actor", "event", "snapshot"] satisfies RecordingLine["type"][]);
const statuses = new Set<unknown>(actorStatuses);

/** @param offset where the line begins in the file @throws {SyntaxError} for what is no JSON */
export function parseLine(
  index: RecordingIndex,
  bytes: Uint8Array,
  start: number,
  end: number,
  offset: number,
): ScanResult {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
  const line: unknown = JSON.parse(text);
  if (!isObject(line)) return "broken";
  if (typeof line["type"] === "string" && !kinds.has(line["type"])) return "unknown";
  if (!Number.isFinite(line["at"]) || typeof line["actor"] !== "string") return "broken";
  const { at } = line as unknown as RecordingLine;
  return keep(index, line as unknown as RecordingLine, { offset, size: end - start, at });
}

function keep(index: RecordingIndex, line: RecordingLine, place: LinePlace): ScanResult {
  const actor = numberOf(index.actorNames, line.actor);
  if (line.type === "actor") {
    const { id, parent, machine, slot } = line;
    const word = (text: unknown) => typeof text === "string" ? numberOf(index.words, text) : -1;
    index.addActor(place, {
      name: actor,
      id: word(id),
      parent: typeof parent === "string" ? numberOf(index.actorNames, parent) : -1,
      machine: word(machine),
      slot: word(slot),
    });
    return "kept";
  }
  if (line.type === "event") {
    if (!isObject(line.event)) return "broken";
    const source = typeof line.source === "string" ? numberOf(index.actorNames, line.source) : -1;
    const type = typeOf(line.event);
    const failed = isVerdictEvent(type) && isFailedVerdict(line.event);
    index.addEvent(place, { actor, source, type: numberOf(index.typeNames, type), failed });
    const name = isWorkNameEvent(type, index.machineOf(actor)) ? workName(line.event) : undefined;
    if (name !== undefined) index.nameWork(actor, numberOf(index.words, name));
    return "kept";
  }
  if (!statuses.has(line.status)) return "broken";
  const value = line.value === undefined ? -1 : index.valueOf(...jsonOf(line.value));
  const taken = Array.isArray(line.taken) ? index.takenOf(...jsonOf(line.taken)) : -1;
  const context = line.thinned ? "thinned" : line.context === undefined ? "same" : "written";
  index.addSnapshot(place, { actor, value, taken, status: line.status, context });
  return "kept";
}

function numberOf(names: StringInterner, text: string): number {
  const bytes = Buffer.from(text);
  return names.of(bytes, 0, bytes.length);
}

function jsonOf(value: unknown): [Uint8Array, number, number] {
  const bytes = Buffer.from(JSON.stringify(value));
  return [bytes, 0, bytes.length];
}

/** Machines whose actors are numbered, and are about something that has a name. */
const numbered = new Set<string | undefined>(["test", "agent_run", "call"]);

/** Characters. */
export const nameLength = 120;

/** True for the event whose input names the work of an actor of this machine. */
export const isWorkNameEvent = (type: string, machine: string | undefined): boolean =>
  type === "xstate.init" && numbered.has(machine);

/** True for events that hold a verdict: `test.finished`, `agent_run.finished`. */
export const isVerdictEvent = (type: string): boolean => type.endsWith(".finished");

/** The name of the test that is run, or the tool that is called; undefined if the event has none. */
function workName(event: unknown): string | undefined {
  const input = member(expandTruncated(event), "input");
  const test = member(member(input, "planned"), "test");
  const name = [member(test, "name"), member(test, "id"), member(input, "tool")]
    .find((one) => typeof one === "string" && one !== "");
  return typeof name === "string" ? cutToColumns(plainLine(name), nameLength) : undefined;
}

/** Whether the event has a verdict that is a failure. */
const isFailedVerdict = (event: unknown): boolean => failedVerdict(expandTruncated(event)) !== undefined;

const member = (value: unknown, key: string): unknown => isObject(value) ? value[key] : undefined;
