/** Whole lines out of a stream of bytes. */
import { StringDecoder } from "node:string_decoder";
import type { Buffer } from "node:buffer";

/**
 * A function that takes chunks and hands on each line once it is complete. Characters that lie across two chunks stay whole.
 * @param onOverflow called when a line grows beyond `maxCharacters`; the rest of that line is dropped.
 */
export function splitLines(
  onLine: (line: string) => void,
  onOverflow: () => void,
  maxCharacters = 64 * 1024 * 1024,
): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let begun = "";
  let dropping = false;
  return (chunk) => {
    const [first = "", ...rest] = decoder.write(chunk).split("\n");
    if (!dropping) begun += first;
    for (const next of rest) {
      if (!dropping && begun.trim() !== "") onLine(begun);
      dropping = false;
      begun = next;
    }
    if (begun.length <= maxCharacters) return;
    begun = "";
    dropping = true;
    onOverflow();
  };
}
