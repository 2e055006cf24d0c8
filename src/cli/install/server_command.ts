/** The command by which agents start the server of project tests: as this very PTH was started. */
import { join, sep } from "node:path";
import { isDeno } from "../../platform/host.ts";
import { ownRoot, selfCommand } from "../../platform/own_files.ts";
import { selfVersion } from "../../platform/self_version.ts";

/** A server on stdio. */
export interface ServerCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
}

const serverArgs = ["mcp", "--tools", "test"];

/** The command line with absolute paths, as editors start servers without the PATH of a shell. */
export async function serverCommand(): Promise<ServerCommand> {
  const [command, ...args] = await commandWords();
  return { command: command!, args, env: isDeno ? { DENO_NO_UPDATE_CHECK: "1" } : {} };
}

async function commandWords(): Promise<string[]> {
  const root = ownRoot();
  // npx removes its folder some day; the package's name and version stay.
  if (root.includes(`${sep}_npx${sep}`)) {
    const spec = `plugin-test-harness@${await selfVersion()}`;
    return ["npx", "-y", "-p", spec, "pth", ...serverArgs];
  }
  // The bundle of an installed plugin is another one after each update.
  const [checkout, bundle] = root.split(`${sep}.installed${sep}`);
  if (bundle !== undefined) return ["sh", join(checkout!, "scripts/mcp.sh"), ...serverArgs.slice(1)];
  return selfCommand(...serverArgs);
}

/** Whether an entry of an agent's configuration starts such a server, of this PTH or another. */
export function startsTestServer({ command, args }: Record<string, unknown>): boolean {
  const words = [command, args ?? []].flat().map(String);
  const mode = words.slice(-2);
  return mode[0] === "--tools" && mode[1] === "test" && words.some((word) => /^mcp$|\/mcp\.sh$/.test(word));
}
