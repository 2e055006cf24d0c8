/** Long names, short enough to read at a glance. What they are in full stands in titles. */
import type { ActorName, EventRow } from "../../timeline/timeline.ts";

/** `plugins/notes` is `notes`; what is no path stays. */
export const lastPart = (path: string): string => path.split("/").findLast((part) => part !== "") ?? path;

/** `0.session.preparing`, which invoked work has for an id, is `session.preparing`. */
export const shortId = (id: string): string => id.replace(/^\d+\.(?=.)/, "");

/** So many letters of a name, its end among them: `connection-12` is `conn…n-12`. */
export function fittedName(name: string, letters: number): string {
  if (name.length <= letters) return name;
  const end = Math.floor((letters - 1) / 2);
  return `${name.slice(0, letters - 1 - end)}…${name.slice(name.length - end)}`;
}

/** XState names what a state invokes after the state: `0.connection.connecting`. */
export const isWork = ({ id }: ActorName): boolean => /^\d+\./.test(id);

/** Who told whom. Which work it was that ended is in the event's type already. */
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
