/** Removes folders in processes of their own, which go on after the end of PTH. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { PthError } from "../core/errors.ts";
import { withDeadline } from "../core/waiting.ts";
import { readDir } from "./files.ts";
import { log } from "./log.ts";

/** Time in ms to wait for the removal of a folder that holds little: it is over by then. */
const patienceMs = 100;
/** Number of entries, at any depth, that are removed in a few milliseconds. */
const fewEntries = 300;

/** True for a folder that holds no more than some hundred entries, at any depth; false where that cannot be seen. */
export async function holdsLittle(folder: string): Promise<boolean> {
  const folders = [folder];
  let seen = 0;
  try {
    for (const next of folders) {
      for await (const { name, isDirectory } of readDir(next)) {
        if (++seen > fewEntries) return false;
        if (isDirectory) folders.push(join(next, name));
      }
    }
    return true;
  } catch {
    return false; // closed to PTH, or changed meanwhile
  }
}

/**
 * Runs a command that removes a folder. It is waited for a moment where the folder holds little; else it goes on by itself, and
 * is logged where it fails while PTH runs.
 * @param what names the folder for people
 * @throws {PthError} `INTERNAL` where it cannot be started, or has failed meanwhile
 */
export async function removeDetached(
  command: readonly [string, ...string[]],
  folder: string,
  what: string,
): Promise<void> {
  const waits = await holdsLittle(folder);
  const [program, ...args] = command;
  // Without a pipe it neither keeps PTH from ending nor ends with it.
  const child = spawn(program, args, {
    stdio: "ignore",
    detached: true,
    cwd: "/",
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
  });
  const started = new Promise<false>((resolve) => child.once("spawn", () => resolve(false)));
  let problem: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once("error", ({ message }) => resolve(void (problem = message)));
    child.once("exit", (code, signal) => {
      if (code !== 0) problem = `it ended with ${code ?? signal}`;
      resolve();
    });
  });
  const known = waits
    ? await withDeadline(ended, patienceMs)
    : await Promise.race([ended.then(() => true), started]);
  if (!known) {
    child.unref();
    ended.then(() => {
      if (problem !== undefined) log.warn("a removal has failed", { what, reason: problem });
    });
  } else if (problem !== undefined) throw new PthError("INTERNAL", `Cannot remove ${what}: ${problem}`);
}
