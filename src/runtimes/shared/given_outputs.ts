/** That what a process said is with its reader before its end is told. */
import type { Readable } from "node:stream";
import { sleepInTicks } from "../../platform/sleep_in_ticks.ts";

/**
 * Resolves once readers have the last piece of outputs that have ended. A reader that has yet to come is waited for, where
 * there is something to read; nobody is waited for longer than `withinMs`.
 */
export async function givenOutputs(outputs: readonly Readable[], withinMs: number): Promise<void> {
  const read = outputs.filter((stream) =>
    !stream.readableEnded && (stream.readableFlowing || stream.readableLength > 0)
  );
  const given = read.map((stream) => new Promise((resolve) => stream.once("close", resolve)));
  await Promise.race([Promise.all(given), sleepInTicks(withinMs)]);
}
