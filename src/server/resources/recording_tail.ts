/** Reads the end of a recording, which grows without limit. */
import { openRanges } from "../../platform/ranged_file.ts";

/** Maximum of bytes that are sent. */
export const recordingBytes = 128 * 1024;

/** Reads whole lines from the end. @throws the system's errors */
export async function recordingTail(path: string): Promise<string> {
  const file = await openRanges(path);
  try {
    const size = await file.size();
    const from = Math.max(0, size - recordingBytes);
    const bytes = new Uint8Array(size - from);
    const text = new TextDecoder().decode(bytes.subarray(0, file.read(bytes, from)));
    const begin = from === 0 ? 0 : text.indexOf("\n") + 1;
    return text.slice(begin, text.lastIndexOf("\n") + 1);
  } finally {
    await file.close();
  }
}
