/** How many files this process may have open at once (`ulimit -n`). Pipes and sockets count as files. */
import { readFileSync } from "node:fs";
import { PthError } from "../core/errors.ts";
import { isDeno } from "./deno.ts";

/**
 * One server on stdio takes three, a command as many, and Node opens the modules that one imports all at once; with fewer, what
 * fails first says nothing of the cause.
 */
const least = isDeno ? 64 : 128;

/** Undefined where the system does not tell, or sets no limit. */
function openFileLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined; // no such file, as on macOS: what needs more fails by itself
  }
}

/** @throws {PthError} `INVALID_CONFIG` before anything is begun that could not be ended */
export function requireOpenFiles(limit: number | undefined = openFileLimit()): void {
  if (limit === undefined || limit >= least) return;
  throw new PthError(
    "INVALID_CONFIG",
    `Cannot start: this process may have ${limit} files open at once (ulimit -n), and needs at least ${least}`,
    { limit, next: ["Raise the limit in the shell that starts PTH: ulimit -n 1024"] },
  );
}
