/** Cuts a byte stream into lines, with a limit on what one line may take in memory. */
import { Buffer } from "node:buffer";

/** In bytes: 64 MiB is more than any message of a peer in its senses. */
export const longestMessage: number = 64 * 1024 * 1024;

export interface LineSplitterOptions {
  /** A line of more bytes is dropped, up to its end. */
  maxBytes: number;
  /** One line without its end (LF or CRLF), and its size in bytes; empty lines are skipped. */
  onLine: (line: string, bytes: number) => void;
  onOverlong: () => void;
}

export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** The stream is over: what is left is the last line. */
  end(): void;
}

const lineFeed = 10;

export function createLineSplitter({ maxBytes, onLine, onOverlong }: LineSplitterOptions): LineSplitter {
  let parts: Buffer[] = [];
  let size = 0;
  let skipping = false;

  /** Adds to the open line, unless it grew too long. */
  const keep = (part: Buffer): void => {
    if (skipping || part.length === 0) return;
    size += part.length;
    if (size <= maxBytes) {
      parts.push(part);
      return;
    }
    skipping = true;
    parts = [];
    onOverlong();
  };

  const finish = (): void => {
    const [first] = parts;
    const whole = parts.length > 1 ? Buffer.concat(parts, size) : first;
    parts = [];
    size = 0;
    skipping = false;
    if (whole === undefined) return;
    const text = whole.toString("utf8");
    onLine(text.endsWith("\r") ? text.slice(0, -1) : text, whole.length);
  };

  return {
    push(chunk) {
      const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let start = 0;
      for (let end = buffer.indexOf(lineFeed); end >= 0; end = buffer.indexOf(lineFeed, start)) {
        keep(buffer.subarray(start, end));
        finish();
        start = end + 1;
      }
      keep(buffer.subarray(start));
    },
    end: finish,
  };
}
