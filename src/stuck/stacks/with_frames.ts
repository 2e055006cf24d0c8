import type { HangInspection, HungThread, StackFrame } from "../../../machines/model/stuck.ts";
import { hangLine } from "../inspect_hang.ts";

/** Most frames of one thread. */
const mostFrames = 12;

/** Gives threads of an inspection their frames, by their tids, and names the innermost place that is no library's. */
export function withFrames(
  inspection: HangInspection,
  frames: ReadonlyMap<number | undefined, StackFrame[]>,
): HangInspection {
  const threads = inspection.threads.map((thread) => {
    const own = frames.get(thread.tid)?.slice(0, mostFrames) ?? [];
    return own.length === 0
      ? thread
      : { ...thread, waits: `${bareWait(thread)}${placeIn(own)}`, frames: own };
  });
  const found = { ...inspection, threads };
  return { ...found, says: hangLine(found) };
}

function bareWait({ waits, frames = [] }: HungThread): string {
  const place = placeIn(frames);
  return place !== "" && waits.endsWith(place) ? waits.slice(0, -place.length) : waits;
}

function placeIn(frames: readonly StackFrame[]): string {
  const found = frames.find(({ file }) =>
    file?.startsWith("/") && !/^\/usr\/(?!src\/)|\/node_modules\//.test(file)
  );
  return found === undefined ? "" : `, in ${found.function} (${found.file}:${found.line})`;
}
