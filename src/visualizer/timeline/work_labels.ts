/** What events tell of an actor for good: what its work is called, and how it went. The few lines that may are parsed when they are indexed. */
import { cutToColumns } from "../../core/columns.ts";
import { plainLine } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { expandTruncated } from "./truncated_json.ts";
import { failedVerdict } from "./event_text.ts";

/** Machines whose actors are numbered, and are about something that has a name. */
const numbered = new Set<string | undefined>(["test", "agent_run", "call"]);
/** Characters. */
export const nameLength = 120;

/** True for the event that tells an actor of this machine what it is about. */
export const isWorkNameEvent = (type: string, machine: string | undefined): boolean =>
  type === "xstate.init" && numbered.has(machine);

/** True for events that hold a verdict: `test.finished`, `agent_run.finished`. */
export const isVerdictEvent = (type: string): boolean => type.endsWith(".finished");

/** The name of the test that is run, or the tool that is called; undefined where the event tells none. */
export function workName(event: unknown): string | undefined {
  const input = member(expandTruncated(event), "input");
  const test = member(member(input, "planned"), "test");
  const name = [member(test, "name"), member(test, "id"), member(input, "tool")]
    .find((one) => typeof one === "string" && one !== "");
  return typeof name === "string" ? cutToColumns(plainLine(name), nameLength) : undefined;
}

/** The verdict that it tells of is a failure. */
export const isFailedVerdict = (event: unknown): boolean =>
  failedVerdict(expandTruncated(event)) !== undefined;

const member = (value: unknown, key: string): unknown => isObject(value) ? value[key] : undefined;
