/** Files as streams, the same on Deno and Node. */
import { createReadStream, createWriteStream } from "node:fs";
import type { Readable, Writable } from "node:stream";

export const readStream = (path: string): Readable => createReadStream(path);
export const writeStream = (path: string): Writable => createWriteStream(path);
