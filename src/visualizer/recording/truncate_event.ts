/** Events and contexts as JSON of a bounded length: where there is too much, large members are cut, each for itself. */
import { isObject } from "../../core/values.ts";
import { jsonText, keyText, type Redact, unreadableMember, unreadableValue } from "./json_text.ts";

/** Of events and contexts of more characters, large members are cut. */
const largest = 4000;
/** Members of more characters, of what is too large. */
const largestMember = 1000;
/** What is larger although its members were cut is cut as a whole. */
const largestOfAll = 4 * largest;

/** A context's members as they were last written: most stay what they are when one changes. */
export type KnownTexts = Map<string, { value: object; text: string }>;

/** The context as JSON; undefined where there is none. */
export function truncateContext(context: unknown, redact: Redact, known: KnownTexts): string | undefined {
  if (!isObject(context)) return jsonText(context, redact, largest);
  try {
    return bounded(Object.keys(context).map((key) => member(key, context[key], redact, known)), "");
  } catch (error) {
    return unreadableValue(error, redact);
  }
}

/** The event as JSON: its type comes first, and is there however large the rest is. */
export function truncateEvent(event: { type: string; [fact: string]: unknown }, redact: Redact): string {
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
