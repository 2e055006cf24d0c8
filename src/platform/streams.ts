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

/** Opens a file for reading. */
export const readStream = (path: string): Readable => createReadStream(path);

/** Standard input of this process. Touching it starts nothing; reading begins with a listener. */
export const stdin = (): Readable => process.stdin;

/** Standard output of this process. */
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

/** Takes the first line, a number, off the stream; what follows it stays. Resolves to undefined if there is none. */
export function takeNumberLine(stream: Readable): Promise<number | undefined> {
  return new Promise((resolve) => {
    let seen = "";
    const finish = (number: number | undefined) => {
      stream.off("readable", look);
      stream.off("end", gone);
      resolve(number);
    };
    const gone = () => finish(undefined);
    const look = () => {
      let byte: Uint8Array | null;
      while ((byte = stream.read(1) as Uint8Array | null) !== null) {
        if (byte[0] === 10) return finish(Number(seen));
        seen += String.fromCharCode(byte[0]!);
      }
    };
    stream.on("readable", look);
    stream.once("end", gone);
    look();
  });
}
