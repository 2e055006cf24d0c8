/** Streams, and files as streams, the same on Deno and Node. */
import { createReadStream } from "node:fs";
import type { Duplex, Readable, Writable } from "node:stream";
import process from "node:process";
import { sleepInTicks } from "./sleep_in_ticks.ts";

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

export const stdin = (): Readable => process.stdin;

export const stdout = (): Writable => process.stdout;

/**
 * Resolves once readers have the last piece of outputs that have ended. A reader that has yet to come is waited for, where
 * there is something to read; the wait ends after `withinMs`.
 */
export async function givenOutputs(outputs: readonly Readable[], withinMs: number): Promise<void> {
  const read = outputs.filter((stream) =>
    !stream.readableEnded && (stream.readableFlowing || stream.readableLength > 0)
  );
  const given = read.map((stream) => new Promise((resolve) => stream.once("close", resolve)));
  await Promise.race([Promise.all(given), sleepInTicks(withinMs)]);
}
