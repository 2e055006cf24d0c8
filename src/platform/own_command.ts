/** How PTH starts itself once more, as it was started. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isDeno } from "./deno.ts";

/** The command line of `pth` with these arguments, on this very runtime, sources or build. */
export function ownCommand(...args: string[]): [string, ...string[]] {
  // The sources end in .ts, the build in .js, beside each other in the same way.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const flags = isDeno ? ["run", "-A", "--quiet", "--no-lock", "--config", pathOf("../../deno.json")] : [];
  return [process.execPath, ...flags, pathOf(`../cli.${extension}`), ...args];
}
