/** Streams, and files as streams, the same on Deno and Node. */
import { createReadStream, createWriteStream } from "node:fs";
import type { Readable, Writable } from "node:stream";

/** Resolves when nothing more comes: the stream ended, was closed, or broke. */
export const hungUp = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve());
  });

export const readStream = (path: string): Readable => createReadStream(path);
export const writeStream = (path: string): Writable => createWriteStream(path);
