/** Long names, short enough to read at a glance. What they are in full stands in titles. */
import type { ActorName, ActorRow, EventRow } from "../timeline/timeline.ts";
import type { StateValue } from "../recording/format.ts";

/** `plugins/notes` is `notes`; what is no path stays. */
export const lastPart = (path: string): string => path.split("/").findLast((part) => part !== "") ?? path;

/** `0.session.preparing`, which invoked work has for an id, is `session.preparing`. */
export const shortId = (id: string): string => id.replace(/^\d+\.(?=.)/, "");

/** Shortens a name to so many letters and keeps its end: `connection-12` becomes `conn…n-12`. */
export function fittedName(name: string, letters: number): string {
  if (name.length <= letters) return name;
  const end = Math.floor((letters - 1) / 2);
  return `${name.slice(0, letters - 1 - end)}…${name.slice(name.length - end)}`;
}

/** XState names what a state invokes after the state: `0.connection.connecting`. */
export const isWork = ({ id }: ActorName): boolean => /^\d+\./.test(id);

/** Short names of sender and receiver. Work is only called "work": the event's type has its name. */
export const endsOf = (
  { source, target }: Pick<EventRow, "source" | "target">,
): { from: string; to: string } => ({
  from: source === undefined ? "outside" : isWork(source) ? "work" : source.id,
  to: shortId(target.id),
});

/** `xstate.done.actor.0.session.preparing` is `done: session.preparing`; a machine's own types stay as they are. */
export function shortType(type: string): string {
  const [, kind, rest] = /^xstate\.(done|error)\.(?:actor|state)\.(.+)$/.exec(type) ?? [];
  if (rest !== undefined) return `${kind === "done" ? "done" : "failed"}: ${shortId(rest)}`;
  const [, delay, state] = /^xstate\.after\.([^.]+)\.(.+)$/.exec(type) ?? [];
  if (delay !== undefined) return `after ${/^\d+$/.test(delay) ? `${delay} ms` : delay}: ${state}`;
  return type;
}

/** The innermost states, each with its way from the machine's root. */
export function leafStates(value: StateValue | undefined, way = ""): string[] {
  if (value === undefined) return [];
  if (typeof value === "string") return [way + value];
  const parts = Object.entries(value);
  if (parts.length === 0) return way === "" ? [] : [way.slice(0, -1)];
  return parts.flatMap(([key, part]) => leafStates(part, `${way}${key}.`));
}

/** `open.environment.ready, open.plugin.absent +6`. */
export function stateText(value: StateValue | undefined, most = Infinity): string {
  const all = leafStates(value);
  const rest = all.length - most;
  return all.slice(0, most).join(", ") + (rest > 0 ? ` +${rest}` : "");
}

/** Health in one word: `failed` instead of `failing` for an actor that has ended. */
export const healthText = ({ health, endedAt }: Pick<ActorRow, "health" | "endedAt">): string =>
  health === "failing" && endedAt !== undefined ? "failed" : health;

const two = (number: number): string => String(number).padStart(2, "0");

const three = (number: number): string => String(number).padStart(3, "0");

/** Formats a duration in milliseconds: `0.4 ms`, `12 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`. */
export function durationText(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 10) / 10} ms`;
  // What would be rounded up to the next unit is shown in that unit.
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** When, from the recording's start: `0:03.214`, `1:02:03.214`. */
export function sinceStart(ms: number): string {
  const whole = Math.max(0, Math.floor(ms));
  const minutes = Math.floor(whole / 60_000);
  const rest = `${two(Math.floor(whole / 1000) % 60)}.${three(whole % 1000)}`;
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

/** Local time of day: `14:03:22.123`. */
export function onClock(startedAt: string, ms: number): string {
  const at = new Date(Date.parse(startedAt) + ms);
  if (Number.isNaN(at.getTime())) return sinceStart(ms);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${
    three(at.getMilliseconds())
  }`;
}

/** `12,345`, in every language alike. */
export const groupedDigits = (number: number): string => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
