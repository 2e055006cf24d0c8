/** Removes folders in processes of their own, which go on after the end of PTH. */
import { spawn } from "node:child_process";
import process from "node:process";
import { PthError } from "../core/errors.ts";
import { withDeadline } from "../core/waiting.ts";
import { log } from "./log.ts";

/** Time in ms to wait for a removal: that of a folder without installed packages is over by then. */
const patienceMs = 100;

/**
 * Runs a command that removes something, and waits for it a moment; one that takes longer goes on by itself, and is logged
 * where it fails while PTH runs.
 * @throws {PthError} `INTERNAL` where it has failed meanwhile, with its output
 */
export async function removeDetached(command: readonly [string, ...string[]], what: string): Promise<void> {
  const [program, ...args] = command;
  // Without a pipe it neither keeps PTH from ending nor ends with it.
  const child = spawn(program, args, {
    stdio: "ignore",
    detached: true,
    cwd: "/",
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
  });
  const ended = new Promise<string | undefined>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => resolve(code === 0 ? undefined : `it ended with ${code ?? signal}`));
  });
  let problem: string | undefined;
  const known = await withDeadline(ended.then((state) => void (problem = state)), patienceMs);
  if (!known) {
    child.unref();
    ended.then((state) => {
      if (state !== undefined) log.warn("a removal has failed", { what, reason: state });
    });
  } else if (problem !== undefined) throw new PthError("INTERNAL", `Cannot remove ${what}: ${problem}`);
}
