/** An event as it was typed: its type, and its facts as JSON. */

export type ReadEvent =
  | { event: { type: string; [fact: string]: unknown } }
  /** What is wrong, for who typed it. */
  | { wrong: string; field: "type" | "facts" };

export function readEvent(type: string, facts: string): ReadEvent {
  const name = type.trim();
  if (name === "") return { wrong: "Choose or type the event's type.", field: "type" };
  if (/\s/.test(name)) return { wrong: "A type has no blanks.", field: "type" };
  if (name.startsWith("xstate.")) {
    return { wrong: "XState sends its own events itself; choose one of the machine's.", field: "type" };
  }
  if (facts.trim() === "") return { event: { type: name } };
  let read: unknown;
  try {
    read = JSON.parse(facts);
  } catch (error) {
    return { wrong: `This is not JSON: ${(error as Error).message}`, field: "facts" };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    return { wrong: 'Facts are an object: { "name": value }.', field: "facts" };
  }
  if ("type" in read) return { wrong: "The type stands above, not among the facts.", field: "facts" };
  return { event: { ...read, type: name } };
}
