/** How PTH starts itself once more, as it was started. */
import process from "node:process";
import { isDeno } from "./deno.ts";
import { isBundled, ownFile, ownModule } from "./own_files.ts";

/** The command line of `pth` with these arguments, on this very runtime. */
export function selfCommand(...args: string[]): [string, ...string[]] {
  const flags = isDeno ? ["run", "-A", "--quiet", "--no-lock", "--config", ownFile("deno.json")] : [];
  return [process.execPath, ...flags, isBundled() ? ownFile("cli.js") : ownModule("src/cli"), ...args];
}
