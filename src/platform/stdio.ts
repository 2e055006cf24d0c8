/** The standard streams of this process. Touching `stdin` starts nothing; reading begins with a listener. */
import process from "node:process";
import type { Readable, Writable } from "node:stream";

export const stdin = (): Readable => process.stdin;
export const stdout = (): Writable => process.stdout;
