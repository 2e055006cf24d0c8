/** Removes folders in processes of their own, which go on after the end of PTH. */
import { spawn } from "node:child_process";
import process from "node:process";
import { PthError } from "../core/errors.ts";
import { withDeadline } from "../core/waiting.ts";

/** Time in ms to wait for a removal: most folders are small, and then all is known. */
const patienceMs = 500;

/**
 * Runs a command that removes something, and waits for it a moment; one that takes longer goes on by itself.
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
  if (!known) child.unref();
  else if (problem !== undefined) throw new PthError("INTERNAL", `Cannot remove ${what}: ${problem}`);
}
