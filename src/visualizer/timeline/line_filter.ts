/** Filters events by the index alone; `filtered_lines.ts` searches for text. */
import { lineKinds } from "./line_columns.ts";
import type { RecordingIndex } from "./recording_index.ts";
import type { EventFilter } from "./timeline.ts";
import type { IndexedActor } from "./timeline_index.ts";

/** XState's own events that are shown by default: timers, results and errors. */
const telling = /^xstate\.(?:after|done|error)\./;

/** True for what is shown without being asked for. */
export const isShownByDefault = (type: string): boolean => !type.startsWith("xstate.") || telling.test(type);

/** True for event lines that fit, but for the text. */
export function createLineFilter(index: RecordingIndex, filter: EventFilter): (line: number) => boolean {
  const { columns } = index;
  const typeFits = remembered((number) => fitsType(filter, index.typeNames.text(number)));
  const actorFits = actorTest(index, filter);
  const { since = -Infinity, until = Infinity } = filter;
  return (line) => {
    if (columns.kinds[line] !== lineKinds.event || !typeFits(columns.seconds[line]!)) return false;
    const at = columns.times[line]!;
    if (at < since || at > until) return false;
    if (actorFits === undefined || actorFits(columns.actors[line]!)) return true;
    const source = columns.firsts[line]!;
    return source !== -1 && actorFits(source);
  };
}

function fitsType({ type = "", internal = false }: EventFilter, name: string): boolean {
  if (!internal && !isShownByDefault(name)) return false;
  const lower = name.toLowerCase();
  const parts = type.toLowerCase().split(/[\s,]+/).filter((part) => part !== "" && part !== "-");
  const wanted = parts.filter((part) => !part.startsWith("-"));
  const unwanted = parts.filter((part) => part.startsWith("-")).map((part) => part.slice(1));
  return (wanted.length === 0 || wanted.some((part) => lower.includes(part))) &&
    !unwanted.some((part) => lower.includes(part));
}

/** Undefined where any actor will do. */
function actorTest(
  index: RecordingIndex,
  { actors, descendants = false }: EventFilter,
): ((number: number) => boolean) | undefined {
  if (actors === undefined) return undefined;
  const names = new Set(actors);
  const fits = (actor: IndexedActor | undefined): boolean =>
    actor !== undefined && (names.has(actor.actor) || (descendants && fits(actor.parent)));
  return remembered((number) => fits(index.actors[number]));
}

/** Asks once for each number, and remembers what was said. */
function remembered(ask: (number: number) => boolean): (number: number) => boolean {
  const answers: boolean[] = [];
  return (number) => answers[number] ??= ask(number);
}
