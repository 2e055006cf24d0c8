/** Limits of one message, measured before it is parsed: no later reader has to fear its depth. */

/** Objects and lists within each other; real messages have a dozen. */
const mostLevels = 500;
/** Members of all objects and lists; a million of them take some 50 MB. */
const mostMembers = 1_000_000;

/** A text shorter than this keeps to the limits whatever it is. */
const surelyFine = mostLevels;

const code = (sign: string): number => sign.charCodeAt(0);
const [quote, comma, backslash] = [code('"'), code(","), code("\\")];
const [openList, closeList, openObject, closeObject] = [code("["), code("]"), code("{"), code("}")];

/** Measures a JSON text that comes in pieces. */
interface JsonGauge {
  /** Takes the next piece. Returns the limit that is exceeded; undefined within the limits, and for text that is no JSON. */
  push(text: string): string | undefined;
}

export function createJsonGauge(): JsonGauge {
  let [level, members] = [0, 0];
  let within = false;
  let escaped = false;

  /** Goes on to the end of a text in quotes: where it ends, or the length of the piece. */
  const skip = (text: string, from: number): number => {
    const start = escaped ? from + 1 : from;
    escaped = false;
    for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
      if (escapesBefore(text, end, start) % 2 > 0) continue;
      within = false;
      return end;
    }
    escaped = escapesBefore(text, text.length, start) % 2 > 0;
    return text.length;
  };

  return {
    push(text) {
      for (let at = within ? skip(text, 0) + 1 : 0; at < text.length; at++) {
        const sign = text.charCodeAt(at);
        if (sign === quote) {
          within = true;
          at = skip(text, at + 1);
        } else if (sign === openList || sign === openObject) {
          if (++level > mostLevels) return `it has over ${mostLevels} nested levels`;
          members++;
        } else if (sign === comma) members++;
        else if (sign === closeList || sign === closeObject) level--;
        if (members > mostMembers) return `it has over ${mostMembers.toLocaleString("en")} members`;
      }
      return undefined;
    },
  };
}

function escapesBefore(text: string, end: number, start: number): number {
  let count = 0;
  while (end - 1 - count >= start && text.charCodeAt(end - 1 - count) === backslash) count++;
  return count;
}

/** Returns the limit that a JSON text exceeds; undefined within the limits, and for text that is no JSON. */
export const jsonExcess = (text: string): string | undefined =>
  text.length <= surelyFine ? undefined : createJsonGauge().push(text);
