/**
 * Writes XState's inspection events as JSON lines (format `pth-recording/1`, docs/recording.md).
 *
 * Line one is a header; each further line is one event: `at` milliseconds since the start, `type` `actor`, `event` or
 * `snapshot`, the actor's session id, and what the type needs. Large values are abridged, secrets are taken out.
 */
import type { InspectionEvent } from "xstate";
import { appendLines, type LineFile } from "../platform/line_file.ts";

/** Values larger than this many characters of JSON are abridged. */
const largest = 4000;

export interface Recording {
  inspect(event: InspectionEvent): void;
  close(): Promise<void>;
}

/** @throws {PthError} `INVALID_INPUT` when the file cannot be written */
export async function openRecording(
  path: string,
  redact: (text: string) => string,
): Promise<Recording> {
  const file: LineFile = await appendLines(path);
  const started = performance.now();
  const write = (line: Record<string, unknown>) =>
    file.write(
      redact(JSON.stringify({ at: Math.round((performance.now() - started) * 1000) / 1000, ...line })),
    );
  file.write(JSON.stringify({ format: "pth-recording/1", startedAt: new Date().toISOString() }));
  return {
    inspect(event) {
      const line = lineOf(event, redact);
      if (line) write(line);
    },
    close: () => file.close(),
  };
}

interface ActorLike {
  sessionId?: string;
  id?: string;
  _parent?: { sessionId?: string };
}

function lineOf(
  event: InspectionEvent,
  redact: (text: string) => string,
): Record<string, unknown> | undefined {
  const actor = (event.actorRef as ActorLike).sessionId;
  if (event.type === "@xstate.actor") {
    const { id, _parent } = event.actorRef as ActorLike;
    return { type: "actor", actor, id, parent: _parent?.sessionId };
  }
  if (event.type === "@xstate.event") {
    const source = (event.sourceRef as ActorLike | undefined)?.sessionId;
    return { type: "event", actor, source, event: abridge(event.event, redact) };
  }
  if (event.type === "@xstate.snapshot") {
    const { value, status, context } = event.snapshot as {
      value?: unknown;
      status?: string;
      context?: unknown;
    };
    if (value === undefined) return undefined;
    return { type: "snapshot", actor, value, status, context: abridge(context, redact) };
  }
  return undefined;
}

const isActor = (value: unknown): value is ActorLike =>
  typeof value === "object" && value !== null && "sessionId" in value && "getSnapshot" in value;

/** Actors become their ids, errors their text, long lists their length. */
function abridge(value: unknown, redact: (text: string) => string): unknown {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key: string, item: unknown) {
    if (item instanceof Error) return { error: item.message };
    // An actor's own toJSON has told its name only by now; what it was stands in its holder.
    const actor = this[key];
    if (isActor(actor)) return { actor: actor.sessionId };
    if (Array.isArray(item) && item.length > 20) return { list: item.length };
    return item;
  });
  if (text === undefined) return undefined;
  // A cut must not go through a secret, and what is quoted once more would not be known as one.
  return text.length <= largest ? JSON.parse(text) : { abridged: redact(text).slice(0, largest) };
}
