/** Runs checks that are a Deno subcommand. */
import { runCommand } from "../../src/platform/process.ts";

/** Deno's log lines that tell of no problem. */
const noise = /^(Checked|Found|Stack backtrace:|\s+0: <unknown>).*\n?/gm;

/** Runs `deno <args>` and answers all that it complains of; undefined when that is nothing. */
export async function denoComplaints(root: string, args: string[]): Promise<string | undefined> {
  const result = await runCommand([Deno.execPath(), ...args], { cwd: root, env: { NO_COLOR: "1" } });
  return result.code === 0 ? undefined : (result.stdout + result.stderr).replace(noise, "").trim();
}
