/** Streams, and files as streams, the same on Deno and Node. */
import { createReadStream } from "node:fs";
import type { Duplex, Readable } from "node:stream";

/** Resolves when nothing more comes: the stream ended, was closed, or broke. */
export const untilClosed = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve());
  });

/** Joins two streams, both ways, until one of them is gone; what it said last still reaches the other. */
export function joinStreams(one: Duplex, other: Duplex): void {
  one.pipe(other).pipe(one);
  for (const [gone, left] of [[one, other], [other, one]] as const) {
    const leave = () => {
      if (gone.readableEnded && !left.writableFinished) left.once("finish", () => left.destroy());
      else left.destroy();
    };
    if (gone.destroyed) leave(); // it left while the other was looked for
    else gone.once("close", leave);
  }
}

export const readStream = (path: string): Readable => createReadStream(path);
