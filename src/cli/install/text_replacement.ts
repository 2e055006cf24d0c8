/** A change of a text as one replaced piece, so that it can be taken back without a copy of the text. */

export interface TextReplacement {
  /** Offset of the piece. */
  at: number;
  removed: string;
  inserted: string;
}

export function textReplacement(before: string, after: string): TextReplacement {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at++;
  let end = 0;
  while (end < most - at && before.at(-1 - end) === after.at(-1 - end)) end++;
  return {
    at,
    removed: before.slice(at, before.length - end),
    inserted: after.slice(at, after.length - end),
  };
}

/** The text without the change; undefined where it is not in the text any more, or more than once. */
export function withoutReplacement(
  text: string,
  { at, removed, inserted }: TextReplacement,
): string | undefined {
  if (inserted === "") return undefined;
  let found = at;
  if (!text.startsWith(inserted, at)) {
    found = text.indexOf(inserted);
    if (found < 0 || text.indexOf(inserted, found + 1) >= 0) return undefined;
  }
  return text.slice(0, found) + removed + text.slice(found + inserted.length);
}
