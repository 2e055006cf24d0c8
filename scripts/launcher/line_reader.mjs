/** Cuts what comes on stdin into lines, with a limit on what one may take in memory. */
import { Buffer } from "node:buffer";

/** Bytes of a line at most, the same as in `src/platform/line_splitter.ts`. */
const longest = 64 * 1024 * 1024;
const lineFeed = 10;

/** @param {(line: string) => void} onLine gets no empty ones */
export function createLineReader(onLine, maxBytes = longest) {
  let parts = [];
  let size = 0;

  const keep = (part) => {
    size += part.length;
    if (size <= maxBytes) return void parts.push(part);
    // Its end is still to come, and is skipped with it.
    if (parts.length > 0) console.error(`Cannot read message: a line is longer than ${maxBytes} bytes`);
    parts = [];
  };

  const finish = () => {
    const line = size <= maxBytes ? Buffer.concat(parts).toString("utf8") : "";
    parts = [];
    size = 0;
    if (line.trim() !== "") onLine(line.trimEnd());
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        keep(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      keep(chunk.subarray(start));
    },
    /** The beginning of a line whose end has not come. */
    rest: () => Buffer.concat(parts),
  };
}
