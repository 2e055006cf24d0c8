/** Cuts the text of a stream into lines, in bounded memory whatever a test prints. */

export interface LineCutter {
  /** Takes a piece cut anywhere; answers the lines that are whole now, without their ends (LF or CRLF). */
  push(text: string): string[];
  /** The stream is over: answers what is left, if anything. */
  end(): string[];
}

/** In characters: a line that is longer loses its middle. */
export const longestLine: number = 1024 * 1024;
const headLength = longestLine - 128 * 1024;
const tailLength = 64 * 1024;

/** Joins head and tail of a long text at spaces, so that no escape sequence of JSON or XML is cut. */
function joinEnds(head: string, tail: string, length: number): string {
  const cut = head.lastIndexOf(" ");
  const from = tail.indexOf(" ");
  const before = cut > head.length - 4096 ? head.slice(0, cut) : head;
  const after = from >= 0 && from < 4096 ? tail.slice(from) : tail;
  return `${before} … ${length - before.length - after.length} characters left out …${after}`;
}

/** Cuts the middle out of a text of more than `most` characters, and says how much is left out. */
export function cutMiddle(text: string, most: number = 2 * tailLength): string {
  if (text.length <= most) return text;
  return joinEnds(text.slice(0, most / 2), text.slice(-most / 2), text.length);
}

export function createLineCutter(): LineCutter {
  let head = "";
  let tail = "";
  let length = 0;

  const keep = (part: string): void => {
    length += part.length;
    const room = longestLine - head.length;
    if (tail === "" && part.length <= room) {
      head += part;
      return;
    }
    if (tail === "") {
      const all = head + part.slice(0, room);
      head = all.slice(0, headLength);
      tail = all.slice(headLength) + part.slice(room);
    } else {
      tail += part;
    }
    if (tail.length > 4 * tailLength) tail = tail.slice(-tailLength);
  };

  const finish = (): string => {
    const line = tail === "" ? head : joinEnds(head, tail.slice(-tailLength), length);
    head = "";
    tail = "";
    length = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };

  return {
    push(text) {
      const lines: string[] = [];
      let start = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        keep(text.slice(start, end));
        lines.push(finish());
        start = end + 1;
      }
      keep(text.slice(start));
      return lines;
    },
    end: () => length === 0 ? [] : [finish()],
  };
}
