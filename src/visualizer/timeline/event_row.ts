/** Events as rows of a list. */
import { type EventLine, recordingFormat } from "../recording/format.ts";
import type { Answers } from "./answers.ts";
import { expandTruncated } from "./truncated_json.ts";
import { isErrorEvent, typeOf } from "./event_text.ts";
import { summarizeEvent } from "./summarize_event.ts";
import type { ActorName, EventRow } from "./timeline.ts";
import { countBefore, type IndexedActor, type TimelineIndex } from "./timeline_index.ts";

/** The rows of these event lines, in their order. */
export async function eventRows(
  index: TimelineIndex,
  answers: Answers,
  lines: readonly number[],
): Promise<EventRow[]> {
  const read = await index.read(lines);
  return lines.map((line, place) => eventRow(index, answers, line, (read[place] as EventLine).event));
}

export function eventRow(index: TimelineIndex, answers: Answers, line: number, recorded: unknown): EventRow {
  const event = expandTruncated(recorded);
  const source = index.source(line);
  const snapshot = answers.snapshotAfter(line);
  return {
    position: line + 1,
    settled: settledAfter(index, answers, line, snapshot),
    at: index.at(line),
    ...(source === undefined ? {} : { source: nameOf(source) }),
    target: nameOf(index.actorOf(line)),
    type: index.eventType(line) || typeOf(event),
    gist: summarizeEvent(event),
    trouble: isErrorEvent(event),
    ignored: isIgnored(index, line, snapshot),
  };
}

/** Position at which sender and receiver have both reported their new snapshots. */
function settledAfter(
  index: TimelineIndex,
  answers: Answers,
  line: number,
  heard: number | undefined,
): number {
  const sender = index.source(line);
  const sent = sender?.snapshots[countBefore(sender.snapshots, line)];
  const began = sent === undefined ? undefined : answers.eventBefore(sent);
  const step = sent !== undefined && began !== undefined && began < line ? sent : line;
  return Math.max(line, step, heard ?? line) + 1;
}

/**
 * Heard, done with, and nothing came of it. Entering the first state is no transition, but something. Recordings before
 * format 2 do not tell what was taken.
 */
const isIgnored = (index: TimelineIndex, line: number, snapshot: number | undefined): boolean =>
  snapshot !== undefined && index.taken(snapshot).length === 0 &&
  index.eventType(line) !== "xstate.init" && index.header.format === recordingFormat;

/** The first actor has no parent to name it: it is called as its machine. */
export const nameOf = ({ actor, id, machine }: IndexedActor): ActorName => ({
  actor,
  id: id === actor ? machine ?? id : id,
});
