/** An entry as a line of a recording: `at`, `type` and `actor` come first, without blanks. */
import { type AnyActorRef, StateMachine } from "xstate";
import { errorMessage } from "../../core/errors.ts";
import { type KnownTexts, truncateContext, truncateEvent } from "./truncate_event.ts";
import type { ActorEntry, EventEntry, RecordingEntry, SnapshotEntry } from "./recording_entry.ts";
import type { Redact } from "./json_text.ts";
import { idOfTransition } from "./id_of_transition.ts";

export interface EncodedLine {
  /** Ends with a newline. */
  text: string;
  /** Whom it is about; absent for the header. */
  actor?: string;
  /** It tells what the actor knows, which may be dropped later. */
  context?: boolean;
  /** It is the actor's last. */
  last?: boolean;
}

/** @param whole Write the context also where it is as before. */
export function lineOf(entry: RecordingEntry, redact: Redact, whole = false): EncodedLine {
  const head = `{"at":${timestampMs(entry.at)},"type":"${entry.type}","actor":"${entry.actor.sessionId}"`;
  if (entry.type === "snapshot") return snapshotLine(head, entry, redact, whole);
  const facts = entry.type === "actor" ? actorFacts(entry, redact) : eventFacts(entry, redact);
  return { text: `${head}${facts}}\n`, actor: entry.actor.sessionId };
}

/** As times stand in a recording, with up to three decimals. */
export const timestampMs = (at: number): number => Math.round(at * 1000) / 1000;

/** The machine that an actor runs; undefined for work. */
const machineOf = (actor: AnyActorRef): { id: string } | undefined => {
  const { logic } = actor as { logic?: unknown };
  return logic instanceof StateMachine ? logic : undefined;
};

function actorFacts({ actor }: ActorEntry, redact: Redact): string {
  const machine = machineOf(actor);
  const { src, _parent } = actor as { src?: unknown; _parent?: AnyActorRef };
  return member("id", redact(actor.id)) +
    member("parent", _parent?.sessionId) +
    member("machine", machine?.id) +
    (machine === undefined && typeof src === "string" ? member("slot", src) : "");
}

const eventFacts = ({ source, event }: EventEntry, redact: Redact): string =>
  `${member("source", source?.sessionId)},"event":${truncateEvent(event, redact)}`;

function snapshotLine(
  head: string,
  entry: SnapshotEntry,
  redact: Redact,
  whole: boolean,
): EncodedLine {
  const { snapshot, taken, changed } = entry;
  const { value, status, error, context } = snapshot;
  const facts = head +
    (value === undefined ? "" : `,"value":${JSON.stringify(value)}`) +
    member("status", status) +
    (taken.length === 0 ? "" : `,"taken":${JSON.stringify(taken.map(idOfTransition))}`) +
    (status === "error" ? member("error", redact(errorMessage(error))) : "");
  const known = changed || whole ? truncateContext(context, redact, knownTexts(entry.actor)) : undefined;
  const text = known === undefined ? `${facts}}\n` : `${facts},"context":${known}}\n`;
  return { text, actor: entry.actor.sessionId, context: known !== undefined, last: status !== "active" };
}

/** Of actors that were written lately, as long as they live. */
const texts = new WeakMap<AnyActorRef, KnownTexts>();

function knownTexts(actor: AnyActorRef): KnownTexts {
  let known = texts.get(actor);
  if (known === undefined) texts.set(actor, known = new Map());
  return known;
}

const member = (name: string, text: string | undefined): string =>
  text === undefined ? "" : `,"${name}":${JSON.stringify(text)}`;
