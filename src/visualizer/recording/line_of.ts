/** An entry as a line of a recording: `at`, `type` and `actor` come first, without blanks. */
import { type AnyActorRef, StateMachine } from "xstate";
import { errorMessage } from "../../core/errors.ts";
import {
  type ActorEntry,
  type EventEntry,
  idOfTransition,
  type RecordingEntry,
  type SnapshotEntry,
} from "./recording_entry.ts";
import { jsonText, keyText, type Redact, unreadableMember, unreadableValue } from "./json_text.ts";
import { isObject } from "../../core/values.ts";

/** Characters of an event or context beyond which its large members are cut. */
const largest = 4000;

/** Members of more characters, of what is too large. */
const largestMember = 1000;

/** Characters beyond which an event or context is cut as a whole, although its members were cut. */
const largestOfAll = 4 * largest;

/** A context's members as they were last written: most stay what they are when one changes. */
type KnownTexts = Map<string, { value: object; text: string }>;

/** The context as JSON; undefined where there is none. */
function truncateContext(context: unknown, redact: Redact, known: KnownTexts): string | undefined {
  if (!isObject(context)) return jsonText(context, redact, largest);
  try {
    return bounded(Object.keys(context).map((key) => member(key, context[key], redact, known)), "");
  } catch (error) {
    return unreadableValue(error, redact);
  }
}

/** The event as JSON: its type comes first, and is there however large the rest is. */
function truncateEvent(event: { type: string; [fact: string]: unknown }, redact: Redact): string {
  const type = member("type", event.type, redact);
  const begin = `${type.key}${type.text},`;
  try {
    const facts = Object.keys(event).filter((key) => key !== "type");
    return bounded([type, ...facts.map((key) => member(key, event[key], redact))], begin);
  } catch (error) {
    return `{${begin}${unreadableMember(error, redact)}}`;
  }
}

interface Member {
  key: string;
  /** Empty where JSON has nothing for it. */
  text: string;
}

function member(key: string, value: unknown, redact: Redact, known?: KnownTexts): Member {
  const quoted = keyText(key, redact);
  if (known === undefined || typeof value !== "object" || value === null) {
    return { key: quoted, text: jsonText(value, redact, largest) ?? "" };
  }
  const before = known.get(key);
  // A value may have become secret meanwhile.
  if (before?.value === value && redact(before.text) === before.text) {
    return { key: quoted, text: before.text };
  }
  const text = jsonText(value, redact, largest) ?? "";
  known.set(key, { value, text });
  return { key: quoted, text };
}

/** @param type The member that stays when all others are cut away, with a comma. */
function bounded(members: readonly Member[], type: string): string {
  const whole = joined(members);
  if (whole.length <= largest) return whole;
  const cut = joined(
    members.map(({ key, text }) => ({
      key,
      text: text.length <= largestMember ? text : abridged(text, largestMember),
    })),
  );
  return cut.length <= largestOfAll ? cut : `{${type}"abridged":${JSON.stringify(whole.slice(0, largest))}}`;
}

const abridged = (text: string, length: number): string =>
  `{"abridged":${JSON.stringify(text.slice(0, length))}}`;

function joined(members: readonly Member[]): string {
  let text = "";
  for (const member of members) {
    if (member.text !== "") text += (text === "" ? "{" : ",") + member.key + member.text;
  }
  return text === "" ? "{}" : `${text}}`;
}

export interface EncodedLine {
  /** Ends with a newline. */
  text: string;
  /** Actor that the line is about; absent for the header. */
  actor?: string;
  /** Whether it holds a context, which compaction may remove. */
  context?: boolean;
  /** Whether it is the actor's last line. */
  last?: boolean;
}

/** @param whole Write the context also where it is as before. */
export function lineOf(entry: RecordingEntry, redact: Redact, whole = false): EncodedLine {
  const head = `{"at":${timestampMs(entry.at)},"type":"${entry.type}","actor":"${entry.actor.sessionId}"`;
  if (entry.type === "snapshot") return snapshotLine(head, entry, redact, whole);
  const facts = entry.type === "actor" ? actorFacts(entry, redact) : eventFacts(entry, redact);
  return { text: `${head}${facts}}\n`, actor: entry.actor.sessionId };
}

/** Time with up to three decimals, as recordings have it. */
export const timestampMs = (at: number): number => Math.round(at * 1000) / 1000;

/** The machine that an actor runs; undefined for work. */
const machineOf = (actor: AnyActorRef): { id: string } | undefined => {
  const { logic } = actor as { logic?: unknown };
  return logic instanceof StateMachine ? logic : undefined;
};

function actorFacts({ actor }: ActorEntry, redact: Redact): string {
  const machine = machineOf(actor);
  const { src, _parent } = actor as { src?: unknown; _parent?: AnyActorRef };
  return textMember("id", redact(actor.id)) +
    textMember("parent", _parent?.sessionId) +
    textMember("machine", machine?.id) +
    (machine === undefined && typeof src === "string" ? textMember("slot", src) : "");
}

const eventFacts = ({ source, event }: EventEntry, redact: Redact): string =>
  `${textMember("source", source?.sessionId)},"event":${truncateEvent(event, redact)}`;

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
    textMember("status", status) +
    (taken.length === 0 ? "" : `,"taken":${JSON.stringify(taken.map(idOfTransition))}`) +
    (status === "error" ? textMember("error", redact(errorMessage(error))) : "");
  const known = changed || whole ? truncateContext(context, redact, knownTexts(entry.actor)) : undefined;
  const text = known === undefined ? `${facts}}\n` : `${facts},"context":${known}}\n`;
  return { text, actor: entry.actor.sessionId, context: known !== undefined, last: status !== "active" };
}

/** Texts of the contexts written last, for as long as their actors live. */
const texts = new WeakMap<AnyActorRef, KnownTexts>();

function knownTexts(actor: AnyActorRef): KnownTexts {
  let known = texts.get(actor);
  if (known === undefined) texts.set(actor, known = new Map());
  return known;
}

const textMember = (name: string, text: string | undefined): string =>
  text === undefined ? "" : `,"${name}":${JSON.stringify(text)}`;
