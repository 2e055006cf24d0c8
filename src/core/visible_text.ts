/** Signs that cannot be seen, or turn around what stands beside them, written as escapes (`\\u202E`). */

/**
 * Controls of direction, blanks without width and the like: by them a text reads otherwise than it is. Joiners are left alone,
 * which scripts and emoji need.
 */
const hidden =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
// deno-lint-ignore no-control-regex -- control characters are what this is about
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Writes a character as JSON and most languages do; one outside of the first plane as two. */
const escape = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0")}`,
  ).join("");

/** The text with hidden signs as escapes; control characters stay. Within JSON the escapes mean the same signs. */
export const escapeHidden = (text: string): string => text.replace(hidden, escape);

/** The text with hidden signs and control characters as escapes; line feeds and tabs stay. */
export const visibleText = (text: string): string =>
  escapeHidden(text.replaceAll("\r\n", "\n")).replace(control, escape);

/** A name as it is shown: visible, and cut where it is longer than any name in its senses. */
export const visibleName = (name: string, most = 120): string =>
  visibleText(name.length <= most ? name : `${name.slice(0, most)}…`);
